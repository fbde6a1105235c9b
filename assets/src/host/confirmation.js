import { connected, scriptRunning } from "./page.js";

const [WAIT, REPEATS] = [600, 5]; // ms until Python, at rest, has what was sent last, and how often that is sent again

/** Sends again what a page lost because it ran, once it rests and until Python has it. */
export class Confirmation {
  /** @type {number | undefined} */ #timer;

  /** `known()` tells whether Python has what was sent last; `again()` sends it.
   * @param {() => boolean} known @param {() => void} again */
  constructor(known, again) {
    this.known = known;
    this.again = again;
  }

  /** Looks soon whether Python has what was sent just now. */
  expect(repeats = REPEATS) {
    this.close();
    this.#timer = setTimeout(() => {
      if (this.known() || !repeats) return;
      if (scriptRunning() || !connected()) return this.expect(repeats);
      this.again();
      this.expect(repeats - 1);
    }, WAIT);
  }

  /** Expects nothing more. */
  close() {
    clearTimeout(this.#timer);
  }
}
