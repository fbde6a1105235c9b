// What the static pages of a classroom share: their colours, their code, and the words on a connection.

import { look, paint as paintLook } from "../draw/look.js";
import { marked } from "../draw/marked.js";
import { element, sayOrHide } from "../draw/panel.js";

const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{6}$/;

/** The code in what somebody types; "" for none. @param {string} text */
export function codeIn(text) {
  const code = text.toUpperCase().replace(/[\s\u2010-\u2015-]/g, "");
  return CODE.test(code) ? code : "";
}

/** The code in the address of the page; "" for none. */
export function codeOfPage(path = location.pathname) {
  return codeIn(/\/classroom\/([^/]*)/.exec(path)?.[1] ?? "");
}

/** The colours of the page, as the system or the address has them; `changed()` is called when the system changes them. */
export class Colours {
  /** @param {() => void} changed */ constructor(changed) {
    this.palette = /** @type {Palette} */ (JSON.parse(document.getElementById("dml-palette").textContent));
    const fixed = /embed_options=(light|dark)_theme/.exec(location.search)?.[1];
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const settle = () => {
      const theme = fixed ?? (dark.matches ? "dark" : "light");
      this.look = look(this.palette, theme);
      document.documentElement.dataset.theme = theme;
      paint(document.documentElement, this.look);
    };
    settle();
    dark.addEventListener("change", () => {
      settle();
      changed();
    });
  }
}

/** Gives a node the colours, and that of links. @param {HTMLElement} node @param {Look} look */
export function paint(node, look) {
  paintLook(node, look);
  node.style.setProperty("--dml-link", look.ofWords(look.positive));
}

/** The place in which a page says that it has no connection. */
export class Line {
  constructor() {
    this.root = element("p", { class: "dml-line", role: "status" });
  }

  /** @param {{online: boolean | null, ended: number}} now @param {string} words */ draw({ online, ended }, words) {
    sayOrHide(this.root, online !== false || ended ? "" : words);
  }
}

/** An element with a teacher's text, in the direction of its letters.
 * @param {keyof HTMLElementTagNameMap} name @param {string} text @param {Attributes} attributes */
export function written(name, text, attributes = {}) {
  return element(name, { dir: "auto", ...attributes }, ...marked(text));
}

/** Draws, and gives the focus to `refuge` where what had it is there no more. @param {HTMLElement} refuge @param {() => void} draw */
export function keepingFocus(refuge, draw) {
  const before = document.activeElement;
  draw();
  const now = document.activeElement;
  if (before === document.body || (now !== document.body && !now?.closest("[hidden]"))) return;
  refuge.tabIndex = -1;
  refuge.focus({ preventScroll: true });
}

/** Gives a node other children, and keeps the focus where it was, by the `data-key` of what had it.
 * @param {HTMLElement} node @param {...(Node | string | null | false)} children */
export function renewed(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement.closest("[data-key]")?.dataset.key : undefined;
  node.replaceChildren(.../** @type {(Node | string)[]} */ (children.filter(Boolean)));
  if (focused) {
    /** @type {HTMLElement | null} */ (node.querySelector(`[data-key="${focused}"]`))?.focus({ preventScroll: true });
  }
}
