const STEP = 1; // degrees
const STRIDE = 10; // with Shift
/** @type {Record<string, string>} */
const DOES = { Enter: "pick", " ": "pick", Delete: "remove", Backspace: "remove", "+": "add", c: "relabel" };
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Keys on a focused point: arrows move it, Enter picks it, Delete removes it, + adds another, C changes its class. */
export class Keys {
  #moved = false;

  /** `act(name)` does what the button of that name does.
   * @param {HTMLElement} root @param {SceneTools} stage @param {SceneState} state @param {(name: string) => void} act */
  constructor(root, stage, state, act) {
    this.stage = stage;
    this.state = state;
    this.act = act;
    stage.points.addEventListener("keydown", (event) => this.#press(event));
    stage.points.addEventListener("keyup", () => this.#letGo());
    // Not on the points themselves: a group of a drawing that listens for focus becomes a stop of the Tab key.
    root.addEventListener("focusout", () => this.#letGo());
    /** @param {FocusEvent} event */ const hold = ({ target }) => {
      const { handle } = /** @type {Element} */ (target).dataset;
      if (handle) this.#hold(Number(handle));
    };
    root.addEventListener("focusin", hold);
    root.addEventListener("keydown", (event) => this.#command(event));
  }

  /** Whether an arrow key is down. */
  get busy() {
    return this.#moved;
  }

  /** Picks a point, as Enter does. @param {number} handle */
  pick(handle) {
    this.#hold(handle);
    this.state.pick(handle);
  }

  /** @param {KeyboardEvent} event */ #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const handle = Number(/** @type {Element} */ (event.target).dataset.handle);
    this.#hold(handle);
    const arrow = ARROWS[event.key];
    const does = DOES[event.key] ?? DOES[event.key.toLowerCase()];
    if (arrow) {
      const step = event.shiftKey ? STRIDE : STEP;
      this.#moved = true;
      this.state.nudge(handle, step * arrow[0], step * arrow[1]);
    } else if (does === "pick") this.pick(handle);
    else if (does) this.act(does);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {KeyboardEvent} event */ #command(event) {
    if (!(event.ctrlKey || event.metaKey) || /** @type {Element} */ (event.target).matches?.("select, input")) return;
    const key = event.key.toLowerCase();
    if (key === "z") this.act(event.shiftKey ? "redo" : "undo");
    else if (key === "y") this.act("redo");
    else return;
    event.preventDefault();
  }

  /** @param {number} handle */ #hold(handle) {
    if (handle === this.state.touched) return;
    this.state.touched = handle;
    this.act("hold");
  }

  #letGo() {
    if (!this.#moved) return;
    this.#moved = false;
    this.state.drop();
  }
}
