import { button, say } from "../draw/panel.js";
import { asleep } from "../host/sleep.js";

/** A button that plays and pauses; what plays waits while the page sleeps. */
export class Player {
  /** @type {number | undefined} */ #timer;

  /** `label` says what is played, `attributes` are the button's; `start()` and `stop()` are called by a click on it.
   * @param {string} label @param {Attributes} attributes @param {() => void} start @param {() => void} stop */
  constructor(label, attributes, start, stop) {
    this.label = label;
    this.root = button(() => (this.plays ? stop() : start()), attributes);
    this.stop();
  }

  get plays() {
    return this.#timer !== undefined;
  }

  /** Calls `step()` every `pace` ms from now on. @param {() => void} step @param {number} pace */
  start(step, pace) {
    this.stop();
    this.#timer = setInterval(() => asleep() || step(), pace);
    this.#face("❚❚", "Pause the playback");
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#face("▶", this.label);
  }

  /** @param {string} sign @param {string} label */ #face(sign, label) {
    say(this.root, sign);
    this.root.ariaLabel = this.root.title = label;
  }
}
