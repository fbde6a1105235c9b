const PAUSE = 600; // ms, longer than from one click of a double click to the next
const PRESSED = "button, a";

/** Takes the second click of a double click from the buttons and links in a node: after a press, and after other buttons have
 * come to the place, none is pressed for a moment. */
export class ClickPause {
  /** @type {number | undefined} */ #timer;

  /** @param {HTMLElement} node */ constructor(node) {
    this.node = node;
    node.addEventListener("click", (event) => this.#click(event), { capture: true });
  }

  /** Begins a pause, which ends by itself. */
  begin() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), PAUSE);
    this.mark();
  }

  /** In a pause, marks the buttons that are there now: not as `disabled`, which would take the focus. */
  mark() {
    if (this.#timer === undefined) return;
    for (const each of this.node.querySelectorAll(PRESSED)) each.setAttribute("aria-disabled", "true");
  }

  #end() {
    this.#timer = undefined;
    for (const each of this.node.querySelectorAll(PRESSED)) each.removeAttribute("aria-disabled");
  }

  /** @param {MouseEvent} event */ #click(event) {
    if (!(/** @type {Element} */ (event.target).closest(PRESSED))) return;
    if (this.#timer === undefined) return this.begin();
    event.preventDefault();
    event.stopPropagation();
  }
}
