// Images in a picture that is exported: they stay images, with their frames as lines.

import { svgNode } from "../draw/svg.js";
import { paint } from "./image.js";

/** An image of a subject as a drawing of `size` px in a frame {colour, width, dash}, drawn for `look`.
 * @param {Subject} subject @param {number} point @param {Look} look @param {number} size
 * @param {{colour: string, width: number, dash?: string}} frame */
export function framed(subject, point, look, size, { colour, width, dash = "" }) {
  const canvas = document.createElement("canvas");
  paint(canvas, subject, point, look);
  const inner = size - 2 * width;
  const place = { x: width, y: width, width: inner, height: inner };
  const style = "image-rendering:pixelated";
  const image = svgNode("image", { href: canvas.toDataURL(), ...place, style, preserveAspectRatio: "none" });
  image.dmlStays = true;
  const edge = { x: width / 2, y: width / 2, width: size - width, height: size - width, rx: 3 };
  const line = { fill: "none", stroke: colour, "stroke-width": width, "stroke-dasharray": dash };
  return svgNode("g", {}, image, svgNode("rect", { ...edge, ...line }));
}

/** Drawings side by side, each made by one of `nodes`, `gap` px apart, `size` px wide and tall.
 * @param {(() => SVGElement)[]} nodes @param {number} size @param {number} gap */
export function inRow(nodes, size, gap) {
  /** @param {() => SVGElement} make @param {number} k */
  const placed = (make, k) => svgNode("g", { transform: `translate(${k * (size + gap)} 0)` }, make());
  return { node: () => svgNode("g", {}, ...nodes.map(placed)), width: nodes.length * (size + gap) - gap, height: size };
}
