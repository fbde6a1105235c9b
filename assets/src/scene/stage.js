import { Labels } from "./labels.js";
import { Points, roleColour, SIZE } from "./points.js";
import { Tools } from "./tools.js";
import { nearest } from "../kit/nearest.js";
import { element, say } from "../kit/panel.js";
import { within } from "../kit/place.js";
import { Camera, graticule } from "../kit/sphere.js";
import { polyline, svgNode } from "../kit/svg.js";

const NOTHING = { x: [], y: [] };
const REACH = 1.2; // of the picture from its centre, in radii
const STACK = 11; // px between points that are in one place
const DEEPEST = 0.8; // of the radius that such points fill at most

/** The picture: circle or sphere, the layers of the overlay, the points as handles, and words beside them. */
export class Stage {
  camera = new Camera();
  at = []; // of each handle: x, y (px), front, and whether it is drawn beside its place
  #notes = [];
  #graticule = "";

  /** `resized` is called when there is more or less room. */
  constructor(resized) {
    this.svg = svgNode("svg", { role: "group" });
    const layer = (name, parent = this.svg) => parent.appendChild(svgNode("g", { class: `dml-hand-${name}` }));
    this.units = layer("units");
    this.backdrop = layer("backdrop", this.units);
    this.far = this.backdrop.appendChild(svgNode("path", { class: "dml-hand-far" }));
    this.near = this.backdrop.appendChild(svgNode("path", { class: "dml-hand-near" }));
    this.backdrop.append(svgNode("circle", { class: "dml-hand-outline", r: 1 }));
    const below = layer("overlay", this.units);
    this.points = layer("points");
    this.handles = new Points(this.points);
    this.unitsAbove = layer("units");
    const above = layer("overlay", this.unitsAbove);
    this.layers = { below, above };
    this.labels = new Labels(layer("labels"));
    this.tools = new Tools(this);
    this.notes = element("p", { class: "dml-hand-note" });
    this.root = element("div", { class: "dml-hand-stage" }, this.svg, this.notes);
    this.sizes = new ResizeObserver(() => this.#fit() && resized());
    this.sizes.observe(this.root);
  }

  close() {
    this.sizes.disconnect();
  }

  /** How high the picture is at most, in px. */
  set height(height) {
    this.wanted = height;
    this.#fit();
  }

  /** Begins a frame of `state` in the colours of `look`. */
  begin(state, look) {
    const { scene } = state;
    this.tools.palette = look;
    this.tools.dim = scene.dim;
    this.root.dataset.solid = scene.dim === 3;
    this.#notes = [];
    this.#drawGraticule(scene.dim);
    this.at = this.#places(state);
  }

  /** Draws the points and, after the overlay, the words. */
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
      ? "1 point lies exactly on another and is"
      : `${together} points lie exactly on others and are`;
    if (together) this.#notes.push(`${lie} drawn aside, inwards.`);
    say(this.notes, this.#notes.join(" "));
  }

  /** Words beside a place in units. */
  label(x, y, text, { colour = this.tools.palette.ink, towards, bold, italic }) {
    const style = { colour: this.tools.palette.ofWords(colour), towards: [towards[0], -towards[1]], bold, italic };
    this.labels.add(this.centre.x + this.unit * x, this.centre.y - this.unit * y, text, style);
  }

  note(text) {
    if (text) this.#notes.push(text);
  }

  /** Where the pointer is, in units. */
  unitsAt(event) {
    const [x, y] = within(this.svg, event);
    return [(x - this.centre.x) / this.unit, (this.centre.y - y) / this.unit];
  }

  /** The handle nearest to the pointer within `reach` px, those in front first, the upper one of equals; or null. */
  nearest(event, reach) {
    const [left, top] = within(this.svg, event);
    return nearest([...this.at.keys()].reverse(), (handle) => {
      const { x, y, front } = this.at[handle];
      const away = Math.hypot(left - x, top - y);
      return away <= reach ? away + (front ? 0 : reach) : Infinity;
    });
  }

  /** The node of a handle. */
  handle(index) {
    return this.handles.node(index);
  }

  #fit() {
    const width = this.root.clientWidth;
    if (!width || !this.wanted) return false;
    const tall = Math.max(240, Math.min(this.wanted, width));
    if (width === this.width && tall === this.tall) return false;
    this.width = width;
    this.tall = tall;
    this.unit = Math.min(width, tall) / 2 / REACH;
    this.centre = { x: width / 2, y: tall / 2 };
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", tall);
    for (const group of [this.units, this.unitsAbove]) {
      group.setAttribute("transform", `translate(${this.centre.x} ${this.centre.y}) scale(${this.unit} ${-this.unit})`);
    }
    this.tools.unit = this.unit;
    return true;
  }

  #drawGraticule(dim) {
    const side = dim === 2 ? "circle" : `${this.camera.turn} ${this.camera.tilt}`;
    if (side === this.#graticule) return;
    this.#graticule = side;
    const { front, back } = dim === 2 ? { front: NOTHING, back: NOTHING } : graticule(this.camera);
    const at = (x, y) => `${x.toFixed(3)} ${y.toFixed(3)}`;
    this.near.setAttribute("d", polyline(front, at));
    this.far.setAttribute("d", polyline(back, at));
  }

  // Points in one place are drawn side by side, inwards, so that each can be seen and grasped.
  #places(state) {
    const { scene } = state;
    const { z, proxies } = state.rows;
    const project = (rows, i) => this.tools.project(this.tools.row(rows, i));
    const seen = [...scene.points.map((_, i) => project(z, i)), ...scene.stars.map((_, i) => project(proxies, i))];
    const stacks = new Map();
    seen.forEach((_, handle) => {
      const place = String(state.placeOf(handle));
      stacks.set(place, [...(stacks.get(place) ?? []), handle]);
    });
    const at = seen.map(({ x, y, front }) => ({
      x: this.centre.x + this.unit * x,
      y: this.centre.y - this.unit * y,
      front,
      aside: false,
    }));
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

function rolesShown({ scene, roles, picked }) {
  const handle = (role, k) => (role === "proxy" ? scene.points.length + picked[k] : picked[k]);
  return roles.map((role, k) => [handle(role, k), role]).filter((_, k) => picked[k] >= 0);
}
