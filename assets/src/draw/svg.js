import { say } from "./panel.js";

/** The namespace of SVG. */
export const SVG = "http://www.w3.org/2000/svg";

/** An SVG node with attributes and children.
 * @template {keyof SVGElementTagNameMap} K @param {K} name @param {Drawing} attributes @param {...(string | Node)} children
 * @returns {SVGElementTagNameMap[K]} */
export function svgNode(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** Sets those attributes of a node that are others than it was last given here.
 * @param {Element & {dmlGiven?: Drawing}} node @param {Drawing} attributes */
export function renew(node, attributes) {
  const last = (node.dmlGiven ??= {});
  for (const [name, value] of Object.entries(attributes)) {
    if (last[name] !== value) node.setAttribute(name, String(last[name] = value));
  }
}

/** A disc of radius r around x, y, as a path; `t` rounds what is written.
 * @param {number} x @param {number} y @param {number} r @param {(value: number) => number} t */
export function disc(x, y, r, t = (value) => value) {
  return `M${t(x - r)} ${t(y)}a${t(r)} ${t(r)} 0 1 1 ${t(2 * r)} 0a${t(r)} ${t(r)} 0 1 1 ${t(-2 * r)} 0Z`;
}

/** A line through points {x, y} as a path, with a gap where one is NaN; `at(x, y)` writes a point.
 * @param {Places} line @param {(x: number, y: number) => string} at */
export function polyline({ x, y }, at) {
  let [d, pen] = ["", "M"];
  for (let i = 0; i < x.length; i += 1) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) pen = "M";
    else [d, pen] = [`${d}${pen}${at(x[i], y[i])}`, "L"];
  }
  return d;
}

const SPREAD = 0.45; // of an arrow's head to each side
/** Pixels of an arrow: a shorter one would be invisible. */
export const SHORTEST = 1.5;

/** An arrow from x, y by u, v with a head of `size` (less where it is short), as a path; `at(x, y)` writes a point.
 * @param {number} x @param {number} y @param {number} u @param {number} v @param {number} size
 * @param {(x: number, y: number) => string} at */
export function arrow(x, y, u, v, size, at) {
  const length = Math.hypot(u, v);
  const head = Math.min(size, 0.6 * length);
  const [ux, uy] = [(u / length) * head, (v / length) * head];
  const [ex, ey] = [x + u, y + v];
  /** @param {number} sign */ const side = (sign) => at(ex - ux - sign * SPREAD * uy, ey - uy + sign * SPREAD * ux);
  return `M${at(x, y)}L${at(ex, ey)}M${side(1)}L${at(ex, ey)}L${side(-1)}`;
}

const CLEAR = { opacity: 1, "fill-opacity": 1, "stroke-opacity": 1 };
const PLAIN = { fill: "none", stroke: "none", "stroke-width": 1.5, "stroke-dasharray": "", ...CLEAR };
const PATH = { ...PLAIN, "stroke-dashoffset": 0, "fill-rule": "evenodd" };
const TEXT = { ...PLAIN, "font-size": 12, "font-weight": 400, "text-anchor": "start", "dominant-baseline": "auto" };

/** The opacity of a style as that of its fill and its stroke where it has only one of the two: it looks the same, and the browser
 * needs no picture of its own for the element. @param {Drawing} style @returns {Drawing} */
function opacities({ opacity = 1, fill = "none", stroke = "none" }) {
  if (opacity === 1 || (fill !== "none" && stroke !== "none")) return {};
  return { opacity: 1, [fill === "none" ? "stroke-opacity" : "fill-opacity"]: opacity };
}

/** Draws paths and words in a group, frame after frame, in the same nodes: call `path`, `dot` and `text` in order, then `done`.
 *
 * Strokes are in pixels, whatever the unit of the group. */
export class Pen {
  /** @type {Record<string, {nodes: SVGElement[], used: number}>} */
  #pools = { path: { nodes: [], used: 0 }, text: { nodes: [], used: 0 } };

  /** @param {SVGElement} group */ constructor(group) {
    this.group = group;
  }

  // A path; `style` has SVG attributes: stroke, fill, "stroke-width", "stroke-dasharray", opacity. Nothing for "".
  /** @param {string} d @param {Drawing} style */ path(d, style = {}) {
    if (d) this.#next("path", { ...PATH, d, ...style, ...opacities(style) });
  }

  /** A circle of `r` (units of the group) at {x, y}. @param {Place} at @param {number} r @param {Drawing} style */
  dot({ x, y }, r, style = {}) {
    this.path(disc(x, y, r), style);
  }

  /** Words at {x, y}; `style` has SVG attributes. @param {Place} at @param {string} words @param {Drawing} style */
  text({ x, y }, words, style = {}) {
    say(this.#next("text", { ...TEXT, x, y, ...style, ...opacities(style) }), words);
  }

  /** Ends the frame: what was drawn before and is not drawn now disappears. */
  done() {
    for (const { nodes, used } of Object.values(this.#pools)) {
      for (const node of nodes.slice(used)) node.nodeName === "text" ? say(node, "") : renew(node, { d: "" });
    }
    for (const pool of Object.values(this.#pools)) pool.used = 0;
  }

  /** @param {"path" | "text"} kind @param {Drawing} attributes */ #next(kind, attributes) {
    const pool = this.#pools[kind];
    const node = pool.nodes[pool.used] ??= this.group.appendChild(svgNode(kind));
    pool.used += 1;
    renew(node, attributes);
    return node;
  }
}
