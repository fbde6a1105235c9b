import { say } from "./panel.js";
import { disc, renew, svgNode } from "./svg.js";

const PLAIN = { fill: "none", stroke: "none", "stroke-width": 1.5, "stroke-dasharray": "", opacity: 1 };
const PATH = { ...PLAIN, "fill-rule": "evenodd" };
const TEXT = { ...PLAIN, "font-size": 12, "font-weight": 400, "text-anchor": "start", "dominant-baseline": "auto" };

/**
 * Draws paths and words in a group, frame after frame, in the same nodes: call `path`, `dot` and `text` in order, then `done`.
 *
 * Strokes are in pixels, whatever the unit of the group.
 */
export class Pen {
  /** @type {Record<string, {nodes: SVGElement[], used: number}>} */
  #pools = { path: { nodes: [], used: 0 }, text: { nodes: [], used: 0 } };

  constructor(group) {
    this.group = group;
  }

  /** A path; `style` has SVG attributes: stroke, fill, "stroke-width", "stroke-dasharray", opacity. Nothing for "". */
  path(d, style = {}) {
    if (d) this.#next("path", { ...PATH, d, ...style });
  }

  /** A circle of `r` (units of the group) at {x, y}. */
  dot({ x, y }, r, style = {}) {
    this.path(disc(x, y, r), style);
  }

  /** Words at {x, y}; `style` has SVG attributes. */
  text({ x, y }, words, style = {}) {
    say(this.#next("text", { ...TEXT, x, y, ...style }), words);
  }

  /** Ends the frame: what was drawn before and is not drawn now disappears. */
  done() {
    for (const { nodes, used } of Object.values(this.#pools)) {
      for (const node of nodes.slice(used)) node.nodeName === "text" ? say(node, "") : renew(node, { d: "" });
    }
    for (const pool of Object.values(this.#pools)) pool.used = 0;
  }

  #next(kind, attributes) {
    const pool = this.#pools[kind];
    const node = pool.nodes[pool.used] ??= this.group.appendChild(svgNode(kind));
    pool.used += 1;
    renew(node, attributes);
    return node;
  }
}
