import { response } from "./numbers.js";
import { lengths } from "../draw/rows.js";

const BUDGET = 11; // ms of a frame for the losses: what is left is for drawing

/** Computes many losses at a moving scene: in each frame as many as there is time for, those left out longest first. */
export class Follower {
  /** @type {Record<string, OverlayLoss>} */ #losses = {};
  text = ""; // the losses, as text
  /** @type {string[]} */ #behind = [];
  /** @type {OverlayScene | null} */ #scene = null;

  /** @type {Record<string, LossResponse>} */
  found = {}; // what `response` says by name, with the scene it belongs to, as new as there was time for
  /** @type {LossGradientOf | null} */ gradient = null; // that of losses.js, once it is there

  // Takes the losses of the message; `first` is never left out.
  /** @param {Record<string, OverlayLoss>} losses @param {string} first */ take(losses, first) {
    this.first = first;
    if (losses === this.#losses) return;
    this.#losses = losses;
    const text = JSON.stringify(losses);
    if (text === this.text) return;
    this.text = text;
    this.found = {};
    this.#behind = Object.keys(losses);
    this.#scene = null;
  }

  // Computes losses at the scene {n, dim, z, y, proxies, classes}, the first and, where `all` are of use, as many more as there is
  // time for; returns whether some are left.
  /** @param {OverlayScene} scene @param {boolean} all */ look(scene, all) {
    if (!this.gradient) return false;
    const until = all || !this.#scene ? performance.now() + BUDGET : 0; // of new losses, all are of use
    if (moved(scene, this.#scene)) {
      this.#scene = scene;
      // Losses that were left out stay in front.
      const names = Object.keys(this.#losses);
      const fresh = names.filter((name) => !this.#behind.includes(name));
      this.#behind = [...this.#behind, ...fresh];
      if (names.includes(this.first)) {
        this.#behind = [this.first, ...this.#behind.filter((name) => name !== this.first)];
      }
    }
    do if (this.#behind.length) this.#follow(this.#behind.shift()); while (this.#behind.length && performance.now() < until);
    return this.#behind.length > 0;
  }

  /** @param {string} name */ #follow(name) {
    const { loss, knobs, learnt, rows, proxies, unit } = this.#losses[name];
    const scene = this.#scene;
    const { n, dim, z, y, classes } = scene;
    /** @type {Record<string, Float64Array>} */ const given = {};
    for (const [which, values] of Object.entries(learnt[dim])) {
      given[which] = Float64Array.from(values.slice(0, classes * (which === "proxies" ? rows * dim : 1)));
    }
    if (proxies) given.proxies = scene.proxies;
    const result = this.gradient(loss, { n, dim, z, y, learnt: given }, knobs);
    const sizes = given.proxies && lengths(given.proxies, dim);
    const others = given.proxies?.map((value, k) => value / sizes[Math.floor(k / dim)]) ?? z;
    this.found[name] = { ...response(result, scene, others, { unit }), scene, others, rows };
  }
}

/** The scene makes its rows anew whenever a point has moved. @param {OverlayScene} scene @param {OverlayScene | null} before */
function moved(scene, before) {
  return scene.z !== before?.z || scene.proxies !== before.proxies || String(scene.y) !== String(before.y);
}
