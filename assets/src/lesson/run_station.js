import { element } from "../draw/panel.js";
import { show } from "../host/mount.js";
import { QuestionCard } from "./question.js";
import { fill } from "../draw/marked.js";
import { fillNotes } from "./notes.js";

/** A recorded run or race in a file, with its scrubber; where a question is asked of it, it plays once that is answered. */
export class RunStation {
  /** @type {QuestionCard | null} */ card = null;
  waits = false;

  /** @param {LessonStation} station @param {LessonData} lesson @param {LessonParts} parts */
  constructor(station, lesson, parts) {
    this.station = station;
    this.lesson = lesson;
    this.parts = parts;
    const { base } = lesson;
    const { claim, line } = station.notes;
    this.claim = element("h2", { class: "dml-claim" });
    this.notes = element("div", { class: "dml-run-notes" });
    const [look, how, from] = ["dml-notes-of", "dml-caption", "dml-caption"].map((name) => element("p", { class: name }));
    fill(this.claim, claim === lesson.title ? "" : claim, base);
    fillNotes(look, how, station.notes, base);
    fill(from, line, base);
    this.notes.append(from, look, how);
    this.host = element("div", { class: "dml-host" });
    this.ask = element("div", { class: "dml-ask" });
    const attributes = { class: "dml-station", "data-page": station.page };
    this.root = element("div", attributes, this.ask, this.claim, this.host, this.notes);
    if (station.question) this.#ask(station.question);
  }

  show() {
    const { run } = this.station;
    if (!run) return;
    const theme = document.documentElement.dataset.shown ?? "light";
    const data = { ...run, theme, waits: this.waits };
    show(this.parts.components.live, this.host, data);
    this.card?.redraw();
  }

  close() {
    this.root.remove();
    this.parts.components.live.unmount(this.host);
  }

  /** @param {boolean} waits */ #wait(waits) {
    this.waits = waits;
    this.claim.hidden = this.notes.hidden = waits; // they would answer the question
  }

  /** @param {LessonQuestion} question */ #ask(question) {
    const { predict } = this.parts.components;
    const { base } = this.lesson;
    this.#wait(true);
    const reveal = (/** @type {number} */ answer) => {
      const found = question.answers.find(({ value }) => Math.abs(value - answer) < 1e-9);
      this.#wait(false);
      this.show();
      return { said: found?.said ?? "", says: question.says, verdict: found?.verdict ?? "", way: question.way };
    };
    const again = () => {
      this.#ask(question);
      this.show();
    };
    const palette = /** @type {LiveData} */ (this.station.run).palette;
    this.card = new QuestionCard({ asked: question.asked, predict, palette, base, reveal, again });
    this.ask.replaceChildren(this.card.root);
  }
}
