import { offerScene } from "../export/scene.js";
import { Bar } from "../scene/bar.js";
import { Gradients } from "../scene/responses.js";
import { Keys } from "../scene/keys.js";
import { Pointer } from "../scene/pointer.js";
import { Report } from "../scene/report.js";
import { classes, write } from "../scene/scene.js";
import { Stage } from "../scene/stage.js";
import { State } from "../scene/state.js";
import { element } from "../kit/panel.js";
import { component } from "../kit/mount.js";
import { Repaint } from "../kit/repaint.js";
import { applyTheme } from "../kit/theme.js";

/** The scene on the page: its state, its picture with the page's overlay, its controls, and its reports to Python. */
class SceneEditor {
  #repaint = new Repaint(() => this.#draw());
  #overlay = null;
  look = null;
  menu = null;
  fault = ""; // what could not be loaded

  constructor(host) {
    this.host = host;
    this.stage = new Stage(() => this.redraw());
    this.state = new State((final) => this.#changed(final));
    const sent = (serial) => this.root.setAttribute("data-sent", serial);
    this.report = new Report(this.state, () => this.stage.camera.text, sent);
    this.gradients = new Gradients(() => this.redraw(), (words) => this.#fail(words));
    const act = (name, value) => this.#act(name, value);
    this.bar = new Bar(act);
    this.root = element("div", { class: "dml-scene" }, this.bar.top, this.stage.root, this.bar.bottom);
    this.pointer = new Pointer(this.stage, this.state, (final) => this.#changed(final, final));
    this.keys = new Keys(this.root, this.stage, this.state, act);
    host.append(this.root);
  }

  /** Takes the newest data from Python; its scene only where Python has changed it, and never during a drag. */
  update(component) {
    const { data } = component;
    this.component = component;
    const anew = data.revision !== this.revision && !this.pointer.busy;
    this.state.take(data, anew);
    if (anew) {
      this.revision = data.revision;
      this.stage.camera.text = data.view;
    }
    this.report.take(component, anew);
    this.root.setAttribute("data-received", data.serial);
    if (!this.root.hasAttribute("data-sent")) this.root.setAttribute("data-sent", data.serial);
    this.stage.height = data.height;
    this.gradients.take(data.losses);
    applyTheme(this, data);
    this.#open(data.overlay);
    this.menu ??= data.recipe && offerScene(this.stage.root, this.stage.svg, () => this.#shown());
    this.redraw();
  }

  close() {
    this.report.stop();
    this.gradients.close();
    this.#overlay?.close?.();
    this.stage.close();
    this.menu?.remove();
    this.root.remove();
  }

  /** Draws before the next repaint. */
  redraw() {
    this.#repaint.request();
  }

  #draw() {
    const { stage, state } = this;
    if (!this.root.isConnected || !stage.width || !state.scene) return;
    stage.begin(state, this.look);
    try {
      this.#overlay?.draw(this.#seen());
    } finally {
      stage.note(this.fault);
      stage.finish(state, this.look);
    }
    this.bar.draw(state, this.look);
    stage.svg.setAttribute("aria-label", this.#words());
    const moving = this.pointer.busy || this.keys.busy;
    const drawn = Number(this.root.dataset.drawn ?? 0) + 1;
    Object.assign(this.root.dataset, { scene: write(state.scene), moving, drawn, movable: state.free("move") });
  }

  #seen() {
    const { scene: { dim, points, labels }, scene, rows, picked } = this.state;
    const { component: { data: { settings, losses } }, state } = this;
    const y = Int32Array.from(labels);
    return {
      scene: { dim, n: points.length, z: rows.z, y, proxies: rows.proxies, classes: classes(scene) },
      ...{ settings, losses, picked, state },
      gradients: this.gradients.of(this.state),
      gradient: this.gradients.gradient,
    };
  }

  #shown() {
    const { state, component } = this;
    const { look, gradients } = this;
    const shown = { state, look, gradients: gradients.of(state), data: component.data };
    return { ...shown, words: `${this.#words()}; ${this.stage.words}`, ready: !!this.#overlay };
  }

  #words() {
    const { scene, roles, picked } = this.state;
    const where = scene.dim === 2 ? "circle" : "sphere";
    const who = roles.map((role, k) => (picked[k] < 0 ? `no ${role}` : `${role} #${picked[k]}`)).join(", ");
    return `${scene.points.length} points of ${new Set(scene.labels).size} classes on the ${where}; ${who}`;
  }

  #changed(final, reported = true) {
    this.redraw();
    if (reported) this.report[final ? "now" : "soon"]();
  }

  #act(name, value) {
    const { state, bar } = this;
    if (!state.can(name)) return;
    const before = state.nameOf(state.touched);
    if (name === "role") state.place = value;
    else if (name === "dim") state.turnInto(value);
    else if (name !== "hold") state[name](value);
    this.redraw();
    const words = {
      add: () => `added ${state.nameOf(state.touched)}, ${state.wordsOf(state.touched)}`,
      remove: () => `removed ${before}`,
      relabel: () => `now ${state.nameOf(state.touched)}`,
      undo: () => "undone",
      redo: () => "done again",
      reset: () => `back to ${state.base}`,
      preset: () => value,
      dim: () => (value === 2 ? "on the circle" : "on the sphere"),
    };
    if (words[name]) bar.speak(words[name]());
    if (name === "add" || name === "remove") this.#refocus();
  }

  // The focus moves from the focused point to the point added, or to the one that replaces the point removed.
  #refocus() {
    if (!this.stage.points.contains(document.activeElement)) return;
    requestAnimationFrame(() => this.stage.handle(this.state.touched)?.focus({ preventScroll: true }));
  }

  #fail(words) {
    this.fault = words;
    this.redraw();
  }

  #open(name) {
    if (name === this.opened) return;
    this.opened = name;
    const loading = name === "gradients" ? import("../gradients/overlay.js") : import(`../scene/overlays/${name}.js`);
    loading.then(({ Overlay }) => {
      if (!this.root.isConnected) return;
      this.#overlay = new Overlay(this.stage);
      this.redraw();
    }, ({ message }) => this.#fail(`Its drawing could not be loaded (${message}); reload the page.`));
  }
}

export const { mount, unmount } = component(SceneEditor, "scene.css");
