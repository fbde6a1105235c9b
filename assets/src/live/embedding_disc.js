import { ring } from "./circle.js";
import { Disc } from "../draw/disc.js";
import { FAINT } from "../draw/marker.js";
import { polyline } from "../draw/svg.js";
import { Glide } from "../runs/glide.js";
import { neighbours } from "../runs/group.js";
import { viewOf } from "../runs/packing.js";

/** @type {Record<number, number>} */ const ROOM = { 2: 1.18, 3: 1.06 }; // how far so many dimensions reach, in radii
const ROOM_OF_MAP = 1.06;
const [SIZE, EDGE, PROXY] = [4, 0.7, 8.5]; // px of a point, its edge and a proxy
const PALE = 0.12; // of the other kinds, where one is shown alone
const [NEAR, QUERY] = [6, 8.5]; // px of the rings around neighbours and the query

/** The disc of a run's evaluated points: where they are in the frame shown, and the neighbours of the active one. */
export class EmbeddingDisc extends Disc {
  exact = true; // whether the places are those of the frame shown: a map takes a while to be made
  /** @type {Packed | null} */ rows = null; // of the map, or of the frame, that say where points belong
  /** @type {SeenRows | null} */ places = null; // where points belong that may still be on their way
  #glide = new Glide();

  /** @param {RunDesk} desk */ constructor(desk) {
    super({ "aria-hidden": "true", class: "dml-disc-picture" });
    this.desk = desk;
  }

  /** Takes up another subject or group. */
  open() {
    const { dim, solid } = this.desk;
    Object.assign(this, { solid, round: dim <= 3 });
    this.whole();
  }

  /** Finds where the points of the frame shown are. */
  place() {
    const { desk } = this;
    this.solid = desk.solid;
    const map = desk.mapped ? desk.mapOf() : null;
    this.exact = map?.exact ?? true;
    const rows = this.rows = map ? map.places : viewOf(desk.frame, 0);
    this.places = rows ? this.project(rows, rows.shape[1]) : this.#nowhere();
    this.seen = desk.flat ? this.#glide.towards(this.places, desk.group, desk) : this.places;
    if (desk.flat && !map) this.#fit();
    else this.bound(ROOM[desk.dim] ?? ROOM_OF_MAP);
  }

  // Draws it in so many px; `imaged`: with room for images in place of points; `single`: the kind that is shown alone.
  /** @param {{width: number, height: number, imaged: boolean, single: number | null}} frame */
  draw({ width, height, imaged, single }) {
    const { desk } = this;
    this.look = desk.look;
    this.begin({ width, height, back: true });
    /** @param {number} kind */ const opacity = (kind) => (single === null || kind === single ? 1 : PALE);
    if (desk.dim === 2) this.#classes(opacity);
    const active = this.#links();
    if (imaged) this.among = desk.group.points;
    else this.points(desk.group.kindOf, desk.group.points, { size: SIZE, far: 0.6, edge: EDGE, opacity });
    this.#proxies();
    if (active !== null) this.above.dot(this.pixel(active), QUERY, { stroke: this.look.ink, "stroke-width": 2.2 });
    this.done();
  }

  /** Whether point `i` is on the far side. @param {number} i */
  behind(i) {
    return !this.seen.front[i];
  }

  /** The classes of the group that have proxies: proxies are those of the training classes, in order. */
  get represented() {
    const { subject, frame, group } = this.desk;
    return frame.arrays["0.proxies"] ? group.classes.filter((c) => subject.header.trained.includes(c)) : [];
  }

  /** @returns {SeenRows} */ #nowhere() {
    const { length } = this.desk.subject.arrays.y;
    const none = new Float32Array(length).fill(NaN);
    return { x: none, y: none, front: new Uint8Array(length).fill(1) };
  }

  // A cloud fills the picture; while it changes little, so does the scale.
  #fit() {
    const { x, y } = this.seen;
    const furthest = this.desk.group.points.reduce((far, i) => Math.max(far, Math.abs(x[i]), Math.abs(y[i])), 0);
    if (furthest < Infinity && !(furthest < this.most && furthest > this.most / 2)) this.bound(Math.max(0.02, 1.1 * furthest));
  }

  // The circle cut by nearest class mean.
  /** @param {(kind: number) => number} opacity */ #classes(opacity) {
    const { group } = this.desk;
    ring(group.drawn.map((members) => this.#mean(members))).forEach((arc, k) => {
      const stroke = this.look.ofClass(group.kinds[k]).colour;
      this.ground.path(polyline(arc, this.px), { stroke, "stroke-width": 7, opacity: opacity(group.kinds[k]) });
    });
  }

  // The direction of the mean of points on the circle; null where they cancel out.
  /** @param {number[]} members @returns {[number, number] | null} */ #mean(members) {
    let [x, y] = [0, 0];
    for (const i of members) [x, y] = [x + this.seen.x[i], y + this.seen.y[i]];
    const norm = Math.hypot(x, y);
    return norm > 1e-6 * members.length ? [x / norm, y / norm] : null;
  }

  // The lines from the active point to its neighbours; the point, or null where there is none to be seen.
  #links() {
    const { active } = this.desk;
    if (active == null || isNaN(this.seen.x[active])) return null;
    const begin = this.px(this.seen.x[active], this.seen.y[active]);
    const near = neighbours(this.desk, active);
    const { negative, positive } = this.look;
    for (const [wanted, stroke, dash] of /** @type {const} */ ([[false, negative, "2 3"], [true, positive, ""]])) {
      const ends = near.filter(({ right }) => right === wanted).map(({ point }) => point);
      const lines = ends.map((j) => `M${begin}L${this.px(this.seen.x[j], this.seen.y[j])}`).join("");
      this.below.path(lines, { stroke, "stroke-width": 1.5, "stroke-dasharray": dash });
      for (const j of ends) {
        this.above.dot(this.pixel(j), NEAR, { stroke, "stroke-width": 1.8, opacity: this.behind(j) ? FAINT : 1 });
      }
    }
    return active;
  }

  #proxies() {
    const { subject, frame, mapped } = this.desk;
    const owners = mapped ? [] : this.represented;
    if (!owners.length) return;
    const { trained } = subject.header;
    const all = frame.arrays["0.proxies"];
    const [many, wide] = all.shape;
    const each = many / trained.length;
    const rows = owners.flatMap((c) => Array.from({ length: each }, (_, k) => trained.indexOf(c) * each + k));
    const at = rows.flatMap((row) => [...all.subarray(row * wide, (row + 1) * wide)]);
    this.proxies(owners.flatMap((c) => Array(each).fill(c)), this.project(at, wide), PROXY);
  }
}
