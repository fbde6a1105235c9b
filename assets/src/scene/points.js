import { className } from "./scene.js";
import { mark } from "../draw/marker.js";
import { renew, svgNode } from "../draw/svg.js";

const PROXY = 1.5; // times as large as a point
const FAR = 0.75; // times as large on the far side
const TURN = 360; // degrees

/** Pixels from a marker's centre to its corners. */
export const SIZE = 7;

/** The points and proxies as handles: each can be focused, and says what it is and where. */
export class Points {
  /** @type {Handle[]} */ #handles = [];

  /** `layer` is a group in pixels; where it is `still`, its points are no handles.
   * @param {SVGElement} layer @param {boolean} still */
  constructor(layer, still) {
    this.layer = layer;
    this.still = still;
    const slider = { role: "slider", tabindex: 0, "aria-valuemin": 0, "aria-valuemax": TURN };
    this.attributes = still ? { role: "img" } : slider;
  }

  /** The node of a handle. @param {number} index */
  node(index) {
    return this.#handles[index]?.group;
  }

  /** Draws points and proxies of `state` at {x, y, front}. @param {SceneState} state @param {HandleAt[]} at @param {Look} look */
  draw(state, at, look) {
    while (this.#handles.length < state.count) this.#handles.push(this.#make());
    while (this.#handles.length > state.count) this.#handles.pop().group.remove();
    this.#handles.forEach((handle, index) => {
      const { x, y, front } = at[index];
      const proxy = state.isProxy(index);
      const [role] = state.rolesOf(index);
      const { colour, marker } = look.ofClass(state.labelOf(index));
      const size = SIZE * (proxy ? PROXY : 1) * (front ? 1 : FAR);
      renew(handle.group, {
        transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})`,
        class: `dml-scene-point${front ? "" : " dml-scene-behind"}${index === state.touched ? " dml-scene-grasped" : ""}`,
        "data-handle": index,
        "aria-label": state.nameOf(index),
        ...(this.still ? {} : { "aria-valuenow": state.placeOf(index)[0], "aria-valuetext": state.wordsOf(index) }),
      });
      renew(handle.ring, { stroke: role ? roleColour(role, look) : "none" });
      renew(handle.shape, {
        d: mark(proxy ? "star" : marker, 0, 0, size),
        fill: colour,
        stroke: proxy ? look.ink : look.edge,
        "data-class": className(state.labelOf(index)),
      });
    });
  }

  #make() {
    const group = svgNode("g", this.attributes);
    const parts = {
      group,
      target: svgNode("circle", { class: "dml-scene-target", r: SIZE + 6 }),
      halo: svgNode("circle", { class: "dml-scene-halo", r: SIZE + 7 }),
      ring: svgNode("circle", { class: "dml-scene-ring", r: SIZE + 3.5 }),
      shape: svgNode("path", { class: "dml-scene-shape" }),
    };
    group.append(parts.target, parts.halo, parts.ring, parts.shape);
    this.layer.append(group);
    return parts;
  }
}

/** The colour of the ring around a point or proxy with a role. @param {string} role @param {Look} look */
export function roleColour(role, look) {
  return role === "positive" || role === "negative" ? look[role] : look.ink;
}
