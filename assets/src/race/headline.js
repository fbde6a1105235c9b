import { element, say } from "../draw/panel.js";
import { Progress, STATUS } from "../runs/progress.js";
import { count } from "../draw/words.js";

/** @type {Record<string, string>} */ const WORDS = {
  ...STATUS,
  running: "racing",
  recorded: "recorded race",
  unknown: "this race is gone",
};

/** One line above the race: the steps of all, how many runs, how fast, and what delays them. */
export class RaceHeadline {
  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.status = element("b", { class: "dml-race-status" });
    this.text = element("span");
    this.progress = new Progress("steps of all racers");
    this.root = element("div", { class: "dml-race-headline" }, this.status, this.text, this.progress.root);
  }

  open() {
    this.progress.reset();
  }

  draw() {
    const { now, subject, status, history } = this.desk;
    const { members: racers, seeds } = subject.header;
    const { budget, members, reason } = now;
    const runs = racers.length * seeds;
    const done = members.reduce((sum, { step }, k) => sum + seeds * (step - (racers[k].branch?.[0] ?? 0)), 0);
    const all = racers.reduce((sum, { branch }) => sum + seeds * (budget - (branch?.[0] ?? 0)), 0);
    const speed = this.progress.speed(done, status);
    const left = (all - done) / speed; // seconds
    say(this.status, WORDS[status] ?? status);
    this.root.dataset.status = status;
    const at = count(Math.max(history.latest, 0));
    const parts = !budget ? [`${racers.length} training loops`, `at step ${at}`, reason] : [
      `${racers.length} racers × ${seeds} ${seeds === 1 ? "seed" : "seeds"} = ${runs} runs`,
      status !== "recorded" && `all at step ${at} of ${count(budget)}`,
      speed &&
      `${count(speed)} steps a second in all, ${left < 90 ? `${Math.ceil(left)} s` : `${Math.ceil(left / 60)} min`} to go`,
      status !== "recorded" && reason,
    ];
    say(this.text, parts.filter(Boolean).join(" · "));
    this.progress.root.hidden = !budget || status === "recorded";
    this.progress.show(Math.min(1, Math.max(0, done / all)));
  }
}
