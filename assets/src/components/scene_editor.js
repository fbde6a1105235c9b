import { offerScene } from "../export/scene.js";
import { GradientsDrawing } from "../gradients/overlay.js";
import { AngularDrawing } from "../scene/overlays/angular.js";
import { ArrowsDrawing } from "../scene/overlays/arrows.js";
import { PairsDrawing } from "../scene/overlays/pairs.js";
import { ProxiesDrawing } from "../scene/overlays/proxies.js";
import { RankedListDrawing } from "../scene/overlays/ranked_list.js";
import { Bar } from "../scene/bar.js";
import { Glide } from "../scene/glide.js";
import { SceneLosses } from "../scene/losses.js";
import { Keys } from "../scene/keys.js";
import { Pointer } from "../scene/pointer.js";
import { Report } from "../scene/report.js";
import { classes, read, write } from "../scene/scene.js";
import { SCENE, SHOWN_SCENE } from "../host/bus.js";
import { Stage } from "../scene/stage.js";
import { State } from "../scene/state.js";
import { element } from "../draw/panel.js";
import { renew } from "../draw/svg.js";
import { component, undrawn } from "../host/mount.js";
import { Repaint } from "../draw/repaint.js";
import { applyTheme } from "../host/theme.js";

/** @typedef {new (tools: SceneTools, hands: Hands) => SceneOverlay<SceneSeen<Overlay>>} Drawing */

const OVERLAYS = {
  angular: AngularDrawing,
  arrows: ArrowsDrawing,
  gradients: GradientsDrawing,
  pairs: PairsDrawing,
  proxies: ProxiesDrawing,
  ranked_list: RankedListDrawing,
};

/** The scene on the page: its state, its picture with the page's overlay, its controls, and its reports to Python. */
class SceneEditor {
  #repaint = new Repaint(() => this.#draw(), (error) => undrawn(this.host, error));
  /** @type {SceneOverlay<SceneSeen<Overlay>> | null} */ #overlay = null;
  /** @type {Record<string, LossGradient | null> | null} */ #painted = null; // the gradients of the newest picture
  /** @type {Glide | null} */ #glide = null; // the motion of a revealed answer
  /** @type {Look | null} */ look = null;
  /** @type {ExportMenu | null} */ menu = null;
  ending = new AbortController();
  opened = ""; // the name of the overlay
  /** @type {Map<string, string>} */ faults = new Map(); // sentences on what is missing, by what it is

  /** @param {Host} host */ constructor(host) {
    this.host = host;
    this.stage = new Stage(() => this.redraw());
    this.state = new State((/** @type {boolean} */ final) => this.#changed(final));
    /** @param {number} serial */ const sent = (serial) => this.root.setAttribute("data-sent", String(serial));
    this.report = new Report(this.state, () => this.stage.camera.text, sent);
    this.gradients = new SceneLosses(() => this.redraw(), (/** @type {string} */ words) => this.#fault("losses", words));
    /** @param {string} name @param {string | number} [value] */ const act = (name, value) => this.#act(name, value);
    this.bar = new Bar(act);
    this.root = element("div", { class: "dml-scene" }, this.bar.top, this.stage.root, this.bar.bottom);
    this.pointer = new Pointer(this.stage, this.state, (/** @type {boolean} */ final) => this.#changed(final, final));
    this.keys = new Keys(this.root, this.stage, this.state, act);
    SHOWN_SCENE.listen((settings) => this.#follow(settings), this.ending.signal);
    host.append(this.root);
  }

  // Takes the newest data from Python; its scene only where Python has changed it, and never during a drag.
  /** @param {Given<SceneData>} component */ update(component) {
    const { data } = component;
    const before = this.#standing;
    this.component = component;
    const anew = data.revision !== this.revision && !this.pointer.busy;
    this.state.take(data, anew);
    if (data.revealed && before && !before.revealed && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.#glide = new Glide(before, this.#standing);
    }
    if (anew) {
      this.revision = data.revision;
      this.stage.camera.text = data.view;
      this.#lead();
    }
    this.report.take(component, anew);
    this.root.setAttribute("data-received", String(data.serial));
    if (!this.root.hasAttribute("data-sent")) this.root.setAttribute("data-sent", String(data.serial));
    this.stage.height = data.height;
    this.gradients.take(data.losses);
    applyTheme(this, data);
    this.#open(data.overlay);
    this.menu ??= data.recipe && offerScene(this.stage.root, this.stage.svg, () => this.#shown());
    this.redraw();
  }

  close() {
    this.ending.abort();
    this.report.close();
    this.gradients.close();
    this.#overlay?.close();
    this.stage.close();
    this.menu?.remove();
  }

  /** Draws before the next repaint. */
  redraw() {
    this.#repaint.request();
  }

  // What a revealed answer changes: the scene, and the numbers that the overlay draws.
  get #standing() {
    if (!this.component || !this.state.scene) return null;
    const { settings, losses, revealed } = this.component.data;
    return { scene: this.state.scene, numbers: { settings, losses }, revealed };
  }

  #move() {
    if (this.pointer.busy || this.keys.busy) this.#glide = null;
    if (!this.#glide) return;
    const share = this.#glide.share(performance.now());
    const { scene, numbers } = this.#glide.at(share);
    this.state.show(scene);
    this.gradients.take(numbers.losses);
    this.numbers = numbers;
    if (share < 1) requestAnimationFrame(() => this.redraw());
    else this.#glide = this.numbers = null;
  }

  #draw() {
    const { stage, state } = this;
    if (!this.root.isConnected || !stage.width || !state.scene) return;
    this.#move();
    stage.begin(state, this.look);
    this.faults.delete("drawn");
    try {
      this.#overlay?.draw(this.component.data.bare ? null : this.#seen());
    } catch (error) {
      console.error(error);
      this.faults.set("drawn", `What the loss does here could not be drawn (${error.message}); move a point.`);
    }
    for (const words of this.faults.values()) stage.note(words);
    stage.finish(state, this.look);
    if (this.#overlay && this.gradients.gradient) this.#painted = this.gradients.of(state);
    this.bar.draw(state, this.look);
    renew(stage.svg, { "aria-label": this.#words() });
    renew(this.root, {
      "data-scene": write(state.scene),
      "data-moving": String(this.pointer.busy || this.keys.busy),
      "data-drawn": Number(this.root.dataset.drawn ?? 0) + 1,
      "data-movable": String(state.free("move")),
      "data-bare": String(this.component.data.bare ?? false),
    });
  }

  #seen() {
    const { state, state: { scene, scene: { dim, points, labels }, rows, picked } } = this;
    const { settings, losses } = this.numbers ?? this.component.data;
    const y = Int32Array.from(labels);
    return {
      scene: { dim, n: points.length, z: rows.z, y, proxies: rows.proxies, classes: classes(scene) },
      ...{ settings, losses, picked, state },
      gradients: this.gradients.of(this.state),
      gradient: this.gradients.gradient,
    };
  }

  #shown() {
    const { state, component: { data }, look, gradients } = this;
    const words = `${this.#words()}; ${this.stage.words}`;
    return { state, look, data, words, gradients: gradients.of(state), ready: this.#painted === gradients.of(state) };
  }

  #words() {
    const { scene, roles, picked } = this.state;
    const where = scene.dim === 2 ? "circle" : "sphere";
    /** @param {string} role @param {number} k */
    const who = (role, k) => (picked[k] < 0 ? `no ${role}` : `${role} #${picked[k]}`);
    return `${scene.points.length} points of ${new Set(scene.labels).size} classes on the ${where}; ${roles.map(who).join(", ")}`;
  }

  /** @param {boolean} final */ #changed(final, reported = true) {
    this.redraw();
    this.#lead();
    if (reported) this.report[final ? "now" : "soon"]();
  }

  #lead() {
    SCENE.send({ at: write(this.state.scene), view: this.stage.camera.text });
  }

  // Shows the scene of a wall that this page follows; the wall's link comes once the hand rests.
  /** @param {Readonly<Record<string, string>>} settings */ #follow({ at, view }) {
    if (!at || !this.state.scene) return;
    const scene = read(at);
    if (scene.dim !== this.state.scene.dim || scene.points.length !== this.state.scene.points.length) return;
    this.state.show(scene);
    if (view !== undefined) this.stage.camera.text = view;
    this.redraw();
  }

  /** @param {string} name @param {string | number} [value] */ #act(name, value) {
    const { state, bar } = this;
    if (!state.can(name)) return;
    const before = state.nameOf(state.touched);
    if (name === "role") state.place = Number(value);
    else if (name === "dim") state.turnInto(Number(value));
    else if (name !== "hold") {
      /** @type {Record<string, (value: string | number) => void>} */ (/** @type {unknown} */ (state))[name](value);
    }
    this.redraw();
    /** @type {Record<string, () => string>} */ const words = {
      add: () => `added ${state.nameOf(state.touched)}, ${state.wordsOf(state.touched)}`,
      remove: () => `removed ${before}`,
      relabel: () => `now ${state.nameOf(state.touched)}`,
      undo: () => "undone",
      redo: () => "done again",
      reset: () => `back to ${state.base}`,
      preset: () => String(value),
      dim: () => (value === 2 ? "on the circle" : "on the sphere"),
    };
    if (words[name]) bar.speak(words[name]());
    // The focus moves from the focused point to the point added, or to the one that replaces the point removed.
    if ((name !== "add" && name !== "remove") || !this.stage.points.contains(document.activeElement)) return;
    requestAnimationFrame(() => this.stage.handle(this.state.touched)?.focus({ preventScroll: true }));
  }

  /** @param {string} what @param {string} words */ #fault(what, words) {
    if (words) this.faults.set(what, words);
    else this.faults.delete(what);
    this.redraw();
  }

  /** @param {string} name */ #open(name) {
    if (name === this.opened) return;
    this.opened = name;
    this.#overlay?.close?.();
    for (const layer of Object.values(this.stage.layers)) layer.replaceChildren();
    const Kind = /** @type {Record<string, Drawing>} */ (/** @type {unknown} */ (OVERLAYS))[name];
    const press = this.pointer.press.bind(this.pointer);
    this.#overlay = new Kind(this.stage, { press, pick: (point) => this.keys.pick(point) });
  }
}

export const { mount, unmount } = component(SceneEditor, "scene.css");
