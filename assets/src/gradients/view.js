// Points and arrows as small SVG paths in pixels: every panel sees them from one side.

import { px } from "../kit/points.js";
import { arrow as anyArrow } from "../kit/svg.js";

const BEHIND = -0.02;
const SHORTEST = 1.5; // px of an arrow; of a shorter one nothing would be seen
const OPPOSITE = 1 - 1e-6; // half a chord from which there is no one way along the sphere

/** Radians of a way along the sphere that are drawn as a straight line. */
export const STRAIGHT = 0.12;

/** Where rows are seen: {x, y, front} arrays in units, for a basis {right, up, eye} of the sphere or null in the plane. */
export function seen(rows, n, dim, basis) {
  const [x, y, front] = [new Float64Array(n), new Float64Array(n), new Uint8Array(n)];
  for (let i = 0; i < n; i += 1) {
    if (dim === 2) [x[i], y[i], front[i]] = [rows[2 * i], rows[2 * i + 1], 1];
    else {
      const row = [rows[3 * i], rows[3 * i + 1], rows[3 * i + 2]];
      [x[i], y[i]] = [inner(row, basis.right), inner(row, basis.up)];
      front[i] = inner(row, basis.eye) >= BEHIND ? 1 : 0;
    }
  }
  return { x, y, front };
}

/** The way along the sphere from one unit row to another: the row `to`, with rows between where the chord would be seen. */
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

/** The basis of a camera or of the hand's tools: anything that projects three unit vectors to {x, y}. */
export function basisOf(project) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(project);
  const [right, up] = [axes.map(({ x }) => x), axes.map(({ y }) => y)];
  const eye = [
    right[1] * up[2] - right[2] * up[1],
    right[2] * up[0] - right[0] * up[2],
    right[0] * up[1] - right[1] * up[0],
  ];
  return { right, up, eye };
}

/** An arrow from x, y by u, v (px), with a head of `size` px; "" where nothing would be seen. */
export function arrow(x, y, u, v, size) {
  return Math.hypot(u, v) > SHORTEST ? anyArrow(x, y, u, v, size, px) : "";
}

function inner(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
