const DIM = "opacity(0.18)";

/** Pointing at a bin dims the points that it does not count. The figure says which those are in `layout.meta.light`:
 * hovering point k of a trace in `by` keeps, in each trace of `points`, the marks with low <= k <= high. */
export class BinHighlight {
  /** @param {ChartNode} node */ constructor(node) {
    this.node = node;
    node.on("plotly_hover", ({ points }) => this.#dim(points));
    node.on("plotly_unhover", () => this.out());
  }

  /** All points as they were. */
  out() {
    for (const mark of this.dimmed ?? []) mark.style.removeProperty("filter");
    /** @type {SVGElement[]} */ this.dimmed = [];
  }

  /** @param {HoveredPoint[]} hovered */ #dim(hovered) {
    const light = this.node.layout.meta?.light;
    const bin = light && hovered.find(({ curveNumber }) => light.by.includes(curveNumber))?.pointNumber;
    this.out();
    if (bin === undefined) return;
    for (const { trace, low, high } of light.points) {
      this.#marks(trace).forEach((mark, k) => {
        if (low[k] <= bin && bin <= high[k]) return;
        // Plotly overwrites a mark's opacity, but not a filter.
        mark.style.setProperty("filter", DIM);
        this.dimmed.push(mark);
      });
    }
  }

  // Plotly binds its data to each drawn trace, among them the trace's index in the figure.
  /** @param {number} trace @returns {SVGElement[]} */ #marks(trace) {
    const drawn = /** @type {(Element & {__data__?: DrawnPoint[]})[]} */ ([
      ...this.node.querySelectorAll(".scatterlayer .trace"),
    ]);
    const one = drawn.find(({ __data__: bound }) => bound?.[0]?.trace?.index === trace);
    return one ? [.../** @type {NodeListOf<SVGElement>} */ (one.querySelectorAll(".point"))] : [];
  }
}
