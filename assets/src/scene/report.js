import { Confirmation } from "../host/confirmation.js";
import { scriptRunning } from "../host/page.js";
import { write } from "./scene.js";

const AGAIN = 30; // ms until it is looked again whether the page has answered
const [SHORTEST, LONGEST] = [150, 1500]; // ms between two reports; the second also that one waits for the page at most
const SMOOTH = 20; // ms: a frame that takes longer is late
const SHARE = 0.1; // of the time that answers may take from frames

/** Reports the scene to Python: now and then during a drag, and at once when it ends. The last report is sent until Python's data
 * has its number. */
export class Report {
  /** @type {number | null} */ #timer = null;
  #lost = 0; // ms by which frames were late since the last report
  #wait = 0; // ms from the last report to the next, so that drawing the answers leaves the picture smooth
  #watching = false;
  #last = -Infinity;
  #known = "";
  /** @type {number | null} */ #serial = null; // of the last report; Python's data has the number of the last one it has

  /** `view()` is the side from which a sphere is seen, as the link holds it; `sent()` is called after each report.
   * @param {SceneState} state @param {() => string} view @param {(serial: number) => void} sent */
  constructor(state, view, sent) {
    this.state = state;
    this.view = view;
    this.sent = sent;
    const known = () => this.component.data.serial === this.#serial || this.#watching;
    this.confirmation = new Confirmation(known, () => this.#send(false));
  }

  // Takes the newest component; `anew` where Python's scene replaces this one.
  /** @param {Given<SceneData>} component @param {boolean} anew */ take(component, anew) {
    this.component = component;
    this.#serial ??= component.data.serial;
    if (!anew) return;
    this.stop();
    this.confirmation.close(); // what was reported last is replaced
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
    if (this.#words() === this.#known) return;
    this.#send(false);
    this.confirmation.expect();
  }

  close() {
    this.stop();
    this.confirmation.close();
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
    /** @param {number} now */ const frame = (now) => {
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

  /** @param {boolean} moving */ #send(moving) {
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
