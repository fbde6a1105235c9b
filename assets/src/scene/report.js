import { connected, scriptRunning } from "../host/page.js";
import { write } from "./scene.js";
/** @import { State } from "./state.js" */

const AGAIN = 30; // ms until it is looked again whether the page has answered
const [SHORTEST, LONGEST] = [150, 1500]; // ms between two reports; the second also that one waits for the page at most
const SMOOTH = 20; // ms: a frame that takes longer is late
const SHARE = 0.1; // of the time that answers may take from frames
const [CONFIRMED, REPEATS] = [600, 5]; // ms after which Python, at rest, has the last report, and how often that is sent again

/**
 * Reports the scene to Python: now and then during a drag, and at once when it ends. A report that arrives while the page runs
 * can be lost: the last one is sent again until Python's data has its number.
 */
export class Report {
  /** @type {number | null} */
  #timer = null;
  #lost = 0; // ms by which frames were late since the last report
  #wait = 0; // ms from the last report to the next, so that drawing the answers leaves the picture smooth
  #watching = false;
  /** @type {number | null} */
  #confirming = null; // timer
  #last = -Infinity;
  #known = "";
  /** @type {number | null} */
  #serial = null; // of the last report; Python's data has the number of the last one it has

  /**
   * `view()` is the side from which a sphere is seen, as the link holds it; `sent()` is called after each report.
   * @param {State} state @param {() => string} view @param {(serial: number) => void} sent
   */
  constructor(state, view, sent) {
    this.state = state;
    this.view = view;
    this.sent = sent;
  }

  // Takes the newest component; `anew` where Python's scene replaces this one.
  /** @param {Given<SceneData>} component @param {boolean} anew */
  take(component, anew) {
    this.component = component;
    this.#serial ??= component.data.serial;
    if (!anew) return;
    this.stop();
    clearTimeout(this.#confirming); // what was reported last is replaced
    this.revision = component.data.revision;
    this.#known = this.#words();
  }

  /** Reports the scene soon. */
  soon() {
    this.#watch();
    this.#timer ??= setTimeout(() => this.#whenFree(), Math.max(0, this.#last + this.#wait - performance.now()));
  }

  /** Reports the scene at the end of a change, if Python does not have it. */
  now() {
    this.stop();
    if (this.#words() !== this.#known) this.#finally(REPEATS);
  }

  close() {
    this.stop();
    clearTimeout(this.#confirming);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#watching = false;
  }

  // The time between frames shows what the answers cost; it is measured from the first report of a drag to its end.
  #watch() {
    if (this.#watching) return;
    this.#watching = true;
    let last = Infinity;
    /** @param {number} now */
    const frame = (now) => {
      if (!this.#watching) return;
      this.#lost += Math.max(0, now - last - SMOOTH);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  // A report breaks off the page's run: while the page is busy, reports would leave it no time to finish.
  #whenFree() {
    const waited = performance.now() - this.#last;
    if (scriptRunning() && waited < LONGEST) this.#timer = setTimeout(() => this.#whenFree(), AGAIN);
    else {
      this.#timer = null;
      this.#send(true);
    }
  }

  /** @param {number} repeats */
  #finally(repeats) {
    this.#send(false);
    this.#confirm(repeats);
  }

  /** @param {number} repeats */
  #confirm(repeats) {
    clearTimeout(this.#confirming);
    this.#confirming = setTimeout(() => {
      if (this.component.data.serial === this.#serial || this.#watching || !repeats) return;
      if (scriptRunning() || !connected()) this.#confirm(repeats);
      else this.#finally(repeats - 1);
    }, CONFIRMED);
  }

  /** @param {boolean} moving */
  #send(moving) {
    const { scene, base, picked } = this.state;
    this.#last = performance.now();
    this.#wait = Math.max(SHORTEST, Math.min(LONGEST, this.#lost / SHARE));
    this.#lost = 0;
    this.#serial += 1;
    // What is reported during a drag is reported again at its end.
    this.#known = moving ? "" : this.#words();
    const report = { scene: write(scene), base, picked, view: this.view(), revision: this.revision, moving };
    this.component.setStateValue("report", { ...report, serial: this.#serial });
    this.sent(this.#serial);
  }

  #words() {
    const { scene, base, picked } = this.state;
    return [write(scene), base, picked, this.view()].join(" ");
  }
}
