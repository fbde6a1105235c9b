import { circle, ring } from "./circle.js";
import { neighbours } from "../runs/group.js";
import { Glide } from "../runs/glide.js";
import { axis, FINGER, layout, line, NOWHERE } from "../plot/layout.js";
import { graticule, projected } from "../draw/sphere.js";
import { clear } from "../draw/look.js";

/** @typedef {{opacity: number, size?: number, symbol?: string, edge?: string, width?: number}} PointStyle */

/** The traces of the embedding: what is drawn once, and where everything is in the frame shown. */
export class Scene {
  /** @param {RunDesk} desk @param {Camera} camera */ constructor(desk, camera) {
    this.desk = desk;
    this.camera = camera;
    this.glide = new Glide();
    this.exact = true; // whether the places are those of the frame shown: a map takes a while to be made
  }

  /** Traces and layout for the look and the group of the moment. */
  build() {
    const { look, group } = this.desk;
    /** @type {Trace[]} */ const traces = [];
    /** @param {Trace} trace */ const add = (trace) => traces.push(trace) - 1;
    /** @param {(kind: number) => Trace} make */ const each = (make) => group.kinds.map((c) => add(make(c)));
    /** @param {string} colour @param {TraceLine} [more] */
    const thin = (colour, more) => line({ line: { color: colour, width: 1, ...more } });
    // Colours have the opacity: what is transparent as a whole is a layer to the browser, and five hundred are slow.
    /** @param {number} c @param {PointStyle} style */
    const points = (c, { opacity, edge = look.edge, width = 0.7, ...more }) => {
      const { colour, marker: symbol } = look.ofClass(c);
      const [fill, stroke] = [colour, edge].map((full) => clear(full, opacity));
      return line({ mode: "markers", marker: { color: fill, symbol, size: 8, line: { width, color: stroke }, ...more } });
    };
    /** @param {number} size @param {number} opacity */
    const star = (size, opacity) => ({ symbol: "star", size, opacity, edge: look.ink, width: 1.2 });
    /** @param {string} colour @param {number} size @param {number} width */ const ringed = (colour, size, width) =>
      line({ mode: "markers", marker: { symbol: "circle-open", color: colour, size, line: { width, color: colour } } });
    // A trace costs a millisecond in every frame, shown or not: only those that this picture can use are made.
    this.index = {
      far: this.desk.solid ? add(thin(look.faint, { dash: "dot" })) : null,
      near: this.desk.solid ? add(thin(look.faint)) : null,
      outline: this.desk.flat ? null : add({ ...thin(look.quiet), ...circle() }),
      ring: this.desk.dim === 2 ? each((c) => thin(look.ofClass(c).colour, { width: 7, simplify: false })) : [],
      back: this.desk.solid ? each((c) => points(c, { size: 4.5, opacity: 0.35 })) : [],
      wrong: add(thin(look.negative, { width: 1.5, dash: "dot" })),
      right: add(thin(look.positive, { width: 1.5 })),
      front: each((c) => points(c, { opacity: 0.9 })),
      proxies: this.#represented().map((c) => add(points(c, star(17, 1)))),
      proxiesBehind: this.desk.solid ? this.#represented().map((c) => add(points(c, star(11, 0.35)))) : [],
      wrongAt: add(ringed(look.negative, 12, 1.8)),
      rightAt: add(ringed(look.positive, 12, 1.8)),
      query: add(ringed(look.ink, 17, 2.2)),
    };
    const axes = this.desk.flat && !this.desk.mapped;
    const plain = { visible: axes, range: [-this.bound, this.bound] };
    return {
      traces,
      layout: layout(look, {
        xaxis: axis(look, { ...plain, title: axes ? "first direction" : "" }),
        yaxis: axis(look, { ...plain, title: axes ? "second direction" : "" }),
        margin: axes ? { l: 42, r: 8, t: 6, b: 36 } : { l: 4, r: 4, t: 4, b: 4 },
        dragmode: this.desk.solid || FINGER.matches ? false : "zoom",
        hovermode: false,
      }),
    };
  }

  /** How far the picture reaches from the centre. */
  get bound() {
    return this.desk.dim === 2 ? 1.18 : 1.06;
  }

  /** The moved points as changes of traces; afterwards `at` has x, y and front of every point. @returns {[number, Places][]} */
  changes() {
    const { desk } = this;
    const map = desk.mapped && desk.mapOf();
    this.exact = !map || map.exact;
    this.places = map ? this.#mapped(map) : this.#project(desk.frame.arrays["0.view"]);
    this.at = map ? this.glide.towards(this.places, desk.group, desk) : this.places;
    return [...this.#background(), ...this.#points(), ...this.#proxies(), ...this.#links()];
  }

  /** @param {{places: Packed | null}} map @returns {SeenRows} */ #mapped({ places }) {
    const nowhere = () => new Float32Array(this.desk.subject.arrays.y.length).fill(NaN);
    return places ? this.#project(places) : { x: nowhere(), y: nowhere(), front: null };
  }

  /** @param {Packed} points */ #project(points) {
    return projected(points, points.shape[1], this.desk.solid ? this.camera : null);
  }

  /** Whether point `i` is on the far side. @param {number} i */
  behind(i) {
    return this.desk.solid && !this.at.front[i];
  }

  /** @returns {[number, Places][]} */ #background() {
    if (this.desk.dim === 2) return ring(this.#means()).map((arc, k) => [this.index.ring[k], arc]);
    if (this.desk.flat) return [];
    const { front, back } = graticule(this.camera);
    return [[this.index.near, front], [this.index.far, back]];
  }

  // The directions of the class means on the circle; null for a class whose points cancel out.
  /** @returns {([number, number] | null)[]} */ #means() {
    return this.desk.group.drawn.map((members) => {
      let [x, y] = [0, 0];
      for (const i of members) {
        x += this.at.x[i];
        y += this.at.y[i];
      }
      const norm = Math.hypot(x, y);
      return norm > 1e-6 * members.length ? [x / norm, y / norm] : null;
    });
  }

  /** @returns {[number, Places][]} */ #points() {
    return this.desk.group.drawn.flatMap((members, k) => {
      /** @type {[number, Places]} */
      const front = [this.index.front[k], gather(this.at, members.filter((i) => !this.behind(i)))];
      return this.desk.solid ? [front, [this.index.back[k], gather(this.at, members.filter((i) => this.behind(i)))]] : [front];
    });
  }

  // The classes of the group that have proxies: proxies are those of the training classes, in order.
  #represented() {
    const { subject, frame, group } = this.desk;
    return frame.arrays["0.proxies"] && !this.desk.mapped ? group.classes.filter((c) => subject.header.trained.includes(c)) : [];
  }

  /** @returns {[number, Places][]} */ #proxies() {
    const { subject, frame } = this.desk;
    if (!this.index.proxies.length) return [];
    const { trained } = subject.header;
    const at = this.#project(frame.arrays["0.proxies"]);
    const perClass = frame.arrays["0.proxies"].shape[0] / trained.length;
    /** @param {number} row */ const behind = (row) => !at.front[row];
    return this.#represented().flatMap((c, k) => {
      const rows = Array.from({ length: perClass }, (_, row) => trained.indexOf(c) * perClass + row);
      /** @type {[number, Places]} */ const front = [this.index.proxies[k], gather(at, rows.filter((row) => !behind(row)))];
      return this.desk.solid ? [front, [this.index.proxiesBehind[k], gather(at, rows.filter(behind))]] : [front];
    });
  }

  /** @returns {[number, Places][]} */ #links() {
    const { active } = this.desk;
    const { x, y } = this.at;
    const near = neighbours(this.desk, active);
    /** @param {boolean} wanted */
    const ends = (wanted) => near.filter(({ right }) => right === wanted).map(({ point }) => point);
    const [right, wrong] = [ends(true), ends(false)];
    /** @param {number[]} points */ const edges = (points) => ({
      x: points.flatMap((j) => [x[active], x[j], NaN]).concat(NaN),
      y: points.flatMap((j) => [y[active], y[j], NaN]).concat(NaN),
    });
    return [
      [this.index.wrong, edges(wrong)],
      [this.index.right, edges(right)],
      [this.index.wrongAt, gather(this.at, wrong)],
      [this.index.rightAt, gather(this.at, right)],
      [this.index.query, active == null ? NOWHERE : { x: [x[active]], y: [y[active]] }],
    ];
  }
}

/** @param {Places} at @param {number[]} points @returns {Places} */
function gather({ x, y }, points) {
  if (!points.length) return NOWHERE;
  return { x: Float32Array.from(points, (i) => x[i]), y: Float32Array.from(points, (i) => y[i]) };
}
