const LATE = 200; // ms

/** Draws once before the next repaint, however often it is asked to. Where there is no repaint, as on a page that is hidden,
 * perhaps only since it was asked, it draws soon after; a drawing that fails does not stop later ones. */
export class Repaint {
  /** @type {Promise<void> | null} */ #drawn = null;
  /** @type {Set<string>} */ #wanted = new Set();

  /** `draw` is given the set of all that was asked for; `ended` the error of a drawing that failed, or null.
   * @param {(wanted: Set<string>) => void} draw @param {(error: Error | null) => void} ended */
  constructor(draw, ended = (_error) => {}) {
    this.draw = draw;
    this.ended = ended;
  }

  /** Whether a drawing is still to come. */
  get waiting() {
    return this.#drawn !== null;
  }

  /** Asks for a drawing of `what`; resolves when it is done. */
  request(what = "all") {
    this.#wanted.add(what);
    this.#drawn ??= new Promise((resolve) => {
      let late = setTimeout(() => draw(), LATE);
      const draw = () => {
        if (!late) return;
        clearTimeout(late);
        late = 0;
        const wanted = this.#wanted;
        [this.#drawn, this.#wanted] = [null, new Set()];
        try {
          this.draw(wanted);
          this.ended(null);
        } catch (error) {
          console.error(error);
          this.ended(error);
        }
        resolve();
      };
      if (!globalThis.document?.hidden) requestAnimationFrame(draw);
    });
    return this.#drawn;
  }
}
