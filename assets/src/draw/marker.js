// Plotly's marker symbols, as paths and as small SVG pictures for legends and labels in plain HTML.

import { disc, svgNode } from "./svg.js";

/** @param {number} corners */ const around = (corners, radius = 1, turn = 0) =>
  Array.from({ length: corners }, (_, k) => polar(turn + (2 * Math.PI * k) / corners, radius));
/** @param {number} angle @param {number} radius */
const polar = (angle, radius) => [radius * Math.sin(angle), -radius * Math.cos(angle)];
/** @param {number} points @param {number} inner */ const star = (points, inner, turn = 0) =>
  Array.from({ length: 2 * points }, (_, k) => polar(turn + (Math.PI * k) / points, k % 2 ? inner : 1.15));

/** Corners of each marker but the circle within about one unit of its centre. @type {Record<string, number[][]>} */
export const SHAPES = {
  square: [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  diamond: around(4, 1.1),
  "triangle-up": around(3, 1.15),
  "triangle-down": around(3, 1.15, Math.PI),
  "triangle-left": around(3, 1.15, -Math.PI / 2),
  "triangle-right": around(3, 1.15, Math.PI / 2),
  cross: plus(0),
  x: plus(Math.PI / 4),
  pentagon: around(5, 1.05),
  hexagon: around(6, 1.05),
  star: star(5, 0.5),
  "star-diamond": star(4, 0.6),
  "star-triangle-up": star(3, 0.75),
  bowtie: [[-1, -0.85], [1, 0.85], [1, -0.85], [-1, 0.85]],
  hourglass: [[-0.85, -1], [0.85, 1], [-0.85, 1], [0.85, -1]],
};

/** @param {number} turn */ function plus(turn) {
  const [arm, half] = [1.1, 0.38];
  const corners = [[-half, -arm], [half, -arm], [half, -half], [arm, -half], [arm, half], [half, half]];
  return [...corners, ...corners.map(([x, y]) => [-x, -y])].map(([x, y]) => [
    x * Math.cos(turn) - y * Math.sin(turn),
    x * Math.sin(turn) + y * Math.cos(turn),
  ]);
}

/** A value in tenths of a pixel. @param {number} value */
export function tenths(value) {
  return Math.round(value * 10) / 10;
}

/** A point in px, in tenths of a pixel. @param {number} x @param {number} y */
export function px(x, y) {
  return `${tenths(x)} ${tenths(y)}`;
}

/** A marker of `size` px around x, y, as a path.
 * @param {string} marker @param {number} x @param {number} y @param {number} size */
export function mark(marker, x, y, size) {
  const corners = SHAPES[marker];
  if (!corners) return disc(x, y, 0.95 * size, tenths);
  return `M${corners.map(([u, v]) => px(x + size * u, y + size * v)).join("L")}Z`;
}

/** A marker as an SVG picture of `size` pixels. @param {string} symbol @param {string} colour */
export function marker(symbol, colour, size = 11) {
  return small(-size / 2, size, size, svgNode("path", { d: mark(symbol, 0, 0, size / 2.6), fill: colour }));
}

/** A short piece of line as an SVG picture. @param {string} colour */
export function stroke(colour, dash = "", width = 2) {
  const drawn = { d: "M1 0H21", stroke: colour, "stroke-width": width, "stroke-dasharray": dash };
  return small(0, 22, 8, svgNode("path", drawn));
}

/** @param {number} left @param {number} width @param {number} height @param {SVGElement} drawn */
function small(left, width, height, drawn) {
  const viewBox = `${left} ${-height / 2} ${width} ${height}`;
  return svgNode("svg", { viewBox, width, height, "aria-hidden": "true" }, drawn);
}

/** The maker of a sign of a key: a short line around the origin. @param {string} colour */
export function dash(colour, pattern = "") {
  return () => svgNode("path", { d: "M-7 0H7", stroke: colour, "stroke-width": 2, "stroke-dasharray": pattern, fill: "none" });
}

/** The opacity of what is behind. */
export const FAINT = 0.32;
