import { button, element, say } from "../draw/panel.js";
import { fill, marked } from "../draw/marked.js";
import { show } from "../host/mount.js";

/** What is `said` of an answer, and what the truth `says`. @typedef {{said: string, says: string, verdict: string, way: number[]}} Truth */

const [ASKED, LOCKED, REVEALED] = ["asked", "locked", "revealed"];

/** A question that is answered before its truth is seen: asked, then locked with an answer, then revealed. */
export class QuestionCard {
  stage = ASKED;
  verdict = "";
  /** @type {number | null} */ answer = null;
  /** @type {number[] | null} */ way = null;

  /** `reveal(answer)` gives the truth and shows it; `again()` begins anew.
   * @param {{asked: LessonAsked, predict: ComponentModule, palette: Palette, base: string, reveal: (answer: number) => Truth, again: () => void}} given */
  constructor({ asked, predict, palette, base, reveal, again }) {
    this.asked = asked;
    this.predict = predict;
    this.palette = palette;
    this.base = base;
    this.tell = reveal;
    this.begin = again;
    this.question = element("p", { class: "dml-question" }, ...marked(asked.question, base));
    this.truth = element("p", { class: "dml-verdict", role: "status", hidden: true });
    this.control = element("div", { class: "dml-answer" });
    this.act = button(() => this.#next(), { class: "dml-button dml-primary" });
    const words = element("div", { class: "dml-question-words" }, this.question, this.truth);
    const acts = element("div", { class: "dml-question-acts" }, this.control, this.act);
    this.root = element("section", { class: "dml-prediction", "aria-label": "Predict" }, words, acts);
    this.#lay();
    this.#show();
  }

  /** Draws again, as where the page's theme has changed. */
  redraw() {
    this.#drag();
  }

  #lay() {
    const { asked } = this;
    if (asked.kind === "choices") {
      const name = `dml-answer-${Math.random().toString(36).slice(2)}`;
      const labels = asked.options.map((option, k) => {
        const input = element("input", { type: "radio", name, onchange: () => this.#take(k) });
        return element("label", {}, input, element("span", {}, ...marked(option, this.base)));
      });
      const legend = element("legend", { class: "dml-unseen" }, "Your prediction");
      this.control.replaceChildren(element("fieldset", { class: "dml-radios" }, legend, ...labels));
    } else if (asked.kind === "mark") {
      const number = element("output", {}, `${asked.low}${asked.unit}`);
      const oninput = () => {
        say(number, `${input.value}${asked.unit}`);
        this.#take(Number(input.value));
      };
      const { low: min, high: max, step } = asked;
      const input = element("input", { type: "range", min, max, step, value: min, oninput });
      const head = element("span", { class: "dml-control-head" }, asked.label, number);
      this.control.replaceChildren(element("label", { class: "dml-control" }, head, input));
      this.answer = asked.low;
    } else this.#drag();
  }

  /** @param {number} answer */ #take(answer) {
    if (this.stage !== ASKED) return;
    this.answer = answer;
    this.#show();
  }

  /** Where a point is dragged, and the way that it then goes. */ #drag() {
    const { asked: { kind, points, point }, palette } = this;
    if (kind !== "drag") return;
    const answer = this.stage === ASKED ? null : this.answer;
    const data = { points, point, answer, way: this.way?.length ? this.way : null, palette, theme: "light" };
    show(this.predict, this.control, data, (_, angle) => this.#take(Number(angle)));
  }

  #next() {
    if (this.stage === REVEALED) return this.begin();
    if (this.stage === ASKED && this.asked.kind !== "shown") this.stage = LOCKED;
    else this.#reveal();
    this.#drag();
    this.#show();
    this.act.focus({ preventScroll: true });
  }

  #reveal() {
    const { said, says, verdict, way } = this.tell(this.answer ?? 0);
    Object.assign(this, { stage: REVEALED, verdict, way });
    fill(this.truth, [said, says].filter(Boolean).join(" "), this.base);
  }

  #show() {
    const { stage, answer, asked: { kind } } = this;
    const words = kind === "shown"
      ? { asked: "Show the answer", locked: "", revealed: "Ask again" }
      : { asked: "Lock", locked: "Reveal", revealed: "Ask again" };
    say(this.act, words[/** @type {"asked"} */ (stage)]);
    this.act.disabled = stage === ASKED && kind !== "shown" && answer === null;
    this.act.title = stage === ASKED && kind !== "shown" ? "Your answer cannot be changed then." : "";
    for (const input of this.control.querySelectorAll("input")) input.disabled = stage !== ASKED;
    this.root.dataset.stage = stage;
  }
}
