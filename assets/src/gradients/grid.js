import { REACH } from "./panel.js";
import { columnsFor, largestIn, presentedHeight } from "../draw/columns.js";
import { element } from "../draw/panel.js";
import { renew } from "../draw/svg.js";
import { projected } from "../draw/sphere.js";

const LARGEST = 340; // px of a picture
const LEAST = 172; // px of a panel, where there is room for more than two
const GAP = 8; // px between panels
const [WORDS, TITLE] = [56, 26]; // px above and below a panel that is presented, and of its title alone
const SMALLEST = 80; // px of a picture that is presented with words below
const ENOUGH = 130; // px of a picture that is presented with a chart below
const ABOVE = 12; // px between a bar and the panels
const HEAD = 24; // px of a panel's title: one of which no more is in sight is out of sight

/** Panels side by side, all of one size and seen from one side. */
export class Grid {
  /** @type {SmallPanel[]} */ panels = [];
  bare = false; // whether what is below the pictures is left out
  columns = 1;
  size = 0; // px of a picture, and px of a unit in it
  unit = 1;

  /** `resized` is called when there is more room, or less. @param {() => void} resized @param {PanelKind} Kind */
  constructor(resized, Kind) {
    this.Kind = Kind;
    this.root = element("div", { class: "dml-gradients-grid" });
    this.sizes = new ResizeObserver(resized);
    this.sizes.observe(this.root);
    /** @param {IntersectionObserverEntry[]} entries */ const sighted = (entries) => {
      for (const { target, isIntersecting } of entries) this.around(target).unseen = !isIntersecting;
      if (this.inSight) resized();
    };
    this.sight = new IntersectionObserver(sighted, { rootMargin: `0px 0px -${HEAD}px` });
  }

  close() {
    this.sizes.disconnect();
    this.sight.disconnect();
  }

  /** Whether a panel may be in sight. */
  get inSight() {
    return this.panels.some(({ unseen }) => !unseen);
  }

  // Draws contents by their factors; `frame` is {camera, look, draw, lit, names, reach}. In a frame that is `passing`, as while a
  // point is dragged, no panel out of sight is drawn.
  /** @param {BoardContent[]} contents @param {number[]} factors @param {GridFrame} frame */
  draw(contents, factors, { passing = false, ...frame }) {
    const same = passing && this.panels.length === contents.length;
    while (this.panels.length < contents.length) {
      const panel = new this.Kind();
      this.panels.push(panel);
      this.root.append(panel.root);
      this.sight.observe(panel.root);
    }
    while (this.panels.length > contents.length) {
      const { root } = this.panels.pop();
      this.sight.unobserve(root);
      root.remove();
    }
    if (!same && !this.#fit(contents.length, frame.reach)) return;
    /** @type {Map<Numbers, SeenRows>} */ const known = new Map();
    /** Points that panels share are projected once for all. @param {BoardContent} content */
    const shared = ({ z, dim }) => {
      if (!known.has(z)) known.set(z, projected(z, dim, frame.camera));
      return known.get(z);
    };
    const { columns, bare, size, unit } = this;
    contents.forEach((content, k) => {
      const panel = this.panels[k];
      if (passing && panel.unseen) return;
      renew(panel.root, { "data-loss": content.name, "data-corner": String(k === columns - 1) });
      panel.draw(content, factors[k], { ...frame, size, unit, shared, bare });
    });
  }

  /** Lays `many` panels out; returns whether there is room. @param {number} many @param {number} [reach] */
  #fit(many, reach = REACH) {
    const wide = this.root.clientWidth;
    if (!wide) return false;
    const above = /** @type {HTMLElement} */ (this.root.previousElementSibling)?.offsetHeight ?? 0;
    const tall = presentedHeight(this.root) - (above && above + ABOVE);
    // What is below the pictures is left out where they would be too small.
    const below = this.Kind.below ?? 0;
    const whole = largestIn(wide, tall, many, GAP, WORDS + below);
    this.bare = tall < Infinity && below > 0 && whole.side < ENOUGH;
    const worded = this.bare ? largestIn(wide, tall, many, GAP, WORDS) : whole;
    const alone = tall < Infinity && worded.side < SMALLEST;
    const fit = alone ? largestIn(wide, tall, many, GAP, TITLE) : worded;
    this.root.dataset.alone = String(alone);
    const columns = this.columns = tall < Infinity ? fit.columns : columnsFor(wide, many, LEAST, GAP);
    const template = `repeat(${columns}, minmax(0, 1fr))`;
    if (this.root.style.gridTemplateColumns !== template) this.root.style.gridTemplateColumns = template;
    const room = (wide - GAP * (columns - 1)) / columns;
    this.size = Math.floor(tall < Infinity ? Math.max(fit.side, 1) : Math.min(room, LARGEST));
    this.unit = this.size / 2 / reach;
    return true;
  }

  /** The panel around a node. @param {EventTarget | null} node */
  around(node) {
    const root = node instanceof Element ? node.closest(".dml-gradients-panel") : null;
    return this.panels.find((panel) => panel.root === root) ?? null;
  }
}
