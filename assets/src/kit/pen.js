import { disc, renew, svgNode } from "./svg.js";

const PLAIN = {
  fill: "none",
  stroke: "none",
  "stroke-width": 1.5,
  "stroke-dasharray": "",
  opacity: 1,
  "fill-rule": "evenodd",
};

/**
 * Draws paths in a group, frame after frame, in the same nodes: call `path` and `dot` in order, then `done`.
 *
 * Strokes are in pixels, whatever the unit of the group.
 */
export class Pen {
  #nodes = [];
  #used = 0;

  constructor(group) {
    this.group = group;
  }

  /** A path; `style` has SVG attributes: stroke, fill, "stroke-width", "stroke-dasharray", opacity. Nothing for "". */
  path(d, style = {}) {
    if (!d) return;
    this.#nodes[this.#used] ??= this.group.appendChild(svgNode("path"));
    renew(this.#nodes[this.#used], { ...PLAIN, d, ...style });
    this.#used += 1;
  }

  /** A circle of `r` (units of the group) at {x, y}. */
  dot({ x, y }, r, style = {}) {
    this.path(disc(x, y, r), style);
  }

  /** Ends the frame: what was drawn before and is not drawn now disappears. */
  done() {
    for (let k = this.#used; k < this.#nodes.length; k += 1) renew(this.#nodes[k], { d: "" });
    this.#used = 0;
  }
}
