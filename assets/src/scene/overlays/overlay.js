import { Pen } from "../../draw/svg.js";

/** The drawing of a page on the edited scene: tools, and two pens, below and above the points. @template Seen */
export class SceneOverlay {
  /** `tools` is the stage of the picture. @param {SceneTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.below = new Pen(tools.layers.below);
    this.above = new Pen(tools.layers.above);
  }

  /** Draws a frame of what the editor shows; nothing for null. @param {Seen | null} shown */
  draw(shown) {
    if (shown) this.paint(shown);
    this.below.done();
    this.above.done();
  }

  /** Draws the pairs of a query at `z` with points or proxies at `to`, as wide as its `weights` share of all queries' is of the
   * largest; `dash(same, weight)` is that of a pair that is of the `same(j)` class or not.
   * @param {OverlayScene} scene @param {number} query @param {Float64Array} to @param {Float64Array} weights
   * @param {(point: number) => boolean} same @param {(same: boolean, weight: number) => string} dash */
  edges({ z, n }, query, to, weights, same, dash) {
    const many = weights.length / n;
    const own = weights.subarray(query * many, (query + 1) * many);
    const most = own.reduce((a, w) => Math.max(a, Math.abs(w)), 0);
    own.forEach((weight, j) => {
      if (!weight) return;
      const style = { positive: same(j), share: Math.abs(weight) / most, dash: dash(same(j), weight) };
      this.tools.edge(this.below, this.tools.row(z, query), this.tools.row(to, j), style);
    });
  }

  /** Ends what it listens to. */
  close() {}

  /** Draws with both pens. @param {Seen} _shown */
  paint(_shown) {}
}
