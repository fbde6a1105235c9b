import { offerScene } from "../export/scene.js";
import { HandBar } from "../scene/bar.js";
import { Gradients } from "../scene/loss_gradients.js";
import { HandKeys } from "../scene/keys.js";
import { HandPointer } from "../scene/pointer.js";
import { HandReport } from "../scene/report.js";
import { classes, write } from "../scene/scene.js";
import { Stage } from "../scene/stage.js";
import { HandState } from "../scene/state.js";
import { element } from "../kit/panel.js";
import { stylesheet } from "../kit/plotly.js";
import { dress, look, pageTheme } from "../kit/theme.js";

const DEGREE = Math.PI / 180;
const FULL = 360;

/** Shows the scene in the hand in the component's node; called again at each rerun, it only takes the new data. */
export function mount(component) {
  const host = component.parentElement;
  host.dmlNewest = component;
  host.dmlOpening ??= open(host);
  host.dmlHand?.update(component);
}

/** Lets go when the node has left the page; Streamlit also calls cleanups of earlier reruns. */
export function unmount(host) {
  if (host.isConnected) return;
  host.dmlHand?.close();
  host.dmlHand = host.dmlOpening = null;
}

async function open(host) {
  await stylesheet("scene.css");
  if (!host.isConnected) return unmount(host);
  host.dmlHand = new Hand(host);
  return host.dmlHand.update(host.dmlNewest);
}

/** The scene on the page: its state, its picture with the page's overlay, its controls, and what it tells Python. */
class Hand {
  #drawing = false;
  #overlay = null;
  #look = null;

  constructor(host) {
    this.host = host;
    this.stage = new Stage(() => this.redraw());
    this.state = new HandState((final) => this.#changed(final));
    this.report = new HandReport(this.state, () => this.#view(), (serial) => (this.root.dataset.told = serial));
    this.gradients = new Gradients(() => this.redraw());
    const act = (name, value) => this.#act(name, value);
    this.bar = new HandBar(act);
    this.root = element("div", { class: "dml-hand" }, this.bar.top, this.stage.root, this.bar.bottom);
    this.pointer = new HandPointer(this.stage, this.state, (final) => {
      this.redraw();
      if (final) this.report.now();
    });
    this.keys = new HandKeys(this.root, this.stage, this.state, act);
    host.append(this.root);
  }

  /** Takes the newest data from Python; its scene only where Python has moved it, and never out of a hand. */
  update(component) {
    const { data } = component;
    this.component = component;
    const anew = data.revision !== this.revision && !this.pointer.busy;
    this.state.take(data, anew);
    if (anew) {
      this.revision = data.revision;
      this.#see(data.view);
    }
    this.report.take(component, anew);
    this.root.dataset.heard = data.heard;
    this.root.dataset.told ??= data.heard;
    this.stage.height = data.height;
    this.gradients.take(data.losses);
    this.#wear(data);
    this.#open(data.overlay);
    this.menu ??= data.recipe && offerScene(this.stage.root, this.stage.svg, () => this.#shown());
    this.redraw();
  }

  close() {
    this.report.stop();
    this.stage.close();
    this.menu?.remove();
    this.root.remove();
  }

  /** Draws before the next repaint. */
  redraw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => {
      this.#drawing = false;
      this.#draw();
    });
  }

  #draw() {
    const { stage, state } = this;
    if (!this.root.isConnected || !stage.width || !state.scene) return;
    stage.begin(state, this.#look);
    try {
      this.#overlay?.draw(this.#seen());
    } finally {
      stage.finish(state, this.#look);
    }
    this.bar.draw(state, this.#look);
    stage.svg.setAttribute("aria-label", this.#words());
    const moving = this.pointer.busy || this.keys.busy;
    const drawn = Number(this.root.dataset.drawn ?? 0) + 1;
    Object.assign(this.root.dataset, { scene: write(state.scene), moving, drawn, movable: state.free("move") });
  }

  #seen() {
    const { scene, rows, picked } = this.state;
    const { settings, losses } = this.component.data;
    return {
      scene: {
        dim: scene.dim,
        n: scene.points.length,
        z: rows.z,
        y: Int32Array.from(scene.labels),
        proxies: rows.proxies,
        classes: classes(scene),
      },
      settings,
      losses,
      picked,
      gradients: this.gradients.of(this.state),
      theme: this.#look.theme,
    };
  }

  #shown() {
    const { state, component } = this;
    return {
      state,
      gradients: this.gradients.of(state),
      look: this.#look,
      data: component.data,
      words: this.#words(),
      ready: !!this.#overlay,
    };
  }

  #words() {
    const { scene, roles, picked } = this.state;
    const where = scene.dim === 2 ? "circle" : "sphere";
    const who = roles.map((role, k) => (picked[k] < 0 ? `no ${role}` : `${role} #${picked[k]}`)).join(", ");
    return `${scene.points.length} points of ${new Set(scene.labels).size} classes on the ${where}; ${who}`;
  }

  #changed(final) {
    this.redraw();
    if (final) this.report.now();
    else this.report.soon();
  }

  #act(name, value) {
    const { state, bar } = this;
    const could = { add: state.canAdd, remove: state.canRemove, relabel: state.canRelabel }[name] ?? true;
    if (!could) return;
    const before = state.nameOf(state.held);
    if (name === "role") state.place = value;
    else if (name === "dim") state.turnInto(value);
    else if (name !== "hold") state[name](value);
    this.redraw();
    const words = {
      add: () => `added ${state.nameOf(state.held)}, ${state.wordsOf(state.held)}`,
      remove: () => `removed ${before}`,
      relabel: () => `now ${state.nameOf(state.held)}`,
      undo: () => "undone",
      redo: () => "done again",
      reset: () => `back to ${state.base}`,
      preset: () => value,
      dim: () => (value === 2 ? "on the circle" : "on the sphere"),
    };
    if (words[name]) bar.speak(words[name]());
    if (name === "add" || name === "remove") this.#refocus();
  }

  // Where a point has the focus, the one added, or the one in the place of the one removed, has it next.
  #refocus() {
    if (!this.stage.points.contains(document.activeElement)) return;
    requestAnimationFrame(() => this.stage.handle(this.state.held)?.focus({ preventScroll: true }));
  }

  #see(view) {
    const [turn, tilt] = view.split("_").map(Number);
    Object.assign(this.stage.camera, { turn: turn * DEGREE, tilt: tilt * DEGREE });
  }

  #view() {
    const { turn, tilt } = this.stage.camera;
    return `${((Math.round(turn / DEGREE) % FULL) + FULL) % FULL}_${Math.round(tilt / DEGREE)}`;
  }

  #wear({ palette, theme }) {
    const shown = pageTheme(this.host, theme);
    if (this.#look?.theme === shown) return;
    this.#look = look(palette, shown);
    dress(this.root, this.#look);
  }

  #open(name) {
    if (name === this.opened) return;
    this.opened = name;
    const overlay = name === "gradients" ? "../gradients/overlay.js" : `../scene/overlays/${name}.js`;
    import(overlay).then(({ Overlay }) => {
      this.#overlay = new Overlay(this.stage.layers, this.stage.tools);
      this.redraw();
    });
  }
}
