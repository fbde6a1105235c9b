import { classes } from "./scene.js";

// Value and gradient of the page's losses where the points are now, from the losses' own sums (losses.js).

/** The gradients of one scene, by the names that the page gave its losses. */
export class Gradients {
  #loading = null;
  #wanted = {};
  #found = { scene: null };
  /** That of losses.js, once it is there. */
  gradient = null;

  /** `ready` is called once the losses are loaded, `failed` with a sentence where they could not be. */
  constructor(ready, failed) {
    this.ready = ready;
    this.failed = failed;
  }

  /** Takes the losses of the page, as {name: {loss, knobs, learnt, proxies}}. */
  take(losses) {
    this.#wanted = losses;
    this.#found = { scene: null };
    this.#loading ??= import("../losses/losses.js").then(({ gradient }) => {
      this.gradient = gradient;
      this.#found = { scene: null };
      this.ready();
    }, ({ message }) => this.failed(`The losses could not be loaded (${message}); reload the page.`));
  }

  close() {
    this.ready = this.failed = () => {};
  }

  /** {name: {value, z, learnt, weights}}, or null for each while the losses are not there. */
  of({ scene, rows }) {
    // A sphere that is turned has the same gradients.
    if (this.#found.scene !== scene) this.#found = { scene, gradients: this.#follow(scene, rows) };
    return this.#found.gradients;
  }

  #follow(scene, rows) {
    const batch = { n: scene.points.length, dim: scene.dim, z: rows.z, y: Int32Array.from(scene.labels) };
    const many = classes(scene);
    const found = ({ loss, knobs, learnt, proxies }) => {
      const given = Object.entries(learnt).map(([name, values]) => [name, Float64Array.from(values.slice(0, many))]);
      if (proxies) given.push(["proxies", rows.proxies]);
      return this.gradient?.(loss, { ...batch, learnt: Object.fromEntries(given) }, knobs) ?? null;
    };
    return Object.fromEntries(Object.entries(this.#wanted).map(([name, loss]) => [name, found(loss)]));
  }
}
