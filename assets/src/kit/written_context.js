// A canvas's context that draws an SVG: what paints a canvas paints vectors with it.

import { disc, svgNode } from "./svg.js";

/** As much of Path2D as can be written down; what has been drawn is in `d`. */
export class WrittenPath {
  d = "";

  moveTo(x, y) {
    this.d += `M${t(x)} ${t(y)}`;
  }

  lineTo(x, y) {
    this.d += `L${t(x)} ${t(y)}`;
  }

  closePath() {
    this.d += "Z";
  }

  /** A whole circle, whatever the angles. */
  arc(x, y, r) {
    this.d += disc(x, y, r, t);
  }
}

/** As much of a canvas's context as pictures of points need; what is drawn is in `group`. */
export class WrittenContext extends WrittenPath {
  globalAlpha = 1;
  lineWidth = 1;
  strokeStyle = "#000000";
  fillStyle = "#000000";

  constructor() {
    super();
    this.group = svgNode("g");
  }

  /** What was drawn, with its origin at x, y. */
  at(x, y) {
    this.group.setAttribute("transform", `translate(${t(x)} ${t(y)})`);
    return this.group;
  }

  beginPath() {
    this.d = "";
  }

  /** Fills a path, or what was drawn since the last beginPath. */
  fill(path = this) {
    this.#put(path.d, { fill: this.fillStyle, stroke: "none" });
  }

  /** Strokes a path, or what was drawn since the last beginPath. */
  stroke(path = this) {
    this.#put(path.d, { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth });
  }

  // A path that begins with nothing but a move, such as before a circle, draws nothing there.
  #put(d, style) {
    const { globalAlpha: opacity } = this;
    if (d) this.group.append(svgNode("path", { d, ...style, ...(opacity < 1 ? { opacity } : {}) }));
  }
}

// Hundredths of a pixel.
function t(value) {
  return Math.round(value * 100) / 100;
}
