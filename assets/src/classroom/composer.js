import { button, element, say } from "../draw/panel.js";

const KINDS = { choice: "Choices", mark: "A mark on a scale", number: "A number" };
const [FEWEST, MOST] = [2, 5]; // choices
const STORAGE = "dml-classroom-own"; // the questions that were asked from this console, in the storage of its tab

/** A question of the teacher's own: its text, its kind, and its choices or its scale. */
export class Composer {
  /** @type {OwnAsk | null} */ sent = null; // and not yet open
  refusal = ""; // of the question that was sent last
  /** `ask(question)` opens it. @param {(ask: OwnAsk) => void} ask */
  constructor(ask) {
    this.ask = ask;
    /** @param {string} name @param {string} label @param {Attributes} more */ const field = (name, label, more = {}) => {
      const input = element("input", { name, type: "text", autocomplete: "off", ...more });
      return element("label", { class: `dml-field dml-of-${name}` }, label, input);
    };
    const kinds = Object.entries(KINDS).map(([value, label]) => element("option", { value }, label));
    this.kind = element("select", { name: "kind", onchange: () => this.#settle() }, ...kinds);
    this.text = element("textarea", { name: "text", rows: 2, dir: "auto" });
    this.options = element("textarea", { name: "options", rows: 3, dir: "auto", placeholder: "yes *\nno" });
    this.complaint = element("p", { class: "dml-complaint", role: "status" });
    const number = { type: "number", step: "any" };
    const scale = [
      field("label", "What is marked"),
      field("low", "From", { ...number, value: 0 }),
      field("high", "To", { ...number, value: 100 }),
      field("step", "Step", { ...number, value: 5 }),
      field("unit", "Unit"),
    ];
    this.form = element(
      "form",
      {},
      element("label", { class: "dml-field" }, "Question", this.text),
      element("label", { class: "dml-field" }, "Answered by", this.kind),
      element("label", { class: "dml-field dml-of-options" }, "Choices, one a line; a * ends the right one", this.options),
      element("div", { class: "dml-scale-fields" }, ...scale),
      element("button", { class: "dml-act dml-first" }, "Open this question"),
      this.complaint,
    );
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.before = element("div", { class: "dml-asked-before" });
    const title = element("summary", {}, "A question of your own");
    this.root = element("details", { class: "dml-composer" }, title, this.before, this.form);
    this.#settle();
    this.#draw();
  }

  #settle() {
    this.form.dataset.kind = this.kind.value;
  }

  /** @returns {{ask: OwnAsk}[]} */ #stored() {
    try {
      return JSON.parse(sessionStorage.getItem(STORAGE) ?? "[]");
    } catch {
      return this.memory ?? [];
    }
  }

  /** @param {OwnAsk} ask */ #keep(ask) {
    const questions = [{ ask }, ...this.#stored().filter((each) => each.ask.text !== ask.text)].slice(0, 20);
    this.memory = questions;
    try {
      sessionStorage.setItem(STORAGE, JSON.stringify(questions));
    } catch { /* blocked: they are kept as long as this page is open */ }
    this.#draw();
  }

  #draw() {
    const before = this.#stored().map(({ ask }) => button(() => this.ask(ask), { class: "dml-ask", dir: "auto" }, ask.text));
    this.before.replaceChildren(...before);
  }

  #submit() {
    const read = readQuestion(Object.fromEntries(/** @type {[string, string][]} */ ([...new FormData(this.form)])));
    say(this.complaint, "wrong" in read ? read.wrong : "");
    if ("wrong" in read) return;
    this.sent = read.ask;
    this.refusal = "";
    this.ask(read.ask);
  }

  /** Says below the form why the server refuses the question that was sent. @param {string} why */ refused(why) {
    if (!this.sent) return;
    this.sent = null;
    this.refusal = why;
    say(this.complaint, why);
  }

  /** Keeps the question that was sent, and empties the form, once it is open: the server may refuse it. */
  opened() {
    if (!this.sent) return;
    this.#keep(this.sent);
    this.sent = null;
    this.form.reset();
    this.#settle();
    this.root.open = false;
  }
}

/** The question in the fields of the form, or what is wrong with them.
 * @param {Record<string, string>} fields @returns {{ask: OwnAsk} | {wrong: string}} */
export function readQuestion(fields) {
  const text = fields.text.trim();
  if (!text) return { wrong: "Write the question." };
  const { label, unit } = { label: fields.label.trim() || "Your answer", unit: fields.unit.trim() };
  if (fields.kind === "number") return { ask: { text, by: { kind: "number", label, unit } } };
  if (fields.kind === "mark") {
    const [low, high, step] = [fields.low, fields.high, fields.step].map(Number);
    if (!(low < high)) return { wrong: `A scale goes from a lower to a higher number, not from ${low} to ${high}.` };
    if (!(step > 0) || step > high - low) return { wrong: `The step is ${step}; write a number above 0, up to ${high - low}.` };
    const steps = (high - low) / step;
    if (Math.abs(steps - Math.round(steps)) > 1e-9 * steps) {
      const last = Number((low + Math.floor(steps) * step).toPrecision(9));
      return { wrong: `Steps of ${step} from ${low} do not reach ${high}: the last ends at ${last}. Change an end or the step.` };
    }
    return { ask: { text, by: { kind: "mark", label, low, high, step, unit } } };
  }
  const lines = fields.options.split("\n").map((line) => line.trim()).filter(Boolean);
  const right = lines.findIndex((line) => line.endsWith("*"));
  const options = lines.map((line) => line.replace(/\s*\*$/, ""));
  if (right !== lines.findLastIndex((line) => line.endsWith("*"))) {
    return { wrong: "One choice is right: leave the * at one of them." };
  }
  if (options.length < FEWEST || options.length > MOST || new Set(options).size < options.length) {
    return { wrong: `Write ${FEWEST} to ${MOST} different choices, one a line.` };
  }
  return { ask: { text, by: { kind: "choice", options }, ...(right < 0 ? {} : { right }) } };
}
