// The progress of a run: its status in words, its bar, and its speed.

import { element } from "../draw/panel.js";

const WINDOW = 4000; // ms over which the speed is taken
const SHORTEST = 500; // ms of that, before which there is none

/** @type {Record<string, string>} */
export const STATUS = {
  running: "running",
  paused: "paused",
  asleep: "asleep: no one watched",
  done: "finished",
  incomplete: "finished, with runs missing",
  stopped: "stopped",
  failed: "failed",
  recorded: "recorded run",
  unknown: "this run is gone",
  unreachable: "reconnecting another way",
  misunderstood: "out of date: reload the page",
};

/** A bar that shows how much is done. */
export class Progress {
  /** @type {{now: number, done: number}[]} */ #speeds = [];

  /** @param {string} label */ constructor(label) {
    this.bar = element("div", { class: "dml-done" });
    const attributes = { role: "progressbar", "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 100 };
    this.root = element("div", { class: "dml-progress", ...attributes }, this.bar);
  }

  /** Shows a share from 0 to 1. @param {number} share */
  show(share) {
    this.bar.style.width = `${100 * share}%`;
    this.root.setAttribute("aria-valuenow", String(Math.round(100 * share)));
  }

  /** Starts again for another run. */
  reset() {
    this.#speeds = [];
  }

  // Steps a second of a run that has `done` so many; 0 while it does not run, or while the speed is not known.
  /** @param {number} done @param {string} status */ speed(done, status) {
    const now = performance.now();
    if (status !== "running") this.reset();
    else if (done !== this.#speeds.at(-1)?.done) this.#speeds.push({ now, done });
    while (this.#speeds.length > 2 && now - this.#speeds[0].now > WINDOW) this.#speeds.shift();
    const [first, last] = [this.#speeds[0], this.#speeds.at(-1)];
    return last && last.now - first.now > SHORTEST ? (1000 * (last.done - first.done)) / (last.now - first.now) : 0;
  }
}
