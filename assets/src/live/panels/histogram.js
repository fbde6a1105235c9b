import { axis, fromZero, layout, read } from "../../kit/layout.js";
import { ChartPanel } from "./chart_panel.js";
import { groupName } from "../../kit/group.js";
import { stroke } from "../../kit/marker.js";
import { key } from "../../kit/panel.js";
import { mix } from "../../kit/theme.js";
import { score } from "../../kit/words.js";

const FURTHEST = 2; // the largest distance between unit vectors

/** How far apart images of one class are, and images of two. */
export class Histogram extends ChartPanel {
  constructor(desk) {
    super(desk, "histogram", "Distances");
  }

  keys() {
    const { positive, negative } = this.desk.look;
    return [key(stroke(positive, "", 2.5), "same class"), key(stroke(negative, "5 3", 2.5), "different classes")];
  }

  draw() {
    const { frame, group, subject } = this.desk;
    const bars = ["pos", "neg"].map((sign) => frame.arrays[`0.hist.${sign}.${group.name}`]);
    if (!bars[0] || !bars[1]) return;
    const highest = Math.max(...bars[0], ...bars[1]);
    this.chart.range("yaxis", fromZero(this.chart.rangeOf("yaxis"), Math.min(highest, 12)));
    this.chart.move([[0, outline(bars[1])], [1, outline(bars[0])]]);
    this.panel.describe(() => {
      const [near, far] = bars.map(mean).map(score);
      const overlap = Math.round(100 * shared(bars));
      return (
        `Distances at step ${frame.header.step} among ${groupName(subject, group.name)}: between images of one class ` +
        `${near} on average, between images of different classes ${far}; they share ${overlap} % of their area.`
      );
    });
  }

  build() {
    const { look } = this.desk;
    const area = (name, colour, dash) => {
      const filled = { fill: "tozeroy", fillcolor: mix(colour, look.paper, 0.28), opacity: 0.9 };
      return read(name, { color: colour, width: 1.6, shape: "hv", dash }, ".2f", filled);
    };
    return {
      traces: [area("different classes", look.negative, "dash"), area("same class", look.positive, "solid")],
      layout: layout(look, {
        xaxis: axis(look, { title: "distance", range: [0, FURTHEST], tickvals: [0, 0.5, 1, 1.5, 2] }),
        yaxis: axis(look, { title: "density", range: [0, 2], nticks: 4 }),
        hovermode: "x unified",
        margin: { l: 50, r: 8, t: 6, b: 38 },
      }),
    };
  }
}

function outline(bars) {
  const width = FURTHEST / bars.length;
  return {
    x: Float32Array.from({ length: bars.length + 1 }, (_, k) => k * width),
    y: Float32Array.from({ length: bars.length + 1 }, (_, k) => bars[Math.min(k, bars.length - 1)]),
  };
}

function mean(bars) {
  const mass = bars.reduce((sum, height) => sum + height, 0);
  return bars.reduce((sum, height, k) => sum + (height * (k + 0.5) * FURTHEST) / bars.length, 0) / mass;
}

/** @param {any[]} bars */
function shared([first, second]) {
  return first.reduce((sum, height, k) => sum + (Math.min(height, second[k]) * FURTHEST) / first.length, 0);
}
