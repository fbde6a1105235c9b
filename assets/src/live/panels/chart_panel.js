import { Chart } from "../../plot/chart.js";
import { Panel } from "../../draw/panel.js";

/** A panel of a live picture that is one chart. */
export class ChartPanel {
  /** @type {Chart | null} */ chart = null;

  /** @param {RunDesk} desk @param {string} name @param {string} title */
  constructor(desk, name, title) {
    this.desk = desk;
    this.panel = new Panel(name, title);
  }

  /** Makes legend and chart anew: another theme, other classes, or a `fresh` subject. @param {boolean} fresh */
  open(fresh) {
    this.panel.legend.replaceChildren(...this.keys());
    if (this.chart) this.chart.rebuild(fresh);
    else this.chart = new Chart(this.desk.library, this.panel.picture, () => this.build());
  }

  close() {
    this.chart?.close();
  }

  /** The entries of the legend. @returns {Node[]} */
  keys() {
    return [];
  }

  /** Traces and layout of the chart, for the look of the moment. @returns {{traces: Trace[], layout: Layout}} */
  build() {
    return { traces: [], layout: {} };
  }
}
