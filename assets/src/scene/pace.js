const SMOOTH = 20; // ms: a frame that takes longer was held up
const SHARE = 0.1; // of the time that answers may take from frames
const SHORTEST = 150; // ms between two reports
const LONGEST = 1500;

/** How long to wait between reports of a hand that moves, so that drawing the answers leaves the picture smooth. */
export class Pace {
  #lost = 0;
  #last = null;

  /** Notes that a frame was drawn, while the hand moves. */
  frame(now) {
    if (this.#last !== null) this.#lost += Math.max(0, now - this.#last - SMOOTH);
    this.#last = now;
  }

  /** Forgets when the last frame was: the hand has stopped, and so have the frames. */
  rest() {
    this.#last = null;
  }

  /** The wait (ms) after a report, given what the frames lost since the report before. */
  next() {
    const wait = Math.max(SHORTEST, Math.min(LONGEST, this.#lost / SHARE));
    this.#lost = 0;
    return wait;
  }
}
