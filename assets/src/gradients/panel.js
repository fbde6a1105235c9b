import { lanes, radius } from "./lanes.js";
import { LONGEST } from "./numbers.js";
import { arrow, seen } from "./view.js";
import { ofLoss, ofPoint, took } from "./words.js";
import { Pen } from "../kit/pen.js";
import { drawPoints, drawProxies, inPixels } from "../kit/points.js";
import { element, say } from "../kit/panel.js";
import { disc, polyline, renew, svgNode } from "../kit/svg.js";

/** Radii from the centre of a picture to its edge, and where arrows point off the sphere. */
export const [REACH, AMBIENT] = [1.16, 1.4];
const WIDEST = 4; // px, of the heaviest edge
const BINS = 5; // widths of edges
const BEHIND = 0.32;
const FEW = 24; // points up to which marks are large
const SOME = 70;
const CUT = "3 2.5"; // an arrow that is longer than it is drawn
const HEAVY = 10; // partners of a point that are drawn
const GRAVE = 0.01; // of the heaviest: a lighter pair is not drawn

/** One loss among many: its title, its picture, and two lines of numbers; `told` are these without what no one can repeat. */
export class Panel {
  constructor() {
    this.svg = svgNode("svg", { role: "img" });
    this.rim = this.svg.appendChild(svgNode("circle", { fill: "none" }));
    this.lines = new Pen(this.svg.appendChild(svgNode("g", {})));
    this.pen = new Pen(this.svg.appendChild(svgNode("g", { "stroke-linecap": "round", "stroke-linejoin": "round" })));
    this.title = element("div", { class: "dml-gradients-title" });
    this.numbers = element("div", { class: "dml-gradients-numbers" });
    this.more = element("div", { class: "dml-gradients-numbers" });
    this.root = element("figure", { class: "dml-gradients-panel" }, this.title, this.svg, this.numbers, this.more);
  }

  /** Draws `content` by `factor` in a frame {size, unit, basis, graticule, look, draw, lit, names, shared}. */
  draw(content, factor, frame) {
    this.content = content;
    const { size, unit, look } = frame;
    const middle = size / 2;
    renew(this.svg, { width: size, height: size });
    // Where places are drawn further apart than they lie, the sphere's edge is out of the picture.
    renew(this.rim, { cx: middle, cy: middle, r: content.zoom > 1 ? 0 : unit, stroke: look.quiet, "stroke-width": 1 });
    this.#graticule(frame, middle, unit);
    const at = frame.shared(content);
    const px = inPixels(at, middle, unit);
    const ends = seen(content.arrows, content.n, content.dim, frame.basis);
    const { stars: rows, owners, n, dim } = content;
    const stars = rows.length ? inPixels(seen(rows, owners.length, dim, frame.basis), middle, unit) : null;
    const place = (j) => (j < n ? [px.x[j], px.y[j]] : [stars.x[j - n], stars.y[j - n]]);
    const wanted = frame.lit === null ? null : content.partners(frame.lit).slice(0, HEAVY);
    if (frame.draw === "per pair") this.#edges(content.edges(), place, look, frame.lit === null ? 0.75 : 0.18);
    if (wanted) this.#edges(wanted.map(([j, w]) => [frame.lit, j, w]).reverse(), place, look, 0.85);
    const drawn = downhill(content, ends, factor);
    const from = this.#starts(content, at, px, drawn, middle, unit);
    if (frame.draw !== "per pair") this.#stems(content, px, from, look);
    const marks = content.n <= FEW ? 4.6 : content.n <= SOME ? 3.6 : 2.6;
    drawPoints(this.pen, content.y, px, marks, look, 0.8);
    if (stars) drawProxies(this.pen, content.owners, stars, look);
    const faint = frame.lit === null ? 1 : 0.4;
    if (frame.draw !== "per pair") this.#arrows(content, px.front, from, drawn, unit, look, faint);
    if (frame.lit !== null) this.#lit(frame.lit, content, px, from, drawn, unit, look);
    this.lines.done();
    this.pen.done();
    this.#words(content, frame, wanted);
  }

  #graticule({ graticule, look }, middle, unit) {
    if (!graticule) return;
    const d = (half) => lines(half, middle, unit);
    this.lines.path(d(graticule.front), { stroke: look.faint, "stroke-width": 0.8 });
    this.lines.path(d(graticule.back), { stroke: look.faint, "stroke-width": 0.8, "stroke-dasharray": "1 4" });
  }

  // Where arrows begin: at their points, or along the circle in a lane further in.
  #starts({ circle, part }, at, px, drawn, middle, unit) {
    if (!circle || part === "ambient") return px;
    const [x, y, stems] = [Float64Array.from(px.x), Float64Array.from(px.y), new Uint8Array(px.x.length)];
    lanes(at, drawn).forEach((lane, i) => {
      if (lane < 0) return;
      [x[i], y[i]] = [middle + unit * radius(lane) * at.x[i], middle - unit * radius(lane) * at.y[i]];
      stems[i] = 1;
    });
    return { x, y, stems };
  }

  #arrows({ n, lengths }, front, from, drawn, unit, look, opacity) {
    const [head, width] = n <= FEW ? [6.5, 1.6] : n <= SOME ? [5, 1.2] : [3, 0.7];
    const d = ["", "", "", ""];
    for (let i = 0; i < n; i += 1) {
      const kind = front[i] + 2 * drawn.cut[i];
      if (lengths[i]) d[kind] += arrow(from.x[i], from.y[i], unit * drawn.x[i], -unit * drawn.y[i], head);
    }
    d.forEach((path, kind) => {
      const style = { stroke: look.ink, "stroke-width": width, opacity: kind % 2 ? opacity : BEHIND * opacity };
      this.pen.path(path, { ...style, "stroke-dasharray": kind > 1 ? CUT : "" });
    });
  }

  #stems({ n }, px, { x, y, stems }, look) {
    if (!stems) return;
    let d = "";
    for (let i = 0; i < n; i += 1) {
      if (stems[i]) d += `M${px.x[i].toFixed(1)} ${px.y[i].toFixed(1)}L${x[i].toFixed(1)} ${y[i].toFixed(1)}`;
    }
    this.pen.path(d, { stroke: look.quiet, "stroke-width": 0.7, opacity: 0.7 });
  }

  #lit(i, { n, lengths }, px, from, drawn, unit, look) {
    this.pen.path(disc(px.x[i], px.y[i], n <= FEW ? 8 : 6), { stroke: look.query, "stroke-width": 2 });
    if (!lengths[i]) return;
    const d = arrow(from.x[i], from.y[i], unit * drawn.x[i], -unit * drawn.y[i], 8);
    this.pen.path(d, { stroke: look.paper, "stroke-width": 4.6 });
    this.pen.path(d, { stroke: look.query, "stroke-width": 2.6 });
  }

  // Of a few widths, so that hundreds of pairs are a few paths; pulls are solid, pushes dashed.
  #edges(edges, place, look, opacity) {
    const most = edges.reduce((a, [, , w]) => Math.max(a, Math.abs(w)), 0);
    const paths = new Map();
    for (const [i, j, w] of edges) {
      const share = Math.abs(w) / most;
      if (share < GRAVE) continue;
      const key = Math.ceil(share * BINS) * (w < 0 ? 1 : -1);
      const [[x, y], [u, v]] = [place(i), place(j)];
      paths.set(key, `${paths.get(key) ?? ""}M${x.toFixed(1)} ${y.toFixed(1)}L${u.toFixed(1)} ${v.toFixed(1)}`);
    }
    for (const key of [...paths.keys()].sort((a, b) => Math.abs(a) - Math.abs(b))) {
      this.pen.path(paths.get(key), {
        stroke: key > 0 ? look.positive : look.negative,
        "stroke-width": (WIDEST * Math.abs(key)) / BINS,
        "stroke-dasharray": key > 0 ? "" : "4 4",
        opacity,
      });
    }
  }

  #words(content, { lit, names }, wanted) {
    const [numbers, more] = wanted === null ? ofLoss(content) : ofPoint(content, lit, names, wanted);
    say(this.title, content.title);
    this.title.title = content.note ?? "";
    this.texts = [numbers, more];
    say(this.numbers, wanted === null ? `${numbers}${took(content)}` : numbers);
    say(this.more, more);
    this.svg.setAttribute("aria-label", `${content.title}: ${numbers}; ${more}`);
  }
}

/** Graticule lines {x, y} with gaps as a path in px. */
export function lines(half, middle, unit) {
  return polyline(half, (x, y) => `${(middle + unit * x).toFixed(1)} ${(middle - unit * y).toFixed(1)}`);
}

// Arrows as drawn, in units; one that would be too long is cut.
function downhill({ lengths }, ends, factor) {
  const n = lengths.length;
  const drawn = { x: new Float64Array(n), y: new Float64Array(n), cut: new Uint8Array(n) };
  for (let i = 0; i < n; i += 1) {
    const long = factor * lengths[i];
    drawn.cut[i] = long > LONGEST * (1 + 1e-6) ? 1 : 0;
    const times = -factor * (drawn.cut[i] ? LONGEST / long : 1);
    [drawn.x[i], drawn.y[i]] = [times * ends.x[i], times * ends.y[i]];
  }
  return drawn;
}
