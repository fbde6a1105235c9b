// Points on a plane, a circle or a sphere: in vectors up to `IN_VECTORS` points, else by WebGL or, without it, on a canvas.

import { drawPoints, inPixels, px } from "./marker.js";
import { element } from "./panel.js";
import { follow, reachOf, within } from "./pointing.js";
import { PointsCanvas } from "./points_canvas.js";
import { Repaint } from "./repaint.js";
import { Camera, graticule, projected } from "./sphere.js";
import { Pen, polyline, renew, svgNode } from "./svg.js";

/** Points up to which a picture on the page, and one in a file, is in vectors. */
export const [IN_VECTORS, IN_FILES] = [2000, 5000];
const EDGE = 8; // px around the points
const [STEP, NEARER, NEAREST, TURN] = [40, 1.5, 4000, Math.PI / 36]; // px, times, times, and radians of a key
const AROUND = 40; // times nearer than all points, at most, where one point is searched
const WHEEL = 0.002; // of a pixel of a wheel
const [CLOSE, OUTSIDE] = [0.6, 0.04]; // of the picture, for the points that it is zoomed to; of these, at each end, for strays
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What colours points: the kind of each, the look of a kind, and which points (1) are pale, if any.
 * @typedef {{kindOf: ArrayLike<number>, ofKind: (kind: number) => {colour: string, marker: string}, pale?: Uint8Array | null}} Paint
 */

/** A picture of points: what is seen of them, and what pointers and keys do to that. */
export class Disc {
  camera = new Camera();
  /** @type {Packed} */ rows = Object.assign(new Float32Array(), { shape: [0, 2] });
  /** @type {Paint} */ paint = { kindOf: [], ofKind: () => ({ colour: "", marker: "" }) };
  /** @type {Look | null} */ look = null;
  /** @type {number | null} */ lit = null; // the point that is pointed at
  middle = { x: 0, y: 0 }; // in units
  reach = 1; // units from the middle of the picture to its nearer edge
  most = 1; // the same where all points are seen
  /** @type {SeenRows | null} */ #seen = null;
  /** @type {Map<number, {x: number, y: number}>} */ #fingers = new Map();
  #changed = true; // points or colours, since they were drawn last
  #repaint = new Repaint(() => this.#draw());
  #sizes = new ResizeObserver(() => this.redraw());

  /** `hover(point)` is told of the point that is pointed at, or null; `select(point)` of one that is clicked, null beside all.
   * @param {(point: number | null) => void} hover @param {(point: number | null) => void} select */
  constructor(hover = () => {}, select = () => {}) {
    this.hover = hover;
    this.select = select;
    this.svg = svgNode("svg", { "aria-hidden": "true" });
    this.pen = new Pen(this.svg.appendChild(svgNode("g")));
    this.above = new Pen(this.svg.appendChild(svgNode("g")));
    this.canvas = new PointsCanvas();
    this.root = element("div", { class: "dml-disc", role: "group", tabindex: 0 }, this.canvas.root, this.svg);
    /** @template {keyof HTMLElementEventMap} K @param {K} type @param {(event: HTMLElementEventMap[K]) => void} act */
    const on = (type, act) => this.root.addEventListener(type, act);
    on("pointermove", (event) => event.buttons || this.#point(this.#at(event)));
    on("pointerleave", () => this.#point(null));
    on("blur", () => this.#point(null));
    on("pointerdown", (event) => this.#press(event));
    on("wheel", (event) => this.#wheel(event));
    on("keydown", (event) => this.#key(event));
    this.#sizes.observe(this.root);
  }

  get solid() {
    return this.rows.shape[1] === 3;
  }

  get count() {
    return this.rows.shape[0];
  }

  /** Where all points are seen, in units. */
  get seen() {
    return (this.#seen ??= projected(this.rows, this.rows.shape[1], this.solid ? this.camera : null));
  }

  /** Takes other points (n, 2 or 3). @param {Packed} rows */
  take(rows) {
    this.rows = rows;
    this.#seen = this.lit = null;
    this.most = 1;
    this.root.classList.toggle("dml-solid", this.solid);
    this.whole();
  }

  /** Takes other colours. @param {Paint} paint @param {Look} look */
  colour(paint, look) {
    Object.assign(this, { paint, look });
    this.#changed = true;
    this.redraw();
  }

  /** Shows all points. */
  whole() {
    if (this.solid) this.#look({ x: 0, y: 0 }, 1);
    else this.zoomTo(null, 1);
  }

  /** Shows most of `points` (null: all of all), which take that share of the picture. @param {number[] | null} points */
  zoomTo(points, share = CLOSE) {
    if (!(points ?? this.seen.x).length) return;
    const [[left, right], [low, high]] = [this.seen.x, this.seen.y].map((values) => {
      const sorted = Float64Array.from(points ? points.map((i) => values[i]) : values).sort();
      const outside = points ? Math.floor(OUTSIDE * sorted.length) : 0;
      return [sorted[outside], sorted[sorted.length - 1 - outside]];
    });
    const across = Math.max(right - left, high - low) / 2;
    if (!points) this.most = across || 1;
    this.#look({ x: (left + right) / 2, y: (low + high) / 2 }, Math.max(across / share, points ? this.most / AROUND : 0) || 1);
  }

  /** Zooms in by a factor, about a place in the picture (px from its middle). @param {number} by */
  zoom(by, { x, y } = { x: 0, y: 0 }) {
    const most = 2 * this.most;
    const reach = Math.min(most, Math.max(this.reach / by, most / NEAREST));
    const gone = (this.reach - reach) / this.#half;
    this.#look({ x: this.middle.x + gone * x, y: this.middle.y - gone * y }, reach);
  }

  /** Moves the points by pixels, or turns the sphere. @param {number} right @param {number} down */
  move(right, down) {
    const unit = this.reach / this.#half;
    if (this.solid) {
      this.camera.rotate(right * unit, down * unit);
      this.#seen = null;
      this.redraw();
    } else this.#look({ x: this.middle.x - right * unit, y: this.middle.y + down * unit }, this.reach);
  }

  /** Where point `i` is drawn, in px; whether that is in the picture. @param {number} i */
  pixel(i) {
    const { clientWidth: width, clientHeight: height } = this.root;
    const unit = this.#half / this.reach;
    const x = width / 2 + (this.seen.x[i] - this.middle.x) * unit;
    const y = height / 2 - (this.seen.y[i] - this.middle.y) * unit;
    return { x, y, inside: x >= 0 && y >= 0 && x <= width && y <= height };
  }

  /** The point nearest to a pointer within its reach, one in front first; null for none. One look at each of 65,536 takes less
   * than a millisecond: no grid has to be kept. @param {{clientX: number, clientY: number, pointerType?: string}} event */
  pointAt(event) {
    const [left, top] = within(this.root, event);
    const unit = this.reach / this.#half;
    const x = this.middle.x + (left - this.root.clientWidth / 2) * unit;
    const y = this.middle.y - (top - this.root.clientHeight / 2) * unit;
    const reach = reachOf(event) * unit;
    const { seen, paint: { pale } } = this;
    let [found, least] = [-1, Infinity];
    for (let i = 0; i < seen.x.length; i += 1) {
      const [right, up] = [seen.x[i] - x, seen.y[i] - y];
      if (right > reach || right < -reach || up > reach || up < -reach) continue;
      const cost = Math.hypot(right, up) + (seen.front[i] ? 0 : reach) + (pale?.[i] ? 2 * reach : 0);
      if (cost < least && Math.hypot(right, up) <= reach) [found, least] = [i, cost];
    }
    return found < 0 ? null : found;
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
    const group = svgNode("g", {}, ...[...this.svg.children].map((child) => child.cloneNode(true)));
    for (const image of group.querySelectorAll("image")) image.dmlStays = true;
    this.#draw();
    return group;
  }

  close() {
    this.#sizes.disconnect();
    this.canvas.close();
    this.root.remove();
  }

  get #half() {
    return Math.max(1, Math.min(this.root.clientWidth, this.root.clientHeight) / 2 - EDGE);
  }

  /** @param {Place} middle @param {number} reach */ #look(middle, reach) {
    Object.assign(this, { middle, reach });
    // A finger scrolls the page until there is something to move.
    this.root.style.touchAction = this.solid || reach < 0.99 * this.most ? "none" : "pan-y";
    this.redraw();
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.root;
    if (!(width && height)) return;
    this.#picture({ width, height, file: false });
    this.#changed = false;
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  /** @param {{width: number, height: number, file: boolean}} frame */ #picture({ width, height, file }) {
    const { look, paint, solid, camera, middle, seen, count } = this;
    if (!look) return;
    const unit = Math.max(1, Math.min(width, height) / 2 - EDGE) / this.reach;
    const [left, top] = [width / 2 - middle.x * unit, height / 2 + middle.y * unit];
    /** @param {number} x @param {number} y */ const write = (x, y) => px(left + unit * x, top - unit * y);
    const vectors = count <= (file ? IN_FILES : IN_VECTORS);
    const nearer = (this.most / this.reach) ** 0.3;
    const size = Math.min(7, Math.max(1.2, 22 / Math.max(4, count ** 0.25) - 0.35) * nearer);
    renew(this.svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    if (solid) {
      this.pen.path(polyline(graticule(camera).front, write), { stroke: look.faint, "stroke-width": 1 });
      this.pen.dot({ x: left, y: top }, unit, { stroke: look.quiet });
    }
    this.canvas.root.hidden = vectors;
    if (vectors) this.#vectors(inPixels(seen, 0, unit), { left, top, size });
    else if (file) this.#image(width, height, { camera: solid ? camera : null, left, top, unit, size });
    else {
      const sharp = window.devicePixelRatio || 1;
      if (this.#changed || this.canvas.rows !== this.rows) this.canvas.take(this.rows, paint);
      this.canvas.draw(seen, { width, height, sharp, camera: solid ? camera : null, left, top, unit, size });
    }
    this.pen.done();
    const lit = file ? null : this.lit;
    if (lit !== null && lit < count) {
      const at = { x: left + unit * seen.x[lit], y: top - unit * seen.y[lit] };
      for (const [stroke, wide] of [[look.paper, 4.5], [look.ink, 2]]) {
        this.above.dot(at, size + 4, { stroke, "stroke-width": wide });
      }
    }
    this.above.done();
    if (!file) this.picture?.remove();
  }

  /** @param {Places} at @param {{left: number, top: number, size: number}} frame */ #vectors(at, { left, top, size }) {
    const { paint: { kindOf, ofKind, pale }, seen } = this;
    const look = { .../** @type {Look} */ (this.look), ofClass: ofKind };
    for (const [faint, opacity] of pale ? /** @type {const} */ ([[1, 0.15], [0, 1]]) : /** @type {const} */ ([[0, 1]])) {
      const these = [...Array(this.count).keys()].filter((i) => (pale?.[i] ?? 0) === faint);
      /** @param {Numbers} values @param {number} from */ const part = (values, from) => these.map((i) => from + values[i]);
      const places = { x: part(at.x, left), y: part(at.y, top), front: these.map((i) => Number(!faint && seen.front[i])) };
      const kinds = these.map((i) => kindOf[i]);
      drawPoints(this.pen, kinds, places, size, look, 1, faint ? 0 : 0.4 * opacity);
    }
  }

  /** @param {number} width @param {number} height @param {Omit<PointsFrame, "width" | "height" | "sharp">} frame */
  #image(width, height, frame) {
    const canvas = new PointsCanvas();
    canvas.take(this.rows, this.paint);
    canvas.draw(this.seen, { width, height, sharp: 2, ...frame });
    this.picture = svgNode("image", { width, height, href: canvas.root.toDataURL() });
    this.svg.insertBefore(this.picture, this.svg.firstChild);
    canvas.close();
  }

  /** @param {{clientX: number, clientY: number, pointerType?: string}} event */ #at(event) {
    return this.count ? this.pointAt(event) : null;
  }

  /** @param {number | null} point */ #point(point) {
    if (point === this.lit) return;
    this.lit = point;
    this.redraw();
    this.hover(point);
  }

  /** @param {PointerEvent} down */ #press(down) {
    if (down.button !== 0) return;
    const fingers = this.#fingers.set(down.pointerId, { x: down.clientX, y: down.clientY });
    const apart = () => {
      const [a, b] = fingers.values();
      return Math.hypot(a.x - b.x, a.y - b.y);
    };
    const click = () => {
      const point = this.#at(down);
      this.#point(point);
      this.select(point);
    };
    follow(down, {
      move: ({ clientX: x, clientY: y }, right, below) => {
        const before = fingers.size === 2 ? apart() : 0;
        fingers.set(down.pointerId, { x, y });
        this.#point(null);
        if (before) this.zoom(apart() / before);
        else if (fingers.size === 1) this.move(right, below);
      },
      over: () => fingers.delete(down.pointerId),
      click,
    });
  }

  // A wheel alone scrolls the page; two fingers that spread on a touchpad are a wheel with the key.
  /** @param {WheelEvent} event */ #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [left, top] = within(this.root, event);
    const at = { x: left - this.root.clientWidth / 2, y: top - this.root.clientHeight / 2 };
    this.zoom(Math.exp(-event.deltaY * WHEEL * (Math.abs(event.deltaY) < 50 ? 5 : 1)), at);
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const { key } = event;
    const arrow = ARROWS[key];
    const step = this.solid ? (TURN * this.#half) / this.reach : -STEP;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow) this.move(arrow[0] * step, arrow[1] * step);
    else if (key === "+" || key === "=") this.zoom(NEARER);
    else if (key === "-") this.zoom(1 / NEARER);
    else if (key === "0" || key === "Home") this.whole();
    else if (key === "n" || key === "p") this.#step(key === "n" ? 1 : -1);
    else if (key === "Enter" && this.lit !== null) this.select(this.lit);
    else if (key === "Escape") this.#point(null);
    else return;
    event.preventDefault();
  }

  /** @param {number} by */ #step(by) {
    const { count, paint: { pale } } = this;
    let next = this.lit ?? (by > 0 ? -1 : count);
    for (let k = 0; k < count; k += 1) {
      next = (next + by + count) % count;
      if (!pale?.[next] && this.pixel(next).inside) return this.#point(next);
    }
  }
}
