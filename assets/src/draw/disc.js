// Pictures of points on a plane, a circle or a sphere, in vectors: what is seen of them, and what lies under a pointer.

import { FAINT, mark, px } from "./marker.js";
import { reachOf, within } from "./pointing.js";
import { Camera, graticule, projected } from "./sphere.js";
import { Pen, polyline, renew, svgNode } from "./svg.js";

const EDGE = 8; // px around the points
const NEAREST = 4000; // times
const AROUND = 40; // times nearer than all points, at most, where one point is searched
const [CLOSE, OUTSIDE] = [0.6, 0.04]; // of the picture, for the points that it is zoomed to; of these, at each end, for strays
const MANY = 16; // proxies, beyond which they are small

/** How points are drawn: px from the middle of a mark, how much larger it is on the far side, the width of its edge, the look of
 * a kind of points, and the opacity of a kind.
 * @typedef {{size: number, far?: number, edge?: number, ofKind?: Look["ofClass"], opacity?: (kind: number) => number}} Marks */

/** A picture of points. A frame of it is begun, drawn from the ground up, and done. */
export class Disc {
  camera = new Camera();
  solid = false; // whether it is a sphere, which is seen by the camera
  round = false; // whether it has the rim of a circle or a sphere
  look = /** @type {Look} */ ({}); // given before a frame is begun
  /** @type {number[]} */ among = []; // the points drawn last
  /** @type {ArrayLike<number> | null} */ pale = null; // which of all points (1) give way to others
  /** @type {SeenRows} */ seen = { x: [], y: [], front: new Uint8Array() }; // all points, in units
  middle = { x: 0, y: 0 }; // of the picture, in units
  reach = 1; // units from there to the nearer edge
  most = 1; // the same where all points are seen
  width = 0; // px, as are the next four
  height = 0;
  left = 0; // where the origin is drawn
  top = 0;
  edge = EDGE;
  unit = 1; // px of a unit
  #net = { side: "", front: "", behind: "" };

  /** @param {Drawing} attributes of its node */ constructor(attributes = { "aria-hidden": "true" }) {
    this.svg = svgNode("svg", attributes);
    this.rim = this.svg.appendChild(svgNode("circle", { fill: "none", "stroke-width": 1 }));
    const pen = () => new Pen(this.svg.appendChild(svgNode("g", { "stroke-linecap": "round", "stroke-linejoin": "round" })));
    this.ground = pen();
    this.below = pen(); // what lies under the points
    this.pen = pen();
    this.above = pen();
  }

  /** Where rows of `width` numbers are seen, in units. @param {Numbers} rows @param {number} width */
  project(rows, width) {
    return projected(rows, width, this.solid ? this.camera : null);
  }

  // Begins a frame of so many px, with the rim and the graticule; `back`: with the graticule's far side.
  /** @param {{width: number, height: number, edge?: number, back?: boolean}} frame */
  begin({ width, height, edge = EDGE, back = false }) {
    const { look, ground } = this;
    Object.assign(this, { width, height, edge });
    this.#lay();
    renew(this.svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    renew(this.rim, { cx: this.left, cy: this.top, r: this.round ? this.unit : 0, stroke: look.quiet });
    if (!this.solid) return;
    const { front, behind } = this.#graticule();
    ground.path(front, { stroke: look.faint, "stroke-width": 1 });
    if (back) ground.path(behind, { stroke: look.faint, "stroke-width": 0.8, "stroke-dasharray": "1 4" });
  }

  // The same from the same side as long as it is drawn in the same place.
  #graticule() {
    const { camera: { turn, tilt }, left, top, unit } = this;
    const side = [turn, tilt, left, top, unit].join(" ");
    if (this.#net.side === side) return this.#net;
    const { front, back } = graticule(this.camera);
    return (this.#net = { side, front: polyline(front, this.px), behind: polyline(back, this.px) });
  }

  /** Ends a frame. */
  done() {
    for (const pen of [this.ground, this.below, this.pen, this.above]) pen.done();
  }

  /** A place (units) in px, as paths have it. */
  px = (/** @type {number} */ x, /** @type {number} */ y) => px(this.left + this.unit * x, this.top - this.unit * y);

  /** Where rows that are seen (units) lie in px. @param {SeenRows} seen @returns {SeenRows} */
  inPixels({ x, y, front }) {
    const { left, top, unit } = this;
    return {
      x: Float64Array.from(x, (value) => left + unit * value),
      y: Float64Array.from(y, (value) => top - unit * value),
      front,
    };
  }

  /** Where point `i` is drawn, in px; whether that is in the picture. @param {number} i */
  pixel(i) {
    const [x, y] = [this.left + this.unit * this.seen.x[i], this.top - this.unit * this.seen.y[i]];
    return { x, y, inside: x >= 0 && y >= 0 && x <= this.width && y <= this.height };
  }

  /** Draws points of kinds, few paths for many; faint and `far` times as large on the far side.
   * @param {ArrayLike<number>} kindOf @param {number[] | null} among null: all @param {Marks} marks */
  points(kindOf, among, { size, far = 1, edge = 0.5, ofKind = this.look.ofClass, opacity = () => 1 }) {
    const { seen, look, left, top, unit, pale } = this;
    this.among = among ?? [...Array(kindOf.length).keys()];
    /** @type {Map<number, string>} */ const paths = new Map();
    for (const i of this.among) {
      if (Number.isNaN(seen.x[i])) continue; // not known yet
      const front = seen.front[i];
      const key = 4 * kindOf[i] + 2 * Number(!pale?.[i]) + front;
      const d = mark(ofKind(kindOf[i]).marker, left + unit * seen.x[i], top - unit * seen.y[i], size * (front ? 1 : far));
      paths.set(key, (paths.get(key) ?? "") + d);
    }
    for (const key of [...paths.keys()].sort((a, b) => (a % 4) - (b % 4) || a - b)) {
      const [kind, stands, front] = [Math.floor(key / 4), key & 2, key & 1];
      const rim = edge && stands ? { stroke: look.edge, "stroke-width": edge } : { stroke: "none", "stroke-width": 0 };
      // Marks that lie on each other are one mark, and no hole.
      const style = { fill: ofKind(kind).colour, "fill-rule": "nonzero", ...rim };
      this.pen.path(paths.get(key) ?? "", { ...style, opacity: (front ? 1 : FAINT) * (stands ? 1 : FAINT) * opacity(kind) });
    }
  }

  /** Draws proxies, which are `seen` (units), of classes `owners` as stars. @param {number[]} owners @param {SeenRows} seen */
  proxies(owners, seen, size = owners.length <= MANY ? 7 : 4) {
    const { look, left, top, unit } = this;
    owners.forEach((owner, p) => {
      const style = { fill: look.ofClass(owner).colour, stroke: look.ink, "stroke-width": 0.7 };
      const d = mark("star", left + unit * seen.x[p], top - unit * seen.y[p], size);
      this.pen.path(d, { ...style, opacity: seen.front[p] ? 1 : FAINT });
    });
  }

  /** Draws a ring of `radius` px around point `i`, which shows on any ground. @param {number} i @param {number} radius */
  ring(i, radius) {
    const opacity = this.seen.front[i] ? 1 : 0.5;
    for (const [stroke, width] of [[this.look.paper, 4.5], [this.look.ink, 2]]) {
      this.above.dot(this.pixel(i), radius, { stroke, "stroke-width": width, opacity });
    }
  }

  /** What is drawn, for a file. */
  copy() {
    const copy = svgNode("g", {}, ...[...this.svg.children].map((child) => child.cloneNode(true)));
    // What a pen drew before and draws no more: files of one step are alike, whatever was shown before it.
    for (const path of copy.querySelectorAll('path[d=""]')) path.remove();
    return copy;
  }

  /** The point drawn nearest to a pointer within `reach` px, one in front first; null for none. One look at each of 65,536 takes
   * less than a millisecond: no grid has to be kept. The disc begins in the corner of `root`.
   * @param {{clientX: number, clientY: number, pointerType?: string}} event @param {Element} root */
  pointAt(event, root = this.svg, reach = reachOf(event)) {
    const [left, top] = within(root, event);
    const [x, y, far] = [(left - this.left) / this.unit, (this.top - top) / this.unit, reach / this.unit];
    const { seen, pale } = this;
    let [nearest, least] = [-1, Infinity];
    for (const i of this.among) {
      const [right, up] = [seen.x[i] - x, seen.y[i] - y];
      if (right > far || right < -far || up > far || up < -far) continue;
      const away = Math.hypot(right, up);
      const cost = away + (seen.front[i] ? 0 : far) + (pale?.[i] ? 2 * far : 0);
      if (away <= far && cost < least) [nearest, least] = [i, cost];
    }
    return nearest < 0 ? null : nearest;
  }

  /** Whether only a part of the picture is seen, or another one. */
  get moved() {
    return this.reach !== this.most || Boolean(this.middle.x || this.middle.y);
  }

  /** Shows what is within `most` units of the origin; where the visitor has moved the picture, only once it is shown whole.
   * @param {number} most */
  bound(most) {
    if (!this.moved) this.reach = most;
    this.most = most;
  }

  /** Shows all of it. */
  whole() {
    this.show({ x: 0, y: 0 }, this.most);
  }

  /** Shows most of some points (null: all of all), which take that share of the picture. @param {number[] | null} points */
  zoomTo(points, share = CLOSE) {
    if (!(points ?? this.seen.x).length) return;
    const [[left, right], [low, high]] = [this.seen.x, this.seen.y].map((values) => {
      const sorted = Float64Array.from(points ? points.map((i) => values[i]) : values).sort();
      const outside = points ? Math.floor(OUTSIDE * sorted.length) : 0;
      return [sorted[outside], sorted[sorted.length - 1 - outside]];
    });
    const across = Math.max(right - left, high - low) / 2;
    if (!points) this.most = across || 1;
    const reach = Math.max(across / share, points ? this.most / AROUND : 0) || 1;
    this.show({ x: (left + right) / 2, y: (low + high) / 2 }, reach);
  }

  /** Zooms in by a factor, about a place in the picture (px from its middle). @param {number} by */
  zoom(by, { x, y } = { x: 0, y: 0 }) {
    const most = 2 * this.most;
    const reach = Math.min(most, Math.max(this.reach / by, most / NEAREST));
    const gone = (1 - reach / this.reach) / this.unit;
    this.show({ x: this.middle.x + gone * x, y: this.middle.y - gone * y }, reach);
  }

  /** Moves the points by pixels, or turns the sphere. @param {number} right @param {number} down */
  move(right, down) {
    if (this.solid) this.turn(right / this.unit, down / this.unit);
    else this.show({ x: this.middle.x - right / this.unit, y: this.middle.y + down / this.unit }, this.reach);
  }

  /** Turns the sphere by angles in radians. @param {number} right @param {number} down */
  turn(right, down) {
    this.camera.rotate(right, down);
  }

  /** @param {Place} middle @param {number} reach */ show(middle, reach) {
    Object.assign(this, { middle, reach });
    this.#lay();
  }

  #lay() {
    const { width, height, middle } = this;
    this.unit = Math.max(1, Math.min(width, height) / 2 - this.edge) / this.reach;
    this.left = width / 2 - middle.x * this.unit;
    this.top = height / 2 + middle.y * this.unit;
  }
}
