import { FlowChart } from "./flow_chart.js";
import { lines } from "./panel.js";
import { along, seen, STRAIGHT } from "./view.js";
import { Pen } from "../kit/pen.js";
import { drawPoints, drawProxies, inPixels } from "../kit/points.js";
import { element, say } from "../kit/panel.js";
import { score, short } from "../kit/words.js";
import { renew, svgNode } from "../kit/svg.js";

const FEW = 40; // points up to which whole ways are drawn
const TAIL = 6; // steps of a way, where there are more
const ENDS = { arrived: "arrived at", stuck: "stuck at", rests: "at rest from" };

/** One loss's flow: its points with the ways that they came, and three curves over the steps. */
export class FlowPanel {
  constructor() {
    this.svg = svgNode("svg", { role: "img" });
    this.rim = this.svg.appendChild(svgNode("circle", { fill: "none" }));
    this.pen = new Pen(this.svg.appendChild(svgNode("g", { "stroke-linecap": "round", "stroke-linejoin": "round" })));
    this.curves = new FlowChart();
    this.chart = this.curves.svg;
    this.title = element("div", { class: "dml-gradients-title" });
    this.numbers = element("div", { class: "dml-gradients-numbers" });
    this.more = element("div", { class: "dml-gradients-numbers" });
    const parts = [this.title, this.svg, this.chart, this.numbers, this.more];
    this.root = element("figure", { class: "dml-gradients-panel" }, ...parts);
  }

  draw(content, _factor, frame) {
    this.content = content;
    const { size, unit, look } = frame;
    const middle = size / 2;
    renew(this.svg, { width: size, height: size });
    renew(this.rim, { cx: middle, cy: middle, r: unit, stroke: look.quiet });
    const faint = { stroke: look.faint, "stroke-width": 0.8 };
    if (frame.graticule) this.pen.path(lines(frame.graticule.front, middle, unit), faint);
    this.#ways(content, frame, middle, unit);
    const { z, n, dim, y, flow, owners, step } = content;
    const at = inPixels(seen(z, n, dim, frame.basis), middle, unit);
    drawPoints(this.pen, y, at, n <= FEW ? 4.4 : 2.6, look);
    if (frame.lit !== null) {
      this.pen.dot({ x: at.x[frame.lit], y: at.y[frame.lit] }, 8, { stroke: look.query, "stroke-width": 2 });
    }
    const many = owners.length;
    const stars = flow.stars.subarray(step * many * dim, (step + 1) * many * dim);
    if (many) drawProxies(this.pen, owners, inPixels(seen(stars, many, dim, frame.basis), middle, unit), look);
    this.pen.done();
    this.curves.draw(content, size, look);
    this.#words(content);
  }

  #ways({ flow, n, dim, step, y }, { basis, look, lit, round }, middle, unit) {
    const first = n <= FEW ? 0 : Math.max(0, step - TAIL);
    const paths = new Map();
    const at = [];
    const size = n * dim;
    for (let t = first; t <= step; t += 1) at.push(seen(flow.points.subarray(t * size, (t + 1) * size), n, dim, basis));
    for (let i = 0; i < n; i += 1) {
      for (let t = 1; t < at.length; t += 1) {
        const [a, b] = [at[t - 1], at[t]];
        const key = i === lit ? "lit" : 2 * y[i] + b.front[i];
        const px = (x, v) => `${(middle + unit * x).toFixed(1)} ${(middle - unit * v).toFixed(1)}`;
        let to = `L${px(b.x[i], b.y[i])}`;
        // A step goes along the sphere, however long it is.
        if (round && Math.hypot(b.x[i] - a.x[i], b.y[i] - a.y[i]) > STRAIGHT) {
          const [left, reached] = [first + t - 1, first + t].map((k) => row(flow.points, k * n + i, dim));
          const way = along(left, reached);
          const on = seen(way.flat(), way.length, dim, basis);
          to = way.map((_, k) => `L${px(on.x[k], on.y[k])}`).join("");
        }
        paths.set(key, `${paths.get(key) ?? ""}M${px(a.x[i], a.y[i])}${to}`);
      }
    }
    for (const [key, d] of paths) {
      const stroke = key === "lit" ? look.query : look.ofClass(Math.floor(key / 2)).colour;
      const opacity = key === "lit" ? 1 : key % 2 ? 0.6 : 0.2;
      this.pen.path(d, { stroke, "stroke-width": key === "lit" ? 3 : n <= FEW ? 2 : 1, opacity });
    }
  }

  #words(content) {
    const { step, stalled, end, toAndFro, rises, steps } = content;
    const at = (name) => score(content.curve(name)[step]);
    const numbers = `L ${short(content.curve("value")[step])} · mAP ${at("map")} · ${at("within")} / ${at("between")}`;
    const moves = toAndFro ? "goes to and fro" : "still moves";
    const ends = stalled === null ? moves : stalled ? `${ENDS[end]} ${stalled}` : "never moves";
    const more = rises ? `${ends} · value rose ${rises} of ${steps}×` : ends;
    this.texts = [numbers, more];
    say(this.title, content.title);
    say(this.numbers, numbers);
    say(this.more, more);
    this.more.title = content.why;
    this.svg.setAttribute("aria-label", `${content.title}, step ${step}: ${numbers}; ${more}`);
  }
}

function row(rows, i, dim) {
  return Array.from(rows.subarray(i * dim, (i + 1) * dim));
}
