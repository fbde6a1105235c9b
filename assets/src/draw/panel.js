const SPOKEN = 2000; // ms between two wordings of a label: a screen reader cannot follow eight a second

/** A node with attributes, of which functions such as `onclick` listen, and children.
 * @template {keyof HTMLElementTagNameMap} K @param {K} name @param {Attributes} attributes @param {...(string | Node)} children
 * @returns {HTMLElementTagNameMap[K]} */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}

/** A button that does `onclick`.
 * @param {(event: MouseEvent) => unknown} onclick @param {Attributes} attributes @param {...(string | Node)} children */
export function button(onclick, attributes, ...children) {
  return element("button", { type: "button", onclick, ...attributes }, ...children);
}

/** An entry of a legend. @param {...(string | Node)} children */
export function key(...children) {
  return element("span", { class: "dml-key" }, ...children);
}

/** Words for the mouse inside an entry of a legend, which no file has. @param {string} text */
export function aside(text) {
  return element("span", { class: "dml-aside" }, text);
}

/** Sets a node's text only when it changes, in the text node that is there: for another one the browser would look again which
 * of the page's styles apply. @param {Node} node @param {string} text */
export function say(node, text) {
  if (node.textContent === text) return;
  const { firstChild: first, lastChild: last } = node;
  (first === last && first instanceof Text ? first : node).textContent = text;
}

/** The same, of a node that is hidden where it has nothing to say. @param {HTMLElement} node @param {string} text */
export function sayOrHide(node, text) {
  say(node, text);
  node.hidden = !text;
}

// A node that stays as high as it has been at its width: words that change their length move nothing below.
/** @param {HTMLElement} node */ function steady(node) {
  let width = -1;
  new ResizeObserver(([{ contentRect: now }]) => {
    if (now.width !== width) node.style.minHeight = "";
    width = now.width;
    node.style.minHeight = `${node.clientHeight}px`;
  }).observe(node);
  return node;
}

/** A titled box with a legend line and a picture in it. */
export class Panel {
  #spoken = -Infinity;
  /** @type {number | undefined} */ #timer;
  /** @type {(() => string) | undefined} */ #words;
  /** @type {HTMLElement | null} */ #fault = null;

  /** @param {string} name @param {string} title */ constructor(name, title) {
    this.title = element("h3", { class: "dml-title" }, title);
    this.legend = steady(element("div", { class: "dml-legend" }));
    this.picture = element("div", { class: "dml-picture", role: "img", "aria-label": title });
    const head = element("div", { class: "dml-head" }, this.title, this.legend);
    this.root = element("section", { class: `dml-panel dml-${name}` }, head, this.picture);
  }

  // Describes the picture to a screen reader; `words` is called at most every few seconds, for the newest frame.
  /** @param {() => string} words */ describe(words) {
    this.#words = words;
    const wait = this.#spoken + SPOKEN - performance.now();
    if (wait <= 0) this.#speak();
    else this.#timer ??= setTimeout(() => this.#speak(), wait);
  }

  /** Says what is wrong with the picture; "" where nothing is. @param {string} words */
  fault(words) {
    this.#fault ??= this.root.appendChild(element("p", { class: "dml-message", role: "alert" }));
    sayOrHide(this.#fault, words);
  }

  /** Drops a description that was not given yet. */
  close() {
    clearTimeout(this.#timer);
  }

  /** What the picture shows now, in words. */
  get words() {
    return this.#words?.() ?? this.picture.getAttribute("aria-label") ?? "";
  }

  #speak() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spoken = performance.now();
    this.picture.setAttribute("aria-label", this.words);
  }
}
