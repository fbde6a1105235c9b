// Points and arrows as small SVG paths in pixels: every panel sees them from one side.

import { px } from "../draw/marker.js";
import { arrow as anyArrow } from "../draw/svg.js";
/** @import { Camera } from "../draw/sphere.js" */

/** @typedef {{x: Numbers, y: Numbers, front: Uint8Array}} SeenRows */

const BEHIND = -0.02;
const SHORTEST = 1.5; // px of an arrow; a shorter one would be invisible
const OPPOSITE = 1 - 1e-6; // half a chord, from which the shortest path along the sphere is not unique

/** Radians of a path along the sphere that are drawn as a straight line. */
export const STRAIGHT = 0.12;

/** Where rows are seen: {x, y, front} arrays in units, by the `camera` of the sphere or, in the plane, by none.
 * @param {ArrayLike<number>} rows @param {number} n @param {number} dim @param {Camera | null} camera @returns {SeenRows} */
export function seen(rows, n, dim, camera) {
  if (dim === 3) {
    const { x, y, depth } = camera.project(rows);
    return { x, y, front: Uint8Array.from(depth, (value) => Number(value >= BEHIND)) };
  }
  /** @param {number} k */ const column = (k) => Float64Array.from({ length: n }, (_, i) => rows[2 * i + k]);
  return { x: column(0), y: column(1), front: new Uint8Array(n).fill(1) };
}

/** The path along the sphere from one unit row to another: the row `to`, with rows between where the chord would be seen.
 * @param {number[]} from @param {number[]} to */
export function along(from, to) {
  const half = Math.min(1, Math.hypot(...from.map((x, k) => to[k] - x)) / 2);
  const angle = 2 * Math.asin(half);
  const pieces = Math.ceil(angle / STRAIGHT);
  if (pieces < 2 || half > OPPOSITE) return [to];
  return Array.from({ length: pieces }, (_, k) => {
    const share = (k + 1) / pieces;
    const [a, b] = [Math.sin((1 - share) * angle), Math.sin(share * angle)].map((side) => side / Math.sin(angle));
    return from.map((x, axis) => a * x + b * to[axis]);
  });
}

/** An arrow from x, y by u, v (px), with a head of `size` px; "" where it would be invisible.
 * @param {number} x @param {number} y @param {number} u @param {number} v @param {number} size */
export function arrow(x, y, u, v, size) {
  return Math.hypot(u, v) > SHORTEST ? anyArrow(x, y, u, v, size, px) : "";
}
