import { arc, arcCap, cap, greatCircle, pair } from "./caps.js";
import { Camera, seenAt } from "../draw/sphere.js";
import { arrow, SHORTEST } from "../draw/svg.js";
import { lengths, row } from "../draw/rows.js";

/** @typedef {{positive: boolean, share: number, dash?: string, "data-pair"?: string, "data-weight"?: number}} EdgeStyle */

const HEAD = 8; // px of an arrow's head
/** Opacity on the far side. */
export const FAR = 0.35;
const [THINNEST, WIDEST] = [0.5, 6]; // px of a pair without weight, and of the heaviest

/** What an overlay draws with. All coordinates and path data are in units of the sphere's radius, y up, as the layers have
 * them; points and vectors are arrays of `dim` numbers. */
export class DrawingContext {
  arrowed = 0; // arrows drawn in this frame
  // The colours of the page's theme: ink, quiet, faint, paper, positive, negative, query, exact, and ofClass(c).
  /** @type {Look | null} */ palette = null;
  /** 2 on the circle, 3 on the sphere. */
  dim = 2;
  /** Pixels per unit. */
  unit = 100;
  /** From where the sphere is seen. */
  camera = new Camera();

  // Where a point in the ball is seen, as {x, y, front}; `front` is false on the far side of the sphere.
  /** @param {number[]} point */ project(point) {
    return seenAt(point, this.dim === 2 ? null : this.camera);
  }

  // Row `i` of rows such as scene.z, scene.proxies or a gradient, as an array.
  /** @param {Float32Array | Float64Array} rows @param {number} i @returns {number[]} */
  row(rows, i) {
    return row(rows, i, this.dim);
  }

  /** The points within Euclidean distance `radius` (0 to 2) of a unit vector, as {front, back, area}.
   *
   * On the circle `front` is an arc of it, `edge` is that of the part of the disc within that distance, `area`. On the sphere
   * `front` and `back` are the cap's boundary before and behind, `area` the part of it that is seen. Two areas in one path,
   * larger + smaller, fill the shell between them.
   * @param {number[]} centre @param {number} radius @returns {Cap} */
  cap(centre, radius) {
    return this.dim === 2 ? arcCap(centre, radius) : cap(centre, radius, this.camera);
  }

  // Draws with `pen` the boundary of a `cap`, faint behind the sphere.
  /** @param {Pen} pen @param {{front: string, back: string, edge?: string}} cap @param {Drawing} style */
  boundary(pen, { front, back, edge = front }, style) {
    pen.path(edge, style);
    pen.path(back, { ...style, opacity: FAR * Number(style.opacity ?? 1) });
  }

  // Draws with `pen` a pair of points as wide as its `share` of the largest weight; a `dash` marks an unusual pair.
  /** @param {Pen} pen @param {number[]} from @param {number[]} to @param {EdgeStyle} style */
  edge(pen, from, to, { positive, share, dash = "", ...more }) {
    const stroke = this.colour(positive ? "positive" : "negative");
    const width = Math.max(THINNEST, WIDEST * share);
    const style = { stroke, "stroke-width": width, "stroke-dasharray": dash, opacity: 0.3 + 0.5 * share };
    pen.path(this.chord(from, to), { ...style, ...more });
  }

  /** The straight line between two points, through the ball. @param {number[]} a @param {number[]} b */
  chord(a, b) {
    const [from, to] = [this.project(a), this.project(b)];
    return `M${pair(from.x, from.y)}L${pair(to.x, to.y)}`;
  }

  /** The shorter arc between two unit vectors, as {front, back}. @param {number[]} a @param {number[]} b */
  greatCircleArc(a, b) {
    return this.dim === 2 ? arc(a, b) : greatCircle(a, b, this.camera);
  }

  // Draws with `pen` an arrow at each of `rows` along its row of `vectors` times `scale`, faint on the far side.
  /** @param {Pen} pen @param {Float64Array} rows @param {Float64Array} vectors @param {number} scale @param {Drawing} style */
  arrows(pen, rows, vectors, scale, style = {}) {
    for (let i = 0; i < vectors.length / this.dim; i += 1) {
      const [from, vector] = [this.row(rows, i), this.row(vectors, i)];
      const { x, y, front } = this.project(from);
      const end = this.project(from.map((value, k) => value + scale * vector[k]));
      const [u, v] = [end.x - x, end.y - y];
      if (!(Math.hypot(u, v) > this.pixels(SHORTEST))) continue;
      const plain = { stroke: this.palette.ink, "stroke-width": 1.8, opacity: front ? 1 : FAR };
      this.arrowed += 1;
      pen.path(arrow(x, y, u, v, this.pixels(HEAD), pair), { ...plain, ...style });
    }
  }

  /** The factor that makes the longest of rows as long as `longest` (units); 0 where all are 0. @param {Numbers} rows */
  scale(rows, longest = 0.42) {
    const most = Math.max(0, ...lengths(rows, this.dim));
    return most > 0 ? longest / most : 0;
  }

  /** `count` pixels in units. @param {number} count */
  pixels(count) {
    return count / this.unit;
  }

  /** The colour of a role. @param {string} role */
  colour(role) {
    const colours = /** @type {Record<string, string | undefined>} */ (/** @type {unknown} */ (this.palette));
    return colours[role] ?? this.palette.ink;
  }
}
