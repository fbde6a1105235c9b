import { element } from "../draw/panel.js";
import { formula } from "../draw/tex.js";
import { fill } from "../draw/marked.js";

/** What a room says of its first figure: the claim above, the line and the notes below, and the formulas. */
export class Notes {
  /** @param {string} base */ constructor(base) {
    const words = (/** @type {string} */ name) => element("p", { class: name, hidden: true });
    this.base = base;
    this.claim = element("h2", { class: "dml-claim" });
    this.line = words("dml-line-of");
    this.none = words("dml-none");
    this.lookFor = words("dml-notes-of");
    this.misleads = words("dml-caption");
    this.formulas = element("div", { class: "dml-formulas" });
    this.below = [this.none, this.line, this.lookFor, this.misleads];
  }

  /** Says what a room says, or why it has no model; `claim` stands above the figure then. @param {RoomHere} here @param {string} claim */
  show(here, claim) {
    const { base } = this;
    fill(this.none, here.none, base);
    const notes = here.none
      ? { claim, line: "", lookFor: "", misleads: "", formulas: /** @type {LessonFormula[]} */ ([]) }
      : here;
    fill(this.claim, notes.claim, base);
    fill(this.line, notes.line, base);
    fillNotes(this.lookFor, this.misleads, notes, base);
    while (this.formulas.children.length > notes.formulas.length) this.formulas.lastChild.remove();
    for (const [k, each] of notes.formulas.entries()) {
      const box = /** @type {HTMLElement} */ (this.formulas.children[k] ?? this.formulas.appendChild(element("div")));
      const text = JSON.stringify(each);
      if (box.dataset.text === text) continue;
      box.dataset.text = text;
      box.replaceChildren(...this.#formula(each));
    }
  }

  /** @param {LessonFormula} of */ #formula({ lines, remark }) {
    const drawn = lines.map((line) =>
      element("div", { class: "dml-formula", tabindex: 0, role: "group", "aria-label": "Formula" }, ...formula(line, true))
    );
    const below = element("p", { class: "dml-caption" });
    fill(below, remark, this.base);
    return remark ? [...drawn, below] : drawn;
  }
}

/** Fills two nodes with what to look for in a picture, and how it misleads.
 * @param {HTMLElement} look @param {HTMLElement} how @param {{lookFor: string, misleads: string}} notes @param {string} base */
export function fillNotes(look, how, { lookFor, misleads }, base) {
  fill(look, lookFor && `**Look for** ${lookFor}`, base);
  fill(how, misleads && `**How this picture misleads:** ${misleads}`, base);
}
