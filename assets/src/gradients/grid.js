import { REACH } from "./panel.js";
import { seen } from "./view.js";
import { columnsFor } from "../kit/columns.js";
import { nearest } from "../kit/nearest.js";
import { inPixels } from "../kit/points.js";
import { element } from "../kit/panel.js";
import { graticule } from "../kit/sphere.js";
import { within } from "../kit/place.js";

const LARGEST = 340; // px of a picture
const LEAST = 172; // px of a panel, where there is room for more than two
const GAP = 8; // px between panels

/** Panels side by side, all of one size and seen from one side. */
export class Grid {
  panels = [];

  /** `resized` is called when there is more room, or less. */
  constructor(resized, Kind) {
    this.Kind = Kind;
    this.root = element("div", { class: "dml-gradients-grid" });
    this.sizes = new ResizeObserver(resized);
    this.sizes.observe(this.root);
  }

  close() {
    this.sizes.disconnect();
  }

  /** Draws contents by their factors; `frame` is {basis, look, draw, lit, names, reach}. */
  draw(contents, factors, frame) {
    while (this.panels.length < contents.length) {
      const panel = new this.Kind();
      this.panels.push(panel);
      this.root.append(panel.root);
    }
    while (this.panels.length > contents.length) this.panels.pop().root.remove();
    const wide = this.root.clientWidth;
    if (!wide) return;
    const columns = columnsFor(wide, contents.length, LEAST, GAP);
    const template = `repeat(${columns}, minmax(0, 1fr))`;
    if (this.root.style.gridTemplateColumns !== template) this.root.style.gridTemplateColumns = template;
    const room = (wide - GAP * (columns - 1)) / columns;
    this.size = Math.floor(Math.min(room, LARGEST));
    this.unit = this.size / 2 / (frame.reach ?? REACH);
    const known = new Map();
    // Where panels share their points, these are seen once for all.
    const shared = ({ z, n, dim }) => {
      if (!known.has(z)) known.set(z, seen(z, n, dim, frame.basis));
      return known.get(z);
    };
    const net = frame.basis ? this.#graticule(frame.basis) : null;
    contents.forEach((content, k) => {
      Object.assign(this.panels[k].root.dataset, { loss: content.name, corner: k === columns - 1 });
      this.panels[k].draw(content, factors[k], { ...frame, size: this.size, unit: this.unit, shared, graticule: net });
    });
  }

  /** The panel around a node. */
  around(node) {
    const root = node.closest?.(".dml-gradients-panel");
    return this.panels.find((panel) => panel.root === root) ?? null;
  }

  /** The point of a panel nearest to the pointer within `reach` px, those in front first; null for none. */
  nearest(panel, event, reach, basis) {
    const [left, top] = within(panel.svg, event);
    const { z, n, dim } = panel.content;
    const { x, y, front } = inPixels(seen(z, n, dim, basis), this.size / 2, this.unit);
    return nearest(Array(n).keys(), (i) => {
      const away = Math.hypot(left - x[i], top - y[i]);
      return away <= reach ? away + (front[i] ? 0 : reach) : Infinity;
    });
  }

  // The basis stands for a camera: seen by it, the axes are its columns.
  #graticule({ right, up, eye }) {
    const side = String([right, up]);
    if (side === this.side) return this.net;
    this.side = side;
    const project = (points) => {
      const n = points.length / 3;
      const found = { x: new Float32Array(n), y: new Float32Array(n), depth: new Float32Array(n) };
      for (let i = 0; i < n; i += 1) {
        for (let k = 0; k < 3; k += 1) {
          const value = points[3 * i + k];
          found.x[i] += right[k] * value;
          found.y[i] += up[k] * value;
          found.depth[i] += eye[k] * value;
        }
      }
      return found;
    };
    this.net = graticule({ project });
    return this.net;
  }
}
