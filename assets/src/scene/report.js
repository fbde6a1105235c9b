import { Pace } from "./pace.js";
import { write } from "./scene.js";

const AGAIN = 30; // ms until it is looked again whether the page has answered
const LONGEST = 1500; // ms that a report waits for the page at most

/** Tells Python what the hand holds: now and then while it moves, and at once when it has let go. */
export class Report {
  #timer = null;
  #pace = new Pace();
  #wait = 0; // ms from the last report to the next
  #watching = false;
  #last = -Infinity;
  #known = "";
  #serial = null; // of the last report; Python says which it has heard

  /** `view()` is the side from which a sphere is seen, as the link holds it; `sent()` is called after each report. */
  constructor(state, view, sent) {
    this.state = state;
    this.view = view;
    this.sent = sent;
  }

  /** Takes the newest component; `anew` where Python's word counts. */
  take(component, anew) {
    this.component = component;
    this.#serial ??= component.data.heard;
    if (!anew) return;
    this.stop();
    this.revision = component.data.revision;
    this.#known = this.#words();
  }

  /** Tells what is held, soon. */
  soon() {
    this.#watch();
    this.#timer ??= setTimeout(() => this.#whenFree(), Math.max(0, this.#last + this.#wait - performance.now()));
  }

  /** Tells what is held for good, if Python does not know it. */
  now() {
    this.stop();
    if (this.#words() !== this.#known) this.#send(false);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#watching = false;
  }

  // Frames tell what the answers cost; they are watched from the first report of a moving hand until it lets go.
  #watch() {
    if (this.#watching) return;
    this.#watching = true;
    const frame = (now) => {
      if (!this.#watching) return this.#pace.rest();
      this.#pace.frame(now);
      return requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // A report breaks off what the page is about to draw: while it is busy, reports would leave it no time to finish.
  #whenFree() {
    const waited = performance.now() - this.#last;
    if (busy() && waited < LONGEST) this.#timer = setTimeout(() => this.#whenFree(), AGAIN);
    else {
      this.#timer = null;
      this.#send(true);
    }
  }

  #send(moving) {
    const { scene, base, picked } = this.state;
    this.#last = performance.now();
    this.#wait = this.#pace.next();
    this.#serial += 1;
    // What is told while the hand moves is told again when it lets go.
    this.#known = moving ? "" : this.#words();
    const report = { scene: write(scene), base, picked, view: this.view(), revision: this.revision, moving };
    this.component.setStateValue("told", { ...report, serial: this.#serial });
    this.sent(this.#serial);
  }

  #words() {
    const { scene, base, picked } = this.state;
    return [write(scene), base, picked, this.view()].join(" ");
  }
}

function busy() {
  return document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
}
