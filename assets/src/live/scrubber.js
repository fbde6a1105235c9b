import { groupName, groupsOf } from "../runs/group.js";
import { button, element, say } from "../draw/panel.js";
import { SHOWN_STEP, STEP } from "../host/bus.js";
import { rove } from "../draw/rove.js";
import { count } from "../draw/words.js";
import { Player } from "../runs/player.js";

const FRAME = 100; // ms between two frames of a playback
const GLIDING = 400; // the same where points glide from one to the next
const LIVE = -1; // in place of a step: the newest
const LONGEST = 120; // frames of a playback, however long the run

/** The controls of time: a slider over every step seen, a playback, the way back to the live step, and the group switch. */
export class Scrubber {
  ending = new AbortController();
  #told = NaN; // the step that a class was told of

  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    const play = { class: "dml-button dml-play" };
    this.player = new Player("Play the run from its start", play, () => this.start(), () => this.stop());
    const range = { type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "step shown" };
    const oninput = () => {
      this.stop();
      desk.go(desk.history.at("step", Number(this.range.value)));
    };
    this.range = element("input", { ...range, oninput, onchange: () => desk.report() });
    this.step = element("output", { class: "dml-step" });
    const follow = () => {
      this.stop();
      desk.follow();
    };
    this.live = button(follow, { class: "dml-button dml-now" }, element("i"), "Live");
    this.before = element("span", { class: "dml-end" }, "before training");
    this.after = element("span", { class: "dml-end" }, "after");
    const groups = { class: "dml-switch", role: "radiogroup", "aria-label": "which classes the panels show" };
    this.groups = element("div", groups);
    const slider = element("div", { class: "dml-slider" }, this.before, this.range, this.after);
    this.settle = rove(this.groups);
    SHOWN_STEP.listen((shown) => this.#show(shown), this.ending.signal);
    this.root = element("div", { class: "dml-scrubber" }, this.player.root, slider, this.step, this.live, this.groups);
  }

  /** @param {boolean} fresh */ open(fresh) {
    if (fresh) this.stop();
    const { subject, group } = this.desk;
    const names = groupsOf(subject).map((name) => {
      const chosen = name === group.name;
      const attributes = { role: "radio", "aria-checked": String(chosen) };
      return button(() => this.desk.showGroup(name), attributes, groupName(subject, name));
    });
    this.groups.replaceChildren(...names);
    this.settle();
  }

  draw() {
    const { history, frame, following, recorded } = this.desk;
    const last = Math.max(history.count - 1, 0);
    const row = history.row(frame.header.step);
    if (Number(this.range.max) !== last) this.range.max = String(last);
    if (document.activeElement !== this.range || following || this.player.plays) this.range.value = String(row);
    const text = `step ${count(frame.header.step)}`;
    say(this.step, text);
    this.range.setAttribute("aria-valuetext", `${text} of ${count(history.latest)}`);
    this.range.style.setProperty("--dml-at", String(last ? row / last : 0));
    this.live.hidden = recorded;
    this.live.setAttribute("aria-pressed", String(following));
    this.before.hidden = !recorded;
    this.after.hidden = !recorded || !history.latest; // the untrained net has but one end
    say(this.after, `after ${count(history.latest)} ${history.latest === 1 ? "step" : "steps"}`);
    this.player.root.disabled = last === 0;
    const now = following ? LIVE : frame.header.step;
    if (now !== this.#told) STEP.send(this.#told = now);
  }

  /** Plays the history from `row`: the step shown, or the beginning when that is the last one. */
  start(row = this.#place()) {
    const { history } = this.desk;
    if (history.count < 2) return;
    const end = history.count - 1;
    const stride = Math.max(1, Math.ceil(history.count / LONGEST));
    this.player.start(() => {
      row = Math.min(row + stride, end);
      this.desk.go(history.at("step", row));
      if (row < end) return;
      this.stop();
      if (!this.desk.recorded) this.desk.follow();
    }, this.desk.flat ? GLIDING : FRAME);
    this.desk.go(history.at("step", row));
  }

  stop() {
    this.player.stop();
  }

  close() {
    this.ending.abort();
    this.stop();
  }

  // Shows the step of a wall that this page follows.
  /** @param {number} step */ #show(step) {
    const { desk } = this;
    if (!desk.frame) return;
    this.stop();
    if (step !== LIVE) desk.go(desk.history.at("step", desk.history.row(step)));
    else if (!desk.recorded) desk.follow();
  }

  #place() {
    const { history, frame, following } = this.desk;
    const row = history.row(frame.header.step);
    return following || row >= history.count - 1 ? 0 : row;
  }
}
