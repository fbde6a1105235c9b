// Plotly's marker symbols as small SVG pictures, for legends and labels in plain HTML.

import { svgNode } from "./svg.js";

const around = (corners, radius = 1, turn = 0) =>
  Array.from({ length: corners }, (_, k) => polar(turn + (2 * Math.PI * k) / corners, radius));
const polar = (angle, radius) => [radius * Math.sin(angle), -radius * Math.cos(angle)];
const star = (points, inner, turn = 0) =>
  Array.from({ length: 2 * points }, (_, k) => polar(turn + (Math.PI * k) / points, k % 2 ? inner : 1.15));

/** Corners of each marker within about one unit of its centre. */
export const SHAPES = {
  circle: around(24, 0.95),
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

function plus(turn) {
  const [arm, half] = [1.1, 0.38];
  const corners = [[-half, -arm], [half, -arm], [half, -half], [arm, -half], [arm, half], [half, half]];
  return [...corners, ...corners.map(([x, y]) => [-x, -y])].map(([x, y]) => [
    x * Math.cos(turn) - y * Math.sin(turn),
    x * Math.sin(turn) + y * Math.cos(turn),
  ]);
}

/** A marker as an SVG picture of `size` pixels. */
export function marker(symbol, colour, size = 11) {
  const picture = svgNode("svg", { viewBox: "-1.3 -1.3 2.6 2.6", width: size, height: size, "aria-hidden": "true" });
  const points = (SHAPES[symbol] ?? SHAPES.circle).map((corner) => corner.map((v) => v.toFixed(3)).join(",")).join(" ");
  picture.append(svgNode("polygon", { points, fill: colour }));
  return picture;
}

/** A short piece of line as an SVG picture. */
export function stroke(colour, dash = "", width = 2) {
  const picture = svgNode("svg", { viewBox: "0 0 22 8", width: 22, height: 8, "aria-hidden": "true" });
  const drawn = { x1: 1, x2: 21, y1: 4, y2: 4, stroke: colour, "stroke-width": width, "stroke-dasharray": dash };
  picture.append(svgNode("line", drawn));
  return picture;
}

/** The maker of a sign of a key: a short line around the origin. */
export function dash(colour, pattern = "") {
  return () =>
    svgNode("path", { d: "M-7 0H7", stroke: colour, "stroke-width": 2, "stroke-dasharray": pattern, fill: "none" });
}
