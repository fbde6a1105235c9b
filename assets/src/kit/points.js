// Points of classes as SVG paths in pixels, few paths for many points.

import { SHAPES } from "./marker.js";
import { disc } from "./svg.js";

const FAINT = 0.32; // opacity behind

/** A point in px, in tenths of a pixel. */
export function px(x, y) {
  return `${t(x)} ${t(y)}`;
}

/** Where rows {x, y} in units are in px, for a picture of that middle and unit. */
export function inPixels({ x, y, front = null }, middle, unit) {
  return { x: x.map((value) => middle + unit * value), y: y.map((value) => middle - unit * value), front };
}

/** Draws points of classes `y` at `at` (px), faint and `far` times as large on the far side, with few paths. */
export function drawPoints(pen, y, at, size, look, far = 1, edge = 0.5) {
  const paths = new Map();
  for (let i = 0; i < y.length; i += 1) {
    const front = at.front?.[i] ?? 1;
    const key = 2 * y[i] + front;
    const d = mark(look.ofClass(y[i]).marker, at.x[i], at.y[i], size * (front ? 1 : far));
    paths.set(key, (paths.get(key) ?? "") + d);
  }
  for (const key of [...paths.keys()].sort((a, b) => (a % 2) - (b % 2) || a - b)) {
    const fill = look.ofClass(Math.floor(key / 2)).colour;
    // Marks that lie on each other are one mark, and no hole.
    const style = { fill, "fill-rule": "nonzero", stroke: edge ? look.edge : "none", "stroke-width": edge };
    pen.path(paths.get(key), { ...style, opacity: key % 2 ? 1 : FAINT });
  }
}

/** Draws proxies of classes `owners` at `at` (px) as stars. */
export function drawProxies(pen, owners, at, look) {
  owners.forEach((label, p) => {
    const style = { fill: look.ofClass(label).colour, stroke: look.ink, "stroke-width": 0.7 };
    const opacity = at.front?.[p] ?? 1 ? 1 : FAINT;
    pen.path(mark("star", at.x[p], at.y[p], owners.length <= 16 ? 7 : 4), { ...style, opacity });
  });
}

/** A marker of `size` px around x, y, as a path. */
export function mark(marker, x, y, size) {
  if (marker === "circle") return disc(x, y, 0.95 * size, t);
  const corners = SHAPES[marker] ?? SHAPES.circle;
  return `M${corners.map(([u, v]) => px(x + size * u, y + size * v)).join("L")}Z`;
}

// Tenths of a pixel.
function t(value) {
  return Math.round(value * 10) / 10;
}
