import { groupName } from "../kit/group.js";
import { element, say } from "../kit/panel.js";
import { rove } from "../kit/rove.js";
import { count } from "../kit/words.js";
import { asleep } from "../kit/sleep.js";

const FRAME = 100; // ms between two frames of a playback
const LONGEST = 120; // frames of a playback, however long the run

/** The hand on time: a slider over every step seen, a playback, the way back to the live step, and the group switch. */
export class Scrubber {
  #timer = null;

  constructor(desk) {
    this.desk = desk;
    this.play = element("button", { class: "dml-button dml-play", type: "button" });
    this.range = element("input", { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "step shown" });
    this.step = element("output", { class: "dml-step" });
    this.live = element("button", { class: "dml-button dml-now", type: "button" }, element("i"), "Live");
    this.before = element("span", { class: "dml-end" }, "before training");
    this.after = element("span", { class: "dml-end" }, "after");
    this.groups = element("div", {
      class: "dml-switch",
      role: "radiogroup",
      "aria-label": "which classes the panels show",
    });
    const slider = element("div", { class: "dml-slider" }, this.before, this.range, this.after);
    this.settle = rove(this.groups);
    this.root = element("div", { class: "dml-scrubber" }, this.play, slider, this.step, this.live, this.groups);
    this.play.addEventListener("click", () => (this.#timer ? this.stop() : this.start()));
    this.live.addEventListener("click", () => {
      this.stop();
      desk.follow();
    });
    this.range.addEventListener("input", () => {
      this.stop();
      desk.go(desk.history.at("step", Number(this.range.value)));
    });
    this.range.addEventListener("change", () => desk.report());
    this.stop();
  }

  open(fresh) {
    if (fresh) this.stop();
    const { subject, groupShown } = this.desk;
    const names = ["unseen", "seen"].map((name) => {
      const chosen = name === groupShown;
      const button = element(
        "button",
        { type: "button", role: "radio", "aria-checked": String(chosen) },
        groupName(subject, name),
      );
      button.addEventListener("click", () => this.desk.showGroup(name));
      return button;
    });
    this.groups.replaceChildren(...names);
    this.settle();
  }

  draw() {
    const { history, frame, following, recorded } = this.desk;
    const last = Math.max(history.count - 1, 0);
    const row = history.row(frame.header.step);
    if (Number(this.range.max) !== last) this.range.max = last;
    if (document.activeElement !== this.range || following || this.#timer) this.range.value = row;
    const text = `step ${count(frame.header.step)}`;
    say(this.step, text);
    this.range.setAttribute("aria-valuetext", `${text} of ${count(history.latest)}`);
    this.range.style.setProperty("--dml-at", last ? row / last : 0);
    this.live.hidden = recorded;
    this.live.setAttribute("aria-pressed", String(following));
    this.before.hidden = this.after.hidden = !recorded;
    say(this.after, `after ${count(history.latest)} steps`);
    this.play.disabled = last === 0;
  }

  /** Plays the history from `row`: the step shown, or the beginning when that is the last one. */
  start(row = this.#place()) {
    const { history } = this.desk;
    if (history.count < 2) return;
    const end = history.count - 1;
    const stride = Math.max(1, Math.ceil(history.count / LONGEST));
    this.stop();
    this.#timer = setInterval(() => {
      if (asleep()) return;
      row = Math.min(row + stride, end);
      this.desk.go(history.at("step", row));
      if (row < end) return;
      this.stop();
      if (!this.desk.recorded) this.desk.follow();
    }, FRAME);
    this.#face("❚❚", "Pause the playback");
    this.desk.go(history.at("step", row));
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#face("▶", "Play the run from its start");
  }

  close() {
    this.stop();
  }

  #place() {
    const { history, frame, following } = this.desk;
    const row = history.row(frame.header.step);
    return following || row >= history.count - 1 ? 0 : row;
  }

  #face(sign, label) {
    say(this.play, sign);
    this.play.setAttribute("aria-label", label);
    this.play.title = label;
  }
}
