import { POINT } from "../host/bus.js";

/** Pointing at a point points at the same one in every figure on the page with the same link. Points are known by
 * their customdata, a whole number; bars and curves are not points. */
export class Links {
  /** @type {string | null} */ #name = null;
  #ending = new AbortController();

  /** @param {ChartNode} node @param {PlotlyLibrary} Plotly */ constructor(node, Plotly) {
    this.node = node;
    this.Plotly = Plotly;
    node.on("plotly_hover", ({ points }) => {
      this.#announce(points.map(({ data, customdata }) => identity(data, customdata)).find(Number.isInteger) ?? null);
    });
    node.on("plotly_unhover", () => this.#announce(null));
    POINT.listen(({ name, from, id }) => name === this.#name && from !== this && this.#show(id), this.#ending.signal);
  }

  /** Adds the figure to those linked by `name`; null takes it out. @param {string | null} name */
  join(name) {
    this.#name = name ?? null;
  }

  close() {
    this.#ending.abort();
  }

  /** @param {number | null} id */ #announce(id) {
    if (this.#name === null) return;
    POINT.send({ name: this.#name, from: this, id });
  }

  /** Without an event: otherwise the linked figures would answer each other for ever. @param {number | null} id */
  #show(id) {
    const { Fx } = this.Plotly;
    const same = id === null ? [] : this.#places(id);
    if (same.length) Fx.hover(this.node, same, [...new Set(same.map(({ subplot }) => subplot))], true);
    else Fx.unhover(this.node);
  }

  /** @param {number} id */ #places(id) {
    return this.node._fullData.flatMap((trace, curveNumber) => {
      const subplot = `${trace.xaxis ?? "x"}${trace.yaxis ?? "y"}`;
      const places = Array.from(trace.customdata ?? [], (_, pointNumber) => ({ curveNumber, pointNumber, subplot }));
      return places.filter(({ pointNumber }) => identity(trace, trace.customdata[pointNumber]) === id);
    });
  }
}

/** @param {Trace} trace @param {unknown} customdata @returns {number | null} */
function identity({ type, mode }, customdata) {
  const marks = (type ?? "scatter") === "scatter" && mode?.includes("markers");
  return marks && typeof customdata === "number" && Number.isInteger(customdata) ? customdata : null;
}
