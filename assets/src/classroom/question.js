import { button, element, say } from "../draw/panel.js";
import { mark } from "../draw/marker.js";
import { svgNode } from "../draw/svg.js";
import { rove } from "../draw/rove.js";
import { PointDrag } from "../scene/point_drag.js";
import { plainWords } from "../draw/marked.js";
import { written } from "./surface.js";
import { precise, wordsOf } from "./words.js";

const THOUSANDS = /^[+-]?\d{1,3}(,\d{3})+$/;
const MOVES = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"]; // a mark
const TAKES = ["Enter", " ", ...MOVES];
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The means to answer a question of any kind: choices, panels, a mark on a scale, a number, or a point to drag. */
export class Answerer {
  /** @type {number | null} */ value = null;
  /** @type {Question["by"] | null} */ by = null;
  /** @type {Look | null} */ look = null;
  /** @type {number | null} */ locked = null;
  fixed = false;
  #settle = () => {};
  #key = "";

  /** `changed()` is called when there is another answer. @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.root = element("div", { class: "dml-answer" });
    this.drag = new PointDrag((angle) => this.#put(Math.round(angle * 100) / 100));
  }

  /** Asks by `by`; `locked` is the answer that cannot be changed any more, `vote` what a new vote makes anew. What is `closed`
   * takes no answer.
   * @param {Question["by"]} by @param {number | null} locked @param {string} vote @param {Look} look */
  ask(by, locked, vote, look, closed = false) {
    const key = JSON.stringify([by, vote, look.theme]);
    this.look = this.drag.look = look;
    if (key !== this.#key) {
      const restyled = key.slice(0, key.lastIndexOf(",")) ===
        this.#key.slice(0, this.#key.lastIndexOf(",")); // another theme alone
      this.#key = key;
      if (!restyled) this.value = null;
      this.by = by;
      this.#make(by);
    }
    Object.assign(this, { locked, fixed: closed || locked !== null });
    if (locked !== null) this.value = locked;
    else if (closed) this.value = null;
    this.#draw();
  }

  /** Asks nothing. */
  clear() {
    this.#key = "";
    this.value = null;
    this.root.replaceChildren();
  }

  /** @param {number} value */ #put(value) {
    if (this.fixed) return;
    this.value = value;
    this.#draw();
    this.changed();
  }

  /** @param {Question["by"]} by */ #make(by) {
    const { kind } = by;
    this.root.dataset.kind = kind;
    if (kind === "drag") {
      this.drag.scene = "";
      return this.root.replaceChildren(this.drag.root);
    }
    if (kind === "mark") return this.#scale(by);
    if (kind === "number") return this.#number(by);
    const choices = by.options.map((option, index) =>
      button(() => this.#put(index), { class: "dml-choice", role: "radio", "aria-checked": "false" }, ...this.#option(by, option))
    );
    const group = element("div", { class: "dml-choices", role: "radiogroup", "aria-label": "Your answer" }, ...choices);
    this.#settle = rove(group);
    this.root.replaceChildren(group);
  }

  /** @param {AskedChoices} by @param {string} option */ #option(by, option) {
    const words = written("span", option);
    return by.points.length ? [words, this.#panel(by.points)] : [words];
  }

  /** The points of a panel, without a loss. @param {[number, number][]} points */ #panel(points) {
    const circle = svgNode("circle", { r: 40, fill: "none", stroke: this.look.quiet });
    const marks = points.map(([angle, label]) => {
      const turn = angle * Math.PI / 180;
      const { colour, marker } = this.look.ofClass(label);
      const d = mark(marker, 40 * Math.cos(turn), -40 * Math.sin(turn), 4);
      return svgNode("path", { d, fill: colour, stroke: this.look.edge });
    });
    return svgNode("svg", { viewBox: "-48 -48 96 96", "aria-hidden": "true" }, circle, ...marks);
  }

  /** @param {{low: number, high: number, step: number, label: string, unit: string}} by */
  #scale(by) {
    const { low, high, step, label, unit } = by;
    this.output = element("output", { class: "dml-scale-value" });
    const middle = low + step * Math.round((high - low) / 2 / step);
    /** @returns {void} */ const oninput = () => this.#put(Number(this.range.value));
    const onpointerdown = () => !this.fixed && this.value === null && setTimeout(oninput);
    /** @param {KeyboardEvent} event */ const onkeydown = (event) => {
      if (!TAKES.includes(event.key)) return;
      if (!MOVES.includes(event.key)) event.preventDefault();
      onpointerdown();
    };
    const range = { type: "range", min: low, max: high, step, value: middle, class: "dml-scale" };
    const spoken = { "aria-label": plainWords(label), "aria-description": "Enter takes the place where the mark is." };
    this.range = element("input", { ...range, ...spoken, oninput, onpointerdown, onkeydown });
    const ends = element("div", { class: "dml-ends", "aria-hidden": "true" });
    ends.append(...[low, high].map((end) => element("span", {}, precise(end, by) + unit)));
    this.root.replaceChildren(written("p", label, { class: "dml-label" }), this.output, this.range, ends);
  }

  /** @param {{label: string, unit: string, largest: number}} by */ #number({ label, unit, largest }) {
    /** @returns {void} */ const oninput = () => {
      const { value, wrong } = readNumber(this.field.value, largest);
      say(this.complaint, wrong);
      if (value !== null) return this.#put(value);
      this.value = null;
      this.changed();
    };
    const number = { class: "dml-number", inputmode: "decimal", autocomplete: "off", "aria-label": plainWords(label) };
    this.field = element("input", { ...number, oninput });
    this.complaint = element("p", { class: "dml-complaint", role: "status" });
    const row = element("div", { class: "dml-number-row" }, this.field, unit);
    this.root.replaceChildren(written("p", label, { class: "dml-label" }), row, this.complaint);
  }

  #draw() {
    const { by, value, locked, fixed } = this;
    this.root.dataset.locked = String(fixed);
    if (by.kind === "drag") {
      const { points, point } = by;
      return this.drag.take({ points, point, answer: locked, way: null, fixed });
    }
    if (by.kind === "mark") {
      this.range.disabled = fixed;
      if (locked !== null) this.range.value = String(locked);
      this.range.dataset.touched = String(value !== null);
      say(this.output, value !== null ? wordsOf(by, value) : fixed ? "" : "move or press the mark");
    } else if (by.kind === "number") {
      this.field.disabled = fixed;
      if (locked !== null) this.field.value = String(locked);
    } else {
      [...this.root.querySelectorAll("button")].forEach((choice, index) => {
        choice.setAttribute("aria-checked", String(index === value));
        choice.disabled = fixed && index !== value;
      });
      this.#settle();
    }
  }
}

/** The number that is written as `text`, null for none, and what is wrong with it. @param {string} text @param {number} largest */
export function readNumber(text, largest) {
  const written = text.trim().replace("−", "-");
  const value = NUMBER.test(written.replace(",", ".")) ? Number(written.replace(",", ".")) : NaN;
  const [most, end] = [Math.abs(value) > largest, largest.toExponential()];
  const wrong = !written
    ? ""
    : THOUSANDS.test(written)
    ? `Write ${written.replaceAll(",", "")}, or ${written.replace(",", ".")}: a comma can mean both.`
    : Number.isNaN(value)
    ? "Write a number, such as 0.25 or 1e-3."
    : most
    ? `Write a number from −${end} to ${end}.`
    : "";
  return { value: wrong || !written ? null : value, wrong };
}
