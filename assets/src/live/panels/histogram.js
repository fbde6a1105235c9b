import { fromZero, line, NOWHERE, read, together } from "../../plot/layout.js";
import { ChartPanel } from "./chart_panel.js";
import { groupName } from "../../runs/group.js";
import { stroke } from "../../draw/marker.js";
import { element, key, say } from "../../draw/panel.js";
import { mix } from "../../draw/look.js";
import { isNumber, score } from "../../draw/words.js";

const TALLEST = 40; // above any density
const FURTHEST = 2; // the largest distance between unit vectors
const ORDER = "Within classes: Spearman's correlation of distances between embeddings with those between raw pixels. " +
  "1 keeps their order, 0 keeps none of it. The mean over classes, measured every tenth frame.";
const BOUNDS = "Where the loss stops: same classes nearer than the first line and different classes beyond the second " +
  "have no gradient.";

/** How far apart images of one class are, and images of two. */
export class Histogram extends ChartPanel {
  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "histogram", "Distances");
    this.order = element("b");
  }

  keys() {
    const { positive, negative, ink } = this.desk.look;
    const classes = [["same class", positive, ""], ["different classes", negative, "5 3"]];
    this.orderKey = Object.assign(key("order kept ", this.order), { title: ORDER });
    this.bounded = Object.assign(key(stroke(ink, "2 3", 1.5), "where the loss stops"), { title: BOUNDS });
    return [...classes.map(([name, colour, dash]) => key(stroke(colour, dash, 2.5), name)), this.bounded, this.orderKey];
  }

  draw() {
    const { frame, group, subject, history } = this.desk;
    const arrays = ["pos", "neg"].map((sign) => frame.arrays[`0.hist.${sign}.${group.name}`]);
    if (!arrays[0] || !arrays[1]) return;
    const bars = arrays.map((array) => Array.from(array));
    const highest = Math.max(...bars[0], ...bars[1]);
    this.chart.range("yaxis", fromZero(this.chart.rangeOf("yaxis"), Math.min(highest, 12)));
    const row = history.row(frame.header.step);
    const bounds = ["bound.positive", "bound.negative"].map((name) => history.at(name, row)).filter(isNumber);
    const upright = bounds.length
      ? { x: bounds.flatMap((at) => [at, at, NaN]), y: bounds.flatMap(() => [0, TALLEST, NaN]) }
      : NOWHERE;
    const order = history.column(`order.${group.name}`).subarray(0, row + 1).findLast(isNumber) ?? NaN; // the last measured
    this.bounded.hidden = !bounds.length;
    this.orderKey.hidden = !isNumber(order);
    say(this.order, score(order));
    this.chart.move([[0, outline(bars[1])], [1, outline(bars[0])], [2, upright]]);
    this.panel.describe(() => {
      const [near, far] = bars.map(mean).map(score);
      const overlap = Math.round(100 * shared(bars));
      return (
        `Distances at step ${frame.header.step} among ${groupName(subject, group.name)}: between points of one class ` +
        `${near} on average, between points of different classes ${far}; they share ${overlap} % of their area.` +
        (bounds.length ? ` The loss stops at ${bounds.map(score).join(" and ")}.` : "") +
        (isNumber(order) ? ` Order kept within classes: ${score(order)}.` : "")
      );
    });
  }

  build() {
    const { look } = this.desk;
    /** @param {string} name @param {string} colour @param {string} dash */ const area = (name, colour, dash) => {
      const filled = { fill: "tozeroy", fillcolor: mix(colour, look.paper, 0.28), opacity: 0.9 };
      return read(name, { color: colour, width: 1.6, shape: "hv", dash }, ".2f", filled);
    };
    const bound = line({ name: "where the loss stops", line: { color: look.ink, width: 1.5, dash: "dot" } });
    return {
      traces: [area("different classes", look.negative, "dash"), area("same class", look.positive, "solid"), bound],
      layout: together(
        look,
        { title: "distance", range: [0, FURTHEST], tickvals: [0, 0.5, 1, 1.5, 2] },
        { title: "density", range: [0, 2], nticks: 4 },
      ),
    };
  }
}

/** @param {Numbers} bars */ function outline(bars) {
  const width = FURTHEST / bars.length;
  return {
    x: Float32Array.from({ length: bars.length + 1 }, (_, k) => k * width),
    y: Float32Array.from({ length: bars.length + 1 }, (_, k) => bars[Math.min(k, bars.length - 1)]),
  };
}

/** @param {number[]} bars */ function mean(bars) {
  const mass = bars.reduce((sum, height) => sum + height, 0);
  return bars.reduce((sum, height, k) => sum + (height * (k + 0.5) * FURTHEST) / bars.length, 0) / mass;
}

/** @param {number[][]} bars */ function shared([first, second]) {
  return first.reduce((sum, height, k) => sum + (Math.min(height, second[k]) * FURTHEST) / first.length, 0);
}
