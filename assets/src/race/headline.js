import { element, say } from "../kit/panel.js";
import { count } from "../kit/words.js";

const WINDOW = 4000; // ms over which the speed is taken
const STATUS = {
  running: "racing",
  paused: "paused",
  asleep: "asleep: no one watched",
  done: "finished",
  failed: "failed",
  recorded: "recorded race",
  unknown: "this race is gone",
  forbidden: "not allowed here",
  unreachable: "reconnecting another way",
  misunderstood: "out of date: reload the page",
};

/** One line above the race: how far all are, how many runs, how fast, and what holds them up. */
export class RaceHeadline {
  #speeds = [];

  constructor(desk) {
    this.desk = desk;
    this.status = element("b", { class: "dml-race-status" });
    this.text = element("span");
    this.bar = element("div", { class: "dml-done" });
    const progress = { class: "dml-progress", role: "progressbar", "aria-label": "steps of all racers" };
    this.progress = element("div", progress, this.bar);
    this.root = element("div", { class: "dml-race-headline" }, this.status, this.text, this.progress);
  }

  open() {
    this.#speeds = [];
  }

  draw() {
    const { now, subject, status, history } = this.desk;
    const { members: racers, seeds } = subject.header;
    const { budget, members, reason } = now;
    const runs = racers.length * seeds;
    const done = members.reduce((sum, { step }, k) => sum + seeds * (step - (racers[k].branch?.[0] ?? 0)), 0);
    const all = racers.reduce((sum, { branch }) => sum + seeds * (budget - (branch?.[0] ?? 0)), 0);
    const speed = this.#pace(done, status);
    say(this.status, STATUS[status] ?? status);
    this.root.dataset.status = status;
    const parts = [
      `${racers.length} racers × ${seeds} ${seeds === 1 ? "seed" : "seeds"} = ${runs} runs`,
      `all at step ${count(Math.max(history.latest, 0))} of ${count(budget)}`,
      speed && `${count(speed)} steps a second in all, ${seconds((all - done) / speed)} to go`,
      status !== "recorded" && reason,
    ];
    say(this.text, parts.filter(Boolean).join(" · "));
    const share = status === "recorded" ? 1 : Math.min(1, Math.max(0, done / all));
    this.bar.style.width = `${100 * share}%`;
    this.progress.setAttribute("aria-valuenow", Math.round(100 * share));
  }

  close() {}

  #pace(done, status) {
    const now = performance.now();
    if (status !== "running") this.#speeds = [];
    else if (done !== this.#speeds.at(-1)?.done) this.#speeds.push({ now, done });
    while (this.#speeds.length > 2 && now - this.#speeds[0].now > WINDOW) this.#speeds.shift();
    const [first, last] = [this.#speeds[0], this.#speeds.at(-1)];
    return last && last.now - first.now > 500 ? (1000 * (last.done - first.done)) / (last.now - first.now) : 0;
  }
}

function seconds(time) {
  return time < 90 ? `${Math.ceil(time)} s` : `${Math.ceil(time / 60)} min`;
}
