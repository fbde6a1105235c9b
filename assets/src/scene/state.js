import { UndoHistory } from "./history.js";
import { pick, settle, UNSET } from "./roles.js";
import { clamp, classes, className, read, rows, settled, spoken, within, write } from "./scene.js";

const APART = 10; // degrees from a point to the one added beside it

/** The scene, which point has which role, the point last touched; every change can be undone. */
export class State {
  #history = new UndoHistory();
  /** @type {{z: Float64Array, proxies: Float64Array | null} | null} */ #rows = null;
  /** @type {Scene | null} */ scene = null;
  base = "";
  /** @type {number[]} */ picked = [];
  place = 0; // of the role that the next click gives away
  touched = 0; // the point or proxy last touched, proxies counted behind the points

  /** `changed(final)` is called after every change; `final` is false during a drag. @param {(final: boolean) => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  // Takes Python's data: all of them where `anew`, else only the page's settings.
  /** @param {SceneData} data @param {boolean} anew */
  take({ scene, base, picked, choose, presets, limits, lesson }, anew) {
    this.roles = choose;
    this.presets = presets;
    this.limits = limits;
    this.lesson = lesson;
    if (!anew) return;
    const first = !this.scene;
    if (!first) this.#history.note(this.#standing);
    this.base = base;
    this.picked = picked;
    this.scene = read(scene);
    this.#rows = null;
    this.touched = clamp(first ? picked[0] : this.touched, 0, this.count - 1);
  }

  /** Shows the scene in motion, which is no change. @param {Scene} scene */
  show(scene) {
    this.scene = scene;
    this.#rows = null;
  }

  /** Points and proxies. */
  get count() {
    return this.scene.points.length + this.scene.proxies.length;
  }

  /** Unit rows of the points and of the proxies, made once for each scene. */
  get rows() {
    this.#rows ??= { z: rows(this.scene.points), proxies: this.scene.proxies.length ? rows(this.scene.proxies) : null };
    return this.#rows;
  }

  /** Whether a lesson leaves a part of the controls free: "scene", "dim", "move", "tools" or "pick". @param {string} part */
  free(part) {
    return (this.lesson?.[part] ?? "free") === "free";
  }

  /** Whether the action of the button `name` is possible now. @param {string} name */
  can(name) {
    const { scene: { points }, touched, limits } = this;
    const free = { tools: this.free("tools"), move: this.free("move") };
    /** @type {Record<string, boolean>} */ const conditions = {
      add: free.tools && points.length < limits.most,
      remove: free.tools && touched < points.length && points.length > limits.fewest,
      relabel: free.tools && touched < points.length,
      reset: (free.tools || free.move) && !this.untouched,
      undo: this.#changeable && this.#history.canUndo,
      redo: this.#changeable && this.#history.canRedo,
    };
    return conditions[name] ?? true;
  }

  /** Whether the scene is its preset, unchanged. */
  get untouched() {
    return write(this.scene) === this.presets[this.base][this.scene.dim - 2];
  }

  /** @param {number} handle */ isProxy(handle) {
    return handle >= this.scene.points.length;
  }

  /** @param {number} handle */ placeOf(handle) {
    const [list, index] = this.#at(handle);
    return this.scene[list][index];
  }

  /** @param {number} handle */ labelOf(handle) {
    return this.isProxy(handle) ? handle - this.scene.points.length : this.scene.labels[handle];
  }

  /** The roles of a point or proxy. @param {number} handle */
  rolesOf(handle) {
    const [list, index] = this.#at(handle);
    return this.roles.filter((role, k) => (role === "proxy") === (list === "proxies") && this.picked[k] === index);
  }

  /** What a point or proxy is called. @param {number} handle */
  nameOf(handle) {
    const name = className(this.labelOf(handle));
    return this.isProxy(handle) ? `proxy of ${name}` : `point #${handle}, ${name}`;
  }

  /** The place and the roles of a point or proxy, in words. @param {number} handle */
  wordsOf(handle) {
    return [spoken(this.placeOf(handle)), ...this.rolesOf(handle)].join(", ");
  }

  /** Notes the state before a drag. */
  note() {
    if (this.free("move")) this.#history.note(this.#standing);
  }

  /** Moves a point or proxy to a place, in the course of a drag. @param {number} handle @param {number[]} place */
  drag(handle, place) {
    if (!this.free("move")) return;
    this.#put(handle, settled(place));
    this.changed(false);
  }

  /** Ends a drag. */
  drop() {
    this.changed(true);
  }

  // Moves a point or proxy by degrees, along the circle or by longitude and latitude.
  /** @param {number} handle @param {number} along @param {number} up */ nudge(handle, along, up) {
    if (!this.free("move")) return;
    this.#history.note(this.#standing, `nudge ${handle}`);
    const [angle, latitude] = this.placeOf(handle);
    this.#put(handle, settled(latitude === undefined ? [angle + along + up] : [angle + along, latitude + up]));
    this.changed(false);
  }

  /** Gives the next role to a point or proxy. @param {number} handle */
  pick(handle) {
    if (!this.free("pick")) return;
    const [list, index] = this.#at(handle);
    const { picked, place } = pick(this, { index, proxy: list === "proxies" }, this.roles, this.scene);
    this.place = place;
    if (String(picked) === String(this.picked)) return this.changed(true);
    this.#history.note(this.#standing);
    this.picked = picked;
    return this.changed(true);
  }

  /** Adds a point of the class of the point last touched, at a place or beside it; its index. @param {number[] | null} place */
  add(place = null) {
    const [angle, ...latitude] = this.placeOf(this.touched);
    const { points, labels } = this.scene;
    this.#change({
      points: [...points, settled(place ?? [angle + APART, ...latitude])],
      labels: [...labels, this.labelOf(this.touched)],
    });
    this.touched = points.length;
    this.changed(true);
    return this.touched;
  }

  /** Removes the point last touched. */
  remove() {
    const gone = this.touched;
    /** @param {unknown} _ @param {number} i */ const keep = (_, i) => i !== gone;
    const { points, labels } = this.scene;
    /** @param {number} who */ const moved = (who) => (who > gone ? who - 1 : who === gone ? UNSET : who);
    const picked = this.picked.map((who, k) => (this.roles[k] === "proxy" ? who : moved(who)));
    this.#change({ points: points.filter(keep), labels: labels.filter(keep) }, picked);
    this.touched = Math.min(gone, points.length - 2);
    this.changed(true);
  }

  /** Gives the point last touched the next class; after the last class comes a new one. */
  relabel() {
    const { points, labels, proxies } = this.scene;
    const own = labels[this.touched];
    const alone = labels.filter((label) => label === own).length === 1 && own === classes(this.scene) - 1;
    const many = Math.min(classes(this.scene) + (alone ? 0 : 1), this.limits.classes);
    const label = (own + 1) % many;
    const added = proxies.length && label === proxies.length ? [points[this.touched]] : [];
    this.#change({ labels: labels.map((old, i) => (i === this.touched ? label : old)), proxies: [...proxies, ...added] });
    this.changed(true);
  }

  /** Replaces the scene by a preset. @param {string} name */
  preset(name) {
    if (this.free("scene")) this.#take(name);
  }

  /** Goes back to the preset. */
  reset() {
    if (this.can("reset")) this.#take(this.base);
  }

  /** @param {string} name */ #take(name) {
    this.#history.note(this.#standing);
    this.base = name;
    this.#set(read(this.presets[name][this.scene.dim - 2]), this.picked);
    this.changed(true);
  }

  /** Shows the scene on the circle (2) or on the sphere (3). @param {number} dim */
  turnInto(dim) {
    if (dim === this.scene.dim || !this.free("dim")) return;
    const scene = this.untouched ? read(this.presets[this.base][dim - 2]) : within(this.scene, dim);
    this.#change(scene);
    this.changed(true);
  }

  undo() {
    if (this.can("undo")) this.#restore(this.#history.undo(this.#standing));
  }

  redo() {
    if (this.can("redo")) this.#restore(this.#history.redo(this.#standing));
  }

  get #changeable() {
    return ["scene", "dim", "move", "tools", "pick"].some((part) => this.free(part));
  }

  get #standing() {
    const { scene, base, picked } = this;
    return { scene, base, picked };
  }

  /** @param {Standing} standing */ #restore({ scene, base, picked }) {
    this.base = base;
    this.#set(scene, picked);
    this.changed(true);
  }

  /** @param {Partial<Scene>} part */ #change(part, picked = this.picked) {
    this.#history.note(this.#standing);
    this.#set({ ...this.scene, ...part }, picked);
  }

  // The list of the scene that a handle is in, and its index there.
  /** @param {number} handle @returns {["points" | "proxies", number]} */ #at(handle) {
    return this.isProxy(handle) ? ["proxies", handle - this.scene.points.length] : ["points", handle];
  }

  /** @param {number} handle @param {number[]} place */ #put(handle, place) {
    const [list, index] = this.#at(handle);
    const places = this.scene[list].map((old, i) => (i === index ? place : old));
    this.#set({ ...this.scene, [list]: places }, this.picked);
  }

  /** @param {Scene} scene @param {number[]} picked */ #set(scene, picked) {
    this.scene = scene;
    this.#rows = null;
    this.picked = settle(picked, this.roles, scene);
    this.touched = clamp(this.touched, 0, this.count - 1);
  }
}
