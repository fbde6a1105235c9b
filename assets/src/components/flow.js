import { flowRows, offerBoard } from "../export/boards.js";
import { withSetting } from "../export/recipe.js";
import { dash } from "../draw/marker.js";
import { Board } from "../gradients/board.js";
import { FlowPanel } from "../gradients/flow_panel.js";
import { element, say } from "../draw/panel.js";
import { component } from "../host/mount.js";
import { coordinates } from "../runs/packing.js";
import { Player } from "../runs/player.js";

const PACE = 70; // ms between two steps that are played

/** Every loss's flow: one slider goes through the steps of all, and plays them. @extends {Board<FlowData>} */
class Flow extends Board {
  /** @type {number | null} */ #step = null;
  /** @type {number | null} */ sentStep = null;

  /** @param {Host} host */ constructor(host) {
    super(host, FlowPanel);
    const play = { class: "dml-gradients-play" };
    this.player = new Player("Play the steps", play, () => this.#go(), () => this.#rest());
    /** @returns {void} */ const oninput = () => this.#show(Number(this.slider.value));
    const slider = { type: "range", min: 0, step: 1, oninput, onchange: () => this.#rest() };
    this.slider = element("input", { ...slider, "aria-label": "Step k along the gradient" });
    this.readout = element("output", { class: "dml-gradients-step" });
    /** @param {string} name @param {string} text */
    const key = (name, text) => element("span", { class: `dml-gradients-key dml-gradients-${name}` }, text);
    const keys = [key("map", "mAP"), key("within", "within a class"), key("between", "between classes")];
    const legend = element("div", { class: "dml-gradients-keys" }, ...keys);
    this.bar = element("div", { class: "dml-gradients-bar" }, this.player.root, this.slider, this.readout, legend);
    this.root.prepend(this.bar);
  }

  close() {
    this.player.stop();
    super.close();
  }

  /** @param {Message<FlowData>} message @param {boolean} known */ take({ header, arrays }, known) {
    const { steps } = header;
    this.slider.max = String(steps);
    // Python's step counts at first, and later where it differs from the step that Python has confirmed.
    if (this.#step === null || (known && header.step !== this.sentStep)) this.#show(Math.min(header.step, steps));
    if (known) this.sentStep = header.step;
    this.#step = Math.min(this.#step, steps);
    const { n, dim } = header;
    let from = 0;
    this.flows = header.panels.map((panel, k) => {
      const size = (steps + 1) * n * dim;
      const many = panel.owners.length * dim * (steps + 1);
      const own = arrays.proxies.subarray(from, from += many);
      return {
        ...panel,
        points: coordinates(arrays.points.subarray(k * size, (k + 1) * size)),
        proxies: coordinates(own),
        /** @param {string} which */
        curve: (which) => arrays[which].subarray(k * (steps + 1), (k + 1) * (steps + 1)),
      };
    });
  }

  offer() {
    return offerBoard(this, () => flowRows(this));
  }

  /** The steps for a film, and what shows one of them. */
  get moving() {
    return {
      steps: () => Array.from({ length: Number(this.slider.max) + 1 }, (_, step) => step),
      now: () => this.#step,
      /** @param {number} step */
      show: async (step) => {
        this.#rest();
        this.#show(step);
        this.draw();
      },
    };
  }

  /** @param {Recipe} recipe */ link({ link, page }) {
    return withSetting(link, `${page}.step`, this.#step || null);
  }

  /** Whether Python has the scene as it is now. */
  get current() {
    return !this.message.header.waits;
  }

  /** What the curves are of. */
  get signs() {
    const { ink, positive, negative } = this.look;
    const signs = [dash(ink), dash(positive), dash(negative, "4 3")];
    return ["mAP", "within a class", "between classes"].map((text, k) => ({ text, sign: signs[k] }));
  }

  draw() {
    const { header, arrays } = this.message;
    const { n, dim, steps } = header;
    const step = this.#step;
    const drawn = this.flows.map((flow) => {
      const z = flow.points.subarray(step * n * dim, (step + 1) * n * dim);
      return { ...flow, flow, n, dim, step, steps, y: arrays.y, z };
    });
    this.drawn = drawn;
    const lit = this.lit !== null && this.lit < n ? this.lit : null;
    this.root.dataset.waits = String(header.waits);
    const frame = { camera: this.seenBy(dim), look: this.look, lit, names: header.names };
    this.grid.draw(drawn, drawn.map(() => 1), { ...frame, round: dim === 3 || header.circle });
    this.root.dataset.step = String(step);
  }

  /** @param {number} step */ #show(step) {
    this.#step = step;
    this.slider.value = String(step);
    say(this.readout, `step ${step} of ${this.slider.max}`);
    this.redraw();
  }

  #go() {
    if (this.#step >= Number(this.slider.max)) this.#show(0);
    this.player.start(() => {
      if (!this.root.isConnected || this.#step >= Number(this.slider.max)) this.#rest();
      else this.#show(this.#step + 1);
    }, PACE);
  }

  #rest() {
    this.player.stop();
    if (this.#step === this.sentStep) return;
    this.sentStep = this.#step;
    this.report({ step: this.#step });
  }
}

export const { mount, unmount } = component(Flow, "gradients.css");
