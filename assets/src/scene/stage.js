import { Labels } from "./labels.js";
import { Points, roleColour, SIZE } from "./points.js";
import { DrawingContext } from "./tools.js";
import { presentedHeight } from "../draw/columns.js";
import { Disc } from "../draw/disc.js";
import { element, say } from "../draw/panel.js";
import { nearest, within } from "../draw/pointing.js";
import { renew, svgNode } from "../draw/svg.js";

/** @typedef {{colour?: string, towards?: number[], bold?: boolean, italic?: boolean}} LabelStyle */

const REACH = 1.2; // of the picture from its centre, in radii
const BELOW = 64; // px for words below a picture that is presented, in up to three lines
const STACK = 11; // px between points that are in one place
const DEEPEST = 0.8; // of the radius that such points fill at most

/** The picture: circle or sphere, the layers of the overlay, the points as handles, and words beside them. */
export class Stage extends DrawingContext {
  /** @type {HandleAt[]} */ at = [];
  width = 0;
  tall = 0;
  wanted = 0; // px of height // of each handle: x, y (px), front, and whether it is drawn beside its place
  /** @type {string[]} */ #notes = [];

  /** `resized` is called when there is more or less room; a `still` picture can be looked at alone.
   * @param {() => void} resized */
  constructor(resized, { still = false } = {}) {
    super();
    this.disc = new Disc(still ? { role: "img", "aria-label": "being drawn" } : { role: "group" });
    this.disc.rim.classList.add("dml-scene-outline");
    this.svg = this.disc.svg;
    /** @param {string} name @param {SVGElement} parent */
    const layer = (name, parent = this.svg) => parent.appendChild(svgNode("g", { class: `dml-scene-${name}` }));
    this.units = layer("units");
    /** Groups of an overlay's drawing, below and above the points. */
    this.layers = { below: layer("overlay", this.units), above: null };
    this.points = layer("points");
    this.handles = new Points(this.points, still);
    this.unitsAbove = layer("units");
    this.layers.above = layer("overlay", this.unitsAbove);
    this.labels = new Labels(layer("labels"));
    this.notes = element("p", { class: "dml-scene-note" });
    this.root = element("div", { class: "dml-scene-stage" }, this.svg, this.notes);
    this.sizes = new ResizeObserver(() => this.#fit() && resized());
    this.sizes.observe(this.root);
  }

  close() {
    this.sizes.disconnect();
  }

  /** How high the picture is at most, in px. @param {number} height */
  set height(height) {
    if (height === this.wanted) return;
    this.wanted = height;
    this.#fit();
  }

  /** Begins a frame of `state` in the colours of `look`. @param {SceneState} state @param {Look} look */
  begin(state, look) {
    const { scene } = state;
    this.palette = look;
    this.dim = scene.dim;
    renew(this.root, { "data-solid": String(scene.dim === 3) });
    this.#notes = [];
    this.arrowed = 0;
    const { camera, disc, width, tall: height } = this;
    Object.assign(disc, { look, camera, solid: scene.dim === 3, round: true });
    disc.begin({ width, height, edge: 0, back: true });
    disc.done();
    this.at = this.#places(state);
  }

  /** Draws the points and, after the overlay, the words. @param {SceneState} state @param {Look} look */
  finish(state, look) {
    this.handles.draw(state, this.at, look);
    for (const [handle, role] of rolesShown(state)) {
      const { x, y } = this.at[handle];
      const [u, v] = [x - this.centre.x, y - this.centre.y];
      this.labels.add(x, y, role, { colour: look.ofWords(roleColour(role, look)), towards: [u, v], bold: true });
    }
    const taken = this.at.filter(({ front }) => front).map(({ x, y }) => ({ x, y, r: SIZE }));
    this.labels.place(this.width, this.tall, taken);
    const together = this.at.filter(({ aside }) => aside).length;
    const lie = together === 1
      ? "1 point is at the place of another and is"
      : `${together} points are at the places of others and are`;
    if (together) this.#notes.push(`${lie} drawn a little nearer to the centre.`);
    say(this.notes, this.#notes.join(" "));
  }

  // Words beside {x, y} in this frame, where they cover no other words and no point. `style`: colour, bold, italic, and
  // `towards`, the best direction (units, y up): from the centre outwards unless given.
  /** @param {Place} at @param {string} text @param {LabelStyle} style */
  label({ x, y }, text, { colour = this.palette.ink, towards: [u, v] = [x, y], ...letters }) {
    const style = { colour: this.palette.ofWords(colour), towards: [u, -v], ...letters };
    const at = this.#pixel({ x, y });
    this.labels.add(at.x, at.y, text, style);
  }

  /** How many arrows the picture has, and the lines below it. */
  get words() {
    return [`${this.arrowed || "no"} arrow${this.arrowed === 1 ? "" : "s"}`, this.#notes.join(" ")].filter(Boolean).join(". ");
  }

  /** A line of words below the picture in this frame. @param {string} text */
  note(text) {
    if (text) this.#notes.push(text);
  }

  /** Where the pointer is, in units. @param {{clientX: number, clientY: number}} event */
  unitsAt(event) {
    const [x, y] = within(this.svg, event);
    return [(x - this.centre.x) / this.unit, (this.centre.y - y) / this.unit];
  }

  // The handle nearest to the pointer within `reach` px, those in front first, the upper one of equals; or null.
  /** @param {{clientX: number, clientY: number}} event @param {number} reach */
  nearest(event, reach) {
    const [x, y] = within(this.svg, event);
    return nearest([...this.at.keys()].reverse(), (handle) => this.at[handle], { x, y }, reach);
  }

  /** The node of a handle. @param {number} index @param {string} index */
  handle(index) {
    return this.handles.node(index);
  }

  /** @param {Place} at */ #pixel({ x, y }) {
    return { x: this.centre.x + this.unit * x, y: this.centre.y - this.unit * y };
  }

  #fit() {
    const width = this.root.clientWidth;
    if (!width || !this.wanted) return false;
    const room = presentedHeight(this.root);
    const tall = Math.max(240, Math.min(room < Infinity ? room - BELOW : this.wanted, width));
    if (width === this.width && tall === this.tall) return false;
    this.width = width;
    this.tall = tall;
    Object.assign(this.disc, { width, height: tall, edge: 0 });
    this.disc.show({ x: 0, y: 0 }, REACH);
    this.unit = this.disc.unit;
    this.centre = { x: width / 2, y: tall / 2 };
    for (const group of [this.units, this.unitsAbove]) {
      group.setAttribute("transform", `translate(${this.centre.x} ${this.centre.y}) scale(${this.unit} ${-this.unit})`);
    }
    return true;
  }

  // Points in one place are drawn side by side, inwards, so that each can be seen and grasped.
  /** @param {SceneState} state @returns {HandleAt[]} */ #places(state) {
    const { scene } = state;
    const { z, proxies } = state.rows;
    /** @param {Float64Array | null} rows @param {number} i */ const project = (rows, i) => this.project(this.row(rows, i));
    const seen = [...scene.points.map((_, i) => project(z, i)), ...scene.proxies.map((_, i) => project(proxies, i))];
    /** @type {Map<string, number[]>} */ const stacks = new Map();
    seen.forEach((_, handle) => {
      const place = String(state.placeOf(handle));
      stacks.set(place, [...(stacks.get(place) ?? []), handle]);
    });
    const at = seen.map((place) => ({ ...this.#pixel(place), front: place.front, aside: false }));
    for (const handles of stacks.values()) {
      const apart = Math.min(STACK, (DEEPEST * this.unit) / handles.length);
      const { x, y } = seen[handles[0]];
      const length = Math.hypot(x, y);
      const [u, v] = length > 0.3 ? [x / length, y / length] : [0, 1];
      handles.forEach((handle, k) => {
        const { x: px, y: py, front } = at[handle];
        at[handle] = { x: px - k * apart * u, y: py + k * apart * v, front, aside: k > 0 };
      });
    }
    return at;
  }
}

/** @param {SceneState} state @returns {[number, string][]} */
function rolesShown({ scene, roles, picked }) {
  /** @param {string} role @param {number} k */
  const handle = (role, k) => (role === "proxy" ? scene.points.length + picked[k] : picked[k]);
  return roles.map(/** @returns {[number, string]} */ (role, k) => [handle(role, k), role]).filter((_, k) => picked[k] >= 0);
}
