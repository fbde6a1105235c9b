// All rows of a file as points: in vectors up to `IN_VECTORS` points, else in pixels.

import { Disc } from "./disc.js";
import { DiscControls } from "./disc_controls.js";
import { element } from "./panel.js";
import { PointsCanvas } from "./points_canvas.js";
import { Repaint } from "./repaint.js";
import { renew, svgNode } from "./svg.js";

/** Points up to which a picture on the page, and one in a file, is in vectors. */
export const [IN_VECTORS, IN_FILES] = [2000, 5000];
const IMAGE = 26; // px of a point's image

/** What colours points: the kind of each, the look of a kind, and which points (1) are pale, if any.
 * @typedef {{kindOf: ArrayLike<number>, ofKind: (kind: number) => {colour: string, marker: string}, pale?: Uint8Array | null}} Paint
 */

/** A disc of many rows, which draws itself. */
export class Cloud extends Disc {
  /** @type {Packed} */ rows = Object.assign(new Float32Array(), { shape: [0, 2] });
  /** @type {Paint} */ paint = { kindOf: [], ofKind: () => ({ colour: "", marker: "" }) };
  /** @type {number | null} */ lit = null; // the point that is pointed at
  /** @type {{other: number, right: boolean}[] | null} */ joined = null; // points that a line joins to the lit one
  /** @type {{row: number, href: string}[]} */ images = []; // of points that are shown by their images
  onView = () => {}; // is called when other points come into sight
  #changed = true; // points or colours, since they were drawn last
  #turned = false; // whether the points are seen from another side than `seen` says
  #view = ""; // how the points on the canvas are seen
  #repaint = new Repaint(() => this.#draw());
  #sizes = new ResizeObserver(() => this.redraw());

  /** `hover(point)` is told of the point that is pointed at, or null; `select(point)` of one that is clicked, null beside all.
   * @param {(point: number | null) => void} hover @param {(point: number | null) => void} select */
  constructor(hover = () => {}, select = () => {}) {
    super();
    this.hover = hover;
    this.sheet = this.svg.insertBefore(svgNode("g"), this.above.group);
    this.canvas = new PointsCanvas();
    this.root = element("div", { class: "dml-disc", role: "group", tabindex: 0 }, this.canvas.root, this.svg);
    const lit = () => this.lit;
    const [next, redraw] = [(/** @type {number} */ by) => this.#next(by), () => this.redraw()];
    this.controls = new DiscControls(this, this.root, this.root, {
      hover: (point) => this.#point(point),
      select,
      next,
      lit,
      redraw,
    });
    this.#sizes.observe(this.root);
  }

  get count() {
    return this.rows.shape[0];
  }

  /** Takes other points (n, 2 or 3). @param {Packed} rows */
  take(rows) {
    Object.assign(this, { rows, lit: null, joined: null, most: 1, solid: rows.shape[1] === 3 });
    this.depict([]);
    this.round = this.solid;
    this.among = [...Array(this.count).keys()];
    this.root.classList.toggle("dml-solid", this.solid);
    this.#see();
    this.whole();
  }

  /** Takes other colours. @param {Paint} paint @param {Look} look */
  colour(paint, look) {
    Object.assign(this, { paint, look, pale: paint.pale ?? null });
    this.#changed = true;
    this.redraw();
  }

  whole() {
    Object.assign(this, { width: this.root.clientWidth, height: this.root.clientHeight });
    if (this.solid) this.show({ x: 0, y: 0 }, 1);
    else this.zoomTo(null, 1);
  }

  /** @param {number} right @param {number} down */ turn(right, down) {
    super.turn(right, down);
    this.#turned = true; // the points are projected once they are needed here: the canvas projects them itself
    this.onView();
  }

  /** @param {Place} middle @param {number} reach */ show(middle, reach) {
    super.show(middle, reach);
    this.onView();
    this.redraw();
  }

  /** The points in sight, none if they are more than `most`. @param {number} most */
  inSight(most) {
    if (this.#turned) this.#see();
    const within = [];
    for (let i = 0; i < this.count; i += 1) {
      if (!this.pale?.[i] && this.seen.front[i] && this.pixel(i).inside) within.push(i);
      if (within.length > most) return [];
    }
    return within;
  }

  /** Shows points by their images, those alone. @param {{row: number, href: string}[]} images */
  depict(images) {
    this.images = images;
    this.sheet.replaceChildren(
      ...images.map(({ href }) => svgNode("image", { href, width: IMAGE, height: IMAGE, style: "image-rendering: pixelated" })),
    );
    this.redraw();
  }

  /** Joins points to the lit one by lines; null for none. @param {{other: number, right: boolean}[] | null} joined */
  join(joined) {
    this.joined = joined;
    this.redraw();
  }

  /** Draws before the next repaint. */
  redraw() {
    this.#repaint.request();
  }

  /** Whether all that was asked for is drawn. */
  get settled() {
    return !this.#repaint.waiting;
  }

  /** The picture in a square of `side` px, for a file. @param {number} side */
  written(side) {
    this.#picture({ width: side, height: side, file: true });
    const group = this.copy();
    for (const image of group.querySelectorAll("image")) image.dmlStays = true;
    this.#draw();
    return group;
  }

  close() {
    this.#sizes.disconnect();
    this.canvas.close();
    this.root.remove();
  }

  #see() {
    this.#turned = false;
    this.seen = this.project(this.rows, this.rows.shape[1]);
  }

  /** @param {number} i */ pixel(i) {
    if (this.#turned) this.#see();
    return super.pixel(i);
  }

  /** @param {{clientX: number, clientY: number, pointerType?: string}} event @param {Element} [root] @param {number} [reach] */
  pointAt(event, root, reach) {
    if (this.#turned) this.#see();
    return super.pointAt(event, root, reach);
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!(width && height)) return;
    this.#picture({ width, height, file: false });
    this.#changed = false;
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  /** @param {{width: number, height: number, file: boolean}} frame */ #picture({ width, height, file }) {
    const { look, paint, solid, count } = this;
    if (!look.ink) return;
    const vectors = count <= (file ? IN_FILES : IN_VECTORS);
    if (this.#turned && (vectors || file || this.lit !== null)) this.#see();
    const { seen } = this;
    const nearer = (this.most / this.reach) ** 0.3;
    const size = Math.min(7, Math.max(1.2, 22 / Math.max(4, count ** 0.25) - 0.35) * nearer);
    this.begin({ width, height });
    const { left, top, unit } = this;
    this.canvas.root.hidden = vectors;
    const frame = { width, height, camera: solid ? this.camera : null, left, top, unit, size };
    if (vectors) this.points(paint.kindOf, this.among, { size, edge: 0.4, ofKind: paint.ofKind });
    else if (file) this.#image(frame);
    else {
      const sharp = window.devicePixelRatio || 1;
      const { turn, tilt } = this.camera;
      const view = [width, height, left, top, unit, size, sharp, turn, tilt].join(" ");
      const other = this.#changed || this.canvas.rows !== this.rows;
      if (other) this.canvas.take(this.rows, paint);
      // A ring around a point leaves the points as they are.
      if (other || view !== this.#view) this.canvas.draw({ ...frame, sharp });
      this.#view = view;
    }
    this.images.forEach(({ row }, k) => {
      const { x, y } = this.pixel(row);
      renew(/** @type {SVGElement} */ (this.sheet.children[k]), { x: x - IMAGE / 2, y: y - IMAGE / 2 });
    });
    if (!file && this.lit !== null && this.lit < count) {
      for (const { other, right } of this.joined ?? []) {
        const line = `M${this.px(seen.x[this.lit], seen.y[this.lit])}L${this.px(seen.x[other], seen.y[other])}`;
        this.above.path(line, { stroke: right ? look.positive : look.negative, "stroke-width": 1.5, opacity: 0.8 });
      }
      this.ring(this.lit, size + 4);
    }
    this.done();
    if (!file) this.picture?.remove();
  }

  /** @param {Omit<PointsFrame, "sharp">} frame */ #image(frame) {
    const canvas = new PointsCanvas();
    canvas.take(this.rows, this.paint);
    canvas.draw({ sharp: 2, ...frame });
    this.picture = svgNode("image", { width: frame.width, height: frame.height, href: canvas.root.toDataURL() });
    this.svg.insertBefore(this.picture, this.svg.firstChild);
    canvas.close();
  }

  /** @param {number | null} point */ #point(point) {
    if (point === this.lit) return;
    this.lit = point;
    this.redraw();
    this.hover(point);
  }

  // The next point in sight that is not pale.
  /** @param {number} by */ #next(by) {
    const { count, pale } = this;
    let next = this.lit ?? (by > 0 ? -1 : count);
    for (let k = 0; k < count; k += 1) {
      next = (next + by + count) % count;
      if (!pale?.[next] && this.pixel(next).inside) return next;
    }
    return null;
  }
}
