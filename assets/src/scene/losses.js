import { attempt, imported } from "../host/attempt.js";
import { ASSETS } from "../host/assets.js";
import { classes } from "./scene.js";

// Value and gradient of the page's losses where the points are now, from the losses' own sums (losses.js).

const LOSSES = new URL("src/losses/losses.js", ASSETS).href; // which Python writes

/** The gradients of one scene, by the names that the page gave its losses. */
export class SceneLosses {
  /** @type {Promise<void> | null} */ #loading = null;
  /** @type {Record<string, SceneLoss>} */ #losses = {};
  /** @type {{scene: Scene | null, gradients?: Record<string, LossGradient | null>}} */ #latest = { scene: null };
  #closed = false;
  /** The gradient of losses.js, once it is there. @type {LossGradientOf | null} */
  gradient = null;

  /** `ready` is called once the losses are loaded, `say` with a sentence while they are not, and "" afterwards.
   * @param {() => void} ready @param {(words: string) => void} say */
  constructor(ready, say) {
    this.ready = ready;
    this.say = say;
  }

  /** Takes the losses of the page, as {name: {loss, knobs, learnt, proxies}}. @param {Record<string, SceneLoss>} losses */
  take(losses) {
    this.#losses = losses;
    this.#latest = { scene: null };
    this.#loading ??= this.#load();
  }

  close() {
    this.ready = this.say = () => {};
    this.#closed = true;
  }

  /** {name: {value, z, learnt, weights}}, or null for each while the losses are not there. @param {SceneState} state */
  of({ scene, rows }) {
    // A sphere that is turned has the same gradients.
    if (this.#latest.scene !== scene) this.#latest = { scene, gradients: this.#follow(scene, rows) };
    return this.#latest.gradients;
  }

  async #load() {
    /** @param {number} failures */ const load = async (failures) => (await imported(LOSSES, failures)).gradient;
    const wanted = () => !this.#closed;
    this.gradient = await attempt(load, (words) => this.say(words), { what: "The losses", wanted }) ?? null;
    this.#latest = { scene: null };
    this.ready();
  }

  /** @param {Scene} scene @param {{z: Float64Array, proxies: Float64Array | null}} rows
   * @returns {Record<string, LossGradient | null>} */
  #follow(scene, rows) {
    const batch = { n: scene.points.length, dim: scene.dim, z: rows.z, y: Int32Array.from(scene.labels) };
    const many = classes(scene);
    /** @param {SceneLoss} loss */ const found = ({ loss, knobs, learnt, proxies }) => {
      /** @type {[string, Float64Array][]} */
      const given = Object.entries(learnt).map(([name, values]) => [name, Float64Array.from(values.slice(0, many))]);
      if (proxies) given.push(["proxies", rows.proxies]);
      return this.gradient?.(loss, { ...batch, learnt: Object.fromEntries(given) }, knobs) ?? null;
    };
    return Object.fromEntries(Object.entries(this.#losses).map(([name, loss]) => [name, found(loss)]));
  }
}
