const GLIDE = 350; // ms in which points of a neighbour map or a plane go from one frame's places to the next one's
// Milliseconds between two drawings of that while a run trains, which may need the cores of this machine, too: with two of them,
// each drawing takes something from it.
const TRAINING = (navigator.hardwareConcurrency ?? 2) > 2 ? 40 : GLIDE / 2;

/** @typedef {{x: ArrayLike<number>, y: ArrayLike<number>}} XY */

/** Points on their way from the places drawn last to those of the frame shown; there at once where motion is unwelcome. */
export class Glide {
  /** @type {object | null} */ #group = null;
  #began = 0;
  /** @type {XY | null} */ #goal = null;
  /** @type {XY | null} */ #from = null;
  /** @type {XY | null} */ #at = null;
  #next = 0; // the timer of the next drawing while a run trains; whatever draws before begins it again

  /** Where points are drawn now that belong at `goal`; `redraw` is called while they are on their way.
   * @template {XY} P @param {P} goal @param {{points: number[]}} group
   * @param {{still: boolean, status: string, redraw: (what: string) => void}} desk @returns {P} */
  towards(goal, group, desk) {
    clearTimeout(this.#next);
    const now = performance.now();
    const [before, at] = [this.#goal, this.#at];
    const { points } = group;
    // A loop outside the app may show other points with each frame.
    const isOther = this.#group !== group || at?.x.length !== goal.x.length;
    if (!before || isOther || points.some((i) => goal.x[i] !== before.x[i])) {
      const unmoved = isOther || matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.#from = unmoved || !at || isNaN(at.x[points[0]]) ? null : at;
      [this.#group, this.#goal, this.#began] = [group, goal, now];
    }
    if (desk.still) this.#from = null;
    const [from, to] = [this.#from, /** @type {P} */ (this.#goal)];
    const share = from ? Math.min(1, (now - this.#began) / GLIDE) : 1;
    if (!from || share >= 1) return this.#at = to;
    const redraw = () => desk.redraw("turn");
    if (desk.status === "running") this.#next = setTimeout(redraw, TRAINING);
    else requestAnimationFrame(redraw);
    const eased = share * share * (3 - 2 * share);
    /** @param {ArrayLike<number>} begins @param {ArrayLike<number>} ends */
    const between = (begins, ends) => Float32Array.from(ends, (end, i) => begins[i] + eased * (end - begins[i]));
    return /** @type {P} */ (this.#at = { ...to, x: between(from.x, to.x), y: between(from.y, to.y) });
  }
}
