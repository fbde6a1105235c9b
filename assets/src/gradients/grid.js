import { REACH } from "./panel.js";
import { columnsFor, largestIn, presentedHeight } from "../draw/columns.js";
import { element } from "../draw/panel.js";
import { projected } from "../draw/sphere.js";

const LARGEST = 340; // px of a picture
const LEAST = 172; // px of a panel, where there is room for more than two
const GAP = 8; // px between panels
const [WORDS, TITLE] = [56, 26]; // px above and below a panel that is presented, and of its title alone
const SMALLEST = 80; // px of a picture that is presented with words below
const ENOUGH = 130; // px of a picture that is presented with a chart below
const ABOVE = 12; // px between a bar and the panels

/** Panels side by side, all of one size and seen from one side. */
export class Grid {
  /** @type {SmallPanel[]} */ panels = [];

  /** `resized` is called when there is more room, or less. @param {() => void} resized @param {PanelKind} Kind */
  constructor(resized, Kind) {
    this.Kind = Kind;
    this.root = element("div", { class: "dml-gradients-grid" });
    this.sizes = new ResizeObserver(resized);
    this.sizes.observe(this.root);
  }

  close() {
    this.sizes.disconnect();
  }

  // Draws contents by their factors; `frame` is {camera, look, draw, lit, names, reach}.
  /** @param {BoardContent[]} contents @param {number[]} factors @param {GridFrame} frame */
  draw(contents, factors, frame) {
    while (this.panels.length < contents.length) {
      const panel = new this.Kind();
      this.panels.push(panel);
      this.root.append(panel.root);
    }
    while (this.panels.length > contents.length) this.panels.pop().root.remove();
    const wide = this.root.clientWidth;
    if (!wide) return;
    const above = /** @type {HTMLElement} */ (this.root.previousElementSibling)?.offsetHeight ?? 0;
    const tall = presentedHeight(this.root) - (above && above + ABOVE);
    // What is below the pictures is left out where they would be too small.
    const below = this.Kind.below ?? 0;
    const whole = largestIn(wide, tall, contents.length, GAP, WORDS + below);
    const bare = tall < Infinity && below > 0 && whole.side < ENOUGH;
    const worded = bare ? largestIn(wide, tall, contents.length, GAP, WORDS) : whole;
    const alone = tall < Infinity && worded.side < SMALLEST;
    const fit = alone ? largestIn(wide, tall, contents.length, GAP, TITLE) : worded;
    this.root.dataset.alone = String(alone);
    const columns = tall < Infinity ? fit.columns : columnsFor(wide, contents.length, LEAST, GAP);
    const template = `repeat(${columns}, minmax(0, 1fr))`;
    if (this.root.style.gridTemplateColumns !== template) this.root.style.gridTemplateColumns = template;
    const room = (wide - GAP * (columns - 1)) / columns;
    this.size = Math.floor(tall < Infinity ? Math.max(fit.side, 1) : Math.min(room, LARGEST));
    this.unit = this.size / 2 / (frame.reach ?? REACH);
    /** @type {Map<Numbers, SeenRows>} */ const known = new Map();
    /** Points that panels share are projected once for all. @param {BoardContent} content */
    const shared = ({ z, dim }) => {
      if (!known.has(z)) known.set(z, projected(z, dim, frame.camera));
      return known.get(z);
    };
    contents.forEach((content, k) => {
      Object.assign(this.panels[k].root.dataset, { loss: content.name, corner: String(k === columns - 1) });
      this.panels[k].draw(content, factors[k], { ...frame, size: this.size, unit: this.unit, shared, bare });
    });
  }

  /** The panel around a node. @param {EventTarget | null} node */
  around(node) {
    const root = node instanceof Element ? node.closest(".dml-gradients-panel") : null;
    return this.panels.find((panel) => panel.root === root) ?? null;
  }
}
