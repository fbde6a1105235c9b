import { FlowChart, TALL } from "./flow_chart.js";
import { SmallPanel } from "./panel.js";
import { score, short } from "../draw/words.js";
import { length, minus, row } from "../draw/rows.js";
import { greatArc } from "../draw/sphere.js";

const FEW = 40; // points up to which whole paths are drawn
const TAIL = 6; // steps of a path, where there are more points
const STRAIGHT = 0.12; // radians of a path along the sphere that are drawn as a straight line
const OPPOSITE = 2 - 2e-6; // length of a chord, from which the shortest path along the sphere is not unique
/** @type {Record<string, string>} */ const ENDS = { arrived: "arrived at", stuck: "stuck at", rests: "at rest from" };

/** One loss's flow: its points with their paths, and three curves over the steps. */
export class FlowPanel extends SmallPanel {
  /** Height of the chart below a picture, in px. */
  static below = TALL;

  constructor() {
    super();
    this.curves = new FlowChart();
    this.chart = this.curves.svg;
    this.svg.after(this.chart);
  }

  /** @param {FlowContent} content @param {number} _factor @param {PanelFrame} frame */
  draw(content, _factor, frame) {
    const { size, look } = frame;
    const { disc } = this;
    this.begin(content, frame);
    this.#ways(content, frame);
    const { n, dim, y, flow, owners, step } = content;
    disc.points(y, null, { size: n <= FEW ? 4.4 : 2.6 });
    if (frame.lit !== null) this.pen.dot(disc.pixel(frame.lit), 8, { stroke: look.query, "stroke-width": 2 });
    const many = owners.length;
    const proxies = flow.proxies.subarray(step * many * dim, (step + 1) * many * dim);
    if (many) disc.proxies(owners, disc.project(proxies, dim));
    this.chart.style.display = frame.bare ? "none" : "";
    if (!frame.bare) this.curves.draw(content, size, look);
    this.#words(content);
  }

  /** @param {FlowContent} content @param {PanelFrame} frame */ #ways({ flow, n, dim, step, y }, { look, lit, round }) {
    const { disc } = this;
    const first = n <= FEW ? 0 : Math.max(0, step - TAIL);
    /** @type {Map<string | number, string>} */ const paths = new Map();
    /** @type {SeenRows[]} */ const at = [];
    const size = n * dim;
    /** @param {Places} at @param {number} i */ const place = ({ x, y: up }, i) => disc.px(x[i], up[i]);
    for (let t = first; t <= step; t += 1) {
      at.push(disc.project(flow.points.subarray(t * size, (t + 1) * size), dim));
    }
    for (let i = 0; i < n; i += 1) {
      for (let t = 1; t < at.length; t += 1) {
        const [a, b] = [at[t - 1], at[t]];
        const key = i === lit ? "lit" : 2 * y[i] + b.front[i];
        let to = `L${place(b, i)}`;
        // A step goes along the sphere, however long it is.
        if (round && Math.hypot(b.x[i] - a.x[i], b.y[i] - a.y[i]) > STRAIGHT) {
          const [left, reached] = [first + t - 1, first + t].map((k) => row(flow.points, k * n + i, dim));
          const way = length(minus(left, reached)) > OPPOSITE ? [reached] : greatArc(left, reached, STRAIGHT).slice(1);
          const on = disc.project(way.flat(), dim);
          to = way.map((_, k) => `L${place(on, k)}`).join("");
        }
        paths.set(key, `${paths.get(key) ?? ""}M${place(a, i)}${to}`);
      }
    }
    for (const [key, d] of paths) {
      const stroke = typeof key === "string" ? look.query : look.ofClass(Math.floor(key / 2)).colour;
      const opacity = typeof key === "string" ? 1 : key % 2 ? 0.6 : 0.2;
      this.pen.path(d, { stroke, "stroke-width": key === "lit" ? 3 : n <= FEW ? 2 : 1, opacity });
    }
  }

  /** @param {FlowContent} content */ #words(content) {
    const { step, stalled, end, toAndFro, rises, steps } = content;
    /** @param {string} name */ const at = (name) => score(content.curve(name)[step]);
    const numbers = `L ${short(content.curve("value")[step])} · mAP ${at("map")} · ${at("within")} / ${at("between")}`;
    const moves = toAndFro ? "goes to and fro" : "still moves";
    const ends = stalled === null ? moves : stalled ? `${ENDS[end]} ${stalled}` : "never moves";
    const more = rises ? `${ends} · value rose ${rises} of ${steps}×` : ends;
    this.more.title = content.why;
    this.end([numbers, more], `${content.title}, step ${step}`, `mAP ${at("map")}`);
  }
}
