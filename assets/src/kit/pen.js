import { svgNode } from "./svg.js";

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
    this.#node("path", { d, ...style });
  }

  /** A circle of `r` (units of the group) at {x, y}. */
  dot({ x, y }, r, style = {}) {
    this.#node("path", { d: `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`, ...style });
  }

  /** Ends the frame: what was drawn before and is not drawn now disappears. */
  done() {
    for (let k = this.#used; k < this.#nodes.length; k += 1) set(this.#nodes[k], { d: "" });
    this.#used = 0;
  }

  #node(name, attributes) {
    const { length } = this.#nodes;
    if (this.#used === length) {
      const node = this.group.appendChild(svgNode(name));
      this.#nodes.push({ node, told: {} });
    }
    set(this.#nodes[this.#used], { ...PLAIN, ...attributes });
    this.#used += 1;
  }
}

function set({ node, told }, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (told[name] === value) continue;
    told[name] = value;
    node.setAttribute(name, value);
  }
}
