import { fromZero, line, read, together } from "../../plot/layout.js";
import { ChartPanel } from "./chart_panel.js";
import { groupName } from "../../runs/group.js";
import { element, key, say } from "../../draw/panel.js";
import { stroke } from "../../draw/marker.js";

const USED = "The exponential of the entropy of these shares: 1 where all points lie on a line, the dimension where all " +
  "directions have the same share.";

/** How much of the spread of the points each direction of the embedding has, and how many directions are in use. */
export class Spectrum extends ChartPanel {
  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "spectrum", "Directions in use");
    this.used = element("b");
  }

  keys() {
    const { ink, exact } = this.desk.look;
    const used = key(stroke(ink), "share of variance; in use ", this.used);
    return [Object.assign(used, { title: USED }), key(stroke(exact, "5 3"), "all alike")];
  }

  draw() {
    const { frame, group, subject, history, dim } = this.desk;
    const shares = frame.arrays[`0.spectrum.${group.name}`];
    this.panel.root.hidden = !shares; // of recordings made before it was measured
    if (!shares) return;
    const used = history.at(`used.${group.name}`, history.row(frame.header.step));
    const words = Number.isFinite(used) ? `${used.toFixed(1)} of ${dim}` : "none";
    say(this.used, words);
    this.chart.range("yaxis", fromZero(this.chart.rangeOf("yaxis"), Number.isFinite(used) ? shares[0] : 1));
    this.chart.range("xaxis", [0.5, shares.length + 0.5]);
    const x = Float32Array.from(shares, (_, k) => k + 1);
    const alike = { x: [0.5, shares.length + 0.5], y: [1 / dim, 1 / dim] };
    this.chart.move([[0, { x, y: shares }], [1, alike]]);
    this.panel.describe(() =>
      `Share of the variance in each principal direction at step ${frame.header.step} among ` +
      `${groupName(subject, group.name)}, the widest first: ${Math.round(100 * shares[0])} % in the first. ` +
      `Directions in use: ${words}.`
    );
  }

  build() {
    const { look } = this.desk;
    return {
      traces: [
        read("share", { color: look.ink, width: 2 }, ".1%", { mode: "lines+markers", marker: { size: 4 } }),
        line({ name: "all alike", line: { color: look.exact, width: 1, dash: "dash" } }),
      ],
      layout: together(
        look,
        { title: "direction, the widest first", range: [0.5, 8.5], tickformat: "d" },
        { title: "share of variance", range: [0, 1], nticks: 4, tickformat: ".0%" },
      ),
    };
  }
}
