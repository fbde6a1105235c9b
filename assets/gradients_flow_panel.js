import { lines } from "./gradients_panel.js";
import { disc, mark, seen, shape } from "./gradients_view.js";
import { Pen } from "./hand_pen.js";
import { node } from "./hand_points.js";
import { SHAPES } from "./marker.js";
import { element, say } from "./panel.js";
import { short } from "./words.js";

const FEW = 40; // points up to which whole ways are drawn
const TAIL = 6; // steps of a way, where there are more
const TALL = 62; // px of the curves
const ROOM = 4; // px around them
const BEHIND = 0.32;
const CURVES = { map: ["ink", ""], within: ["positive", ""], between: ["negative", "4 3"] };

/** One loss's flow: its points with the ways that they came, and three curves over the steps. */
export class FlowPanel {
  constructor() {
    this.svg = node("svg", { role: "img" });
    this.rim = this.svg.appendChild(node("circle", { fill: "none" }));
    this.pen = new Pen(this.svg.appendChild(node("g", { "stroke-linecap": "round", "stroke-linejoin": "round" })));
    this.chart = node("svg", { class: "dml-gradients-curves", role: "img" });
    this.curves = new Pen(this.chart.appendChild(node("g", { "stroke-linejoin": "round" })));
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
    for (const [key, value] of Object.entries({ width: size, height: size })) this.svg.setAttribute(key, value);
    for (const [key, value] of Object.entries({ cx: middle, cy: middle, r: unit })) this.rim.setAttribute(key, value);
    this.rim.setAttribute("stroke", look.quiet);
    const faint = { stroke: look.faint, "stroke-width": 0.8 };
    if (frame.graticule) this.pen.path(lines(frame.graticule.front, middle, unit), faint);
    this.#ways(content, frame, middle, unit);
    this.#points(content, frame, middle, unit);
    this.#stars(content, frame, middle, unit);
    this.pen.done();
    this.#curves(content, size, look);
    this.#words(content);
  }

  #ways({ flow, n, dim, step, y }, { basis, look, lit }, middle, unit) {
    const first = n <= FEW ? 0 : Math.max(0, step - TAIL);
    const paths = new Map();
    const at = [];
    const size = n * dim;
    for (let t = first; t <= step; t += 1) at.push(seen(flow.points.subarray(t * size, (t + 1) * size), n, dim, basis));
    for (let i = 0; i < n; i += 1) {
      for (let t = 1; t < at.length; t += 1) {
        const [a, b] = [at[t - 1], at[t]];
        const key = i === lit ? "lit" : 2 * y[i] + b.front[i];
        const from = `M${(middle + unit * a.x[i]).toFixed(1)} ${(middle - unit * a.y[i]).toFixed(1)}`;
        const to = `L${(middle + unit * b.x[i]).toFixed(1)} ${(middle - unit * b.y[i]).toFixed(1)}`;
        paths.set(key, `${paths.get(key) ?? ""}${from}${to}`);
      }
    }
    for (const [key, d] of paths) {
      const stroke = key === "lit" ? look.query : look.ofClass(Math.floor(key / 2)).colour;
      const opacity = key === "lit" ? 1 : key % 2 ? 0.6 : 0.2;
      this.pen.path(d, { stroke, "stroke-width": key === "lit" ? 3 : n <= FEW ? 2 : 1, opacity });
    }
  }

  #points({ z, n, dim, y }, { basis, look, lit }, middle, unit) {
    const at = seen(z, n, dim, basis);
    const size = n <= FEW ? 4.4 : 2.6;
    const paths = new Map();
    for (let i = 0; i < n; i += 1) {
      const [x, v] = [middle + unit * at.x[i], middle - unit * at.y[i]];
      const { marker } = look.ofClass(y[i]);
      const key = 2 * y[i] + at.front[i];
      paths.set(key, (paths.get(key) ?? "") + shape(marker, x, v, size));
      if (i === lit) this.pen.path(disc(x, v, 8), { stroke: look.query, "stroke-width": 2 });
    }
    for (const [key, d] of paths) {
      const fill = look.ofClass(Math.floor(key / 2)).colour;
      this.pen.path(d, { fill, stroke: look.edge, "stroke-width": 0.5, opacity: key % 2 ? 1 : BEHIND });
    }
  }

  #stars({ flow, owners, dim, step }, { basis, look }, middle, unit) {
    const many = owners.length;
    if (!many) return;
    const at = seen(flow.stars.subarray(step * many * dim, (step + 1) * many * dim), many, dim, basis);
    for (let p = 0; p < many; p += 1) {
      const d = mark(SHAPES.star, middle + unit * at.x[p], middle - unit * at.y[p], many <= 16 ? 7 : 4);
      const fill = look.ofClass(owners[p]).colour;
      this.pen.path(d, { fill, stroke: look.ink, "stroke-width": 0.7, opacity: at.front[p] ? 1 : BEHIND });
    }
  }

  #curves(content, size, look) {
    this.chart.setAttribute("width", size);
    this.chart.setAttribute("height", TALL);
    const x = (t) => (ROOM + ((size - 2 * ROOM) * t) / Math.max(content.steps, 1)).toFixed(1);
    const y = (share) => (TALL - ROOM - (TALL - 2 * ROOM) * share).toFixed(1);
    for (const share of [0, 0.5, 1]) {
      this.curves.path(`M${x(0)} ${y(share)}H${x(content.steps)}`, { stroke: look.faint, "stroke-width": 0.8 });
    }
    this.curves.path(`M${x(content.step)} ${y(0)}V${y(1)}`, { stroke: look.query, "stroke-width": 1.4 });
    for (const [name, [colour, dash]] of Object.entries(CURVES)) {
      const times = name === "map" ? 1 : 0.5;
      let [d, pen] = ["", "M"];
      content.curve(name).forEach((value, t) => {
        if (Number.isNaN(value)) pen = "M";
        else [d, pen] = [`${d}${pen}${x(t)} ${y(times * value)}`, "L"];
      });
      this.curves.path(d, { stroke: look[colour], "stroke-width": 1.7, "stroke-dasharray": dash });
    }
    this.curves.done();
  }

  #words(content) {
    const { step, stalled, toAndFro, rises, steps } = content;
    const written = (value) => (Number.isNaN(value) ? "–" : value.toFixed(2));
    const at = (name) => written(content.curve(name)[step]);
    const numbers = `L ${short(content.curve("value")[step])} · mAP ${at("map")} · ${at("within")} / ${at("between")}`;
    const moves = toAndFro ? "goes to and fro" : "still moves";
    const end = stalled === null ? moves : stalled ? `stalls at ${stalled}` : "never moves";
    const more = rises ? `${end} · value rose ${rises} of ${steps}×` : end;
    say(this.title, content.title);
    say(this.numbers, numbers);
    say(this.more, more);
    this.more.title = content.why;
    this.svg.setAttribute("aria-label", `${content.title}, step ${step}: ${numbers}; ${more}`);
    const curve = (name) => [content.curve(name)[0], content.curve(name)[steps]].map(written);
    const [map, within, between] = ["map", "within", "between"].map((name) => curve(name).join(" to "));
    const words = `mAP from ${map}; distance within a class from ${within}, between classes from ${between}`;
    this.chart.setAttribute("aria-label", words);
  }
}
