import { settled } from "./scene.js";

/** @typedef {{scene: Scene, numbers: {settings: Overlay, losses: Record<string, SceneLoss>}}} Moment */

const SECONDS = 2;
const TURN = 360;

/** The way of a scene and the numbers around it from what is shown to what a revealed answer shows. */
export class Glide {
  /** @type {number | null} */ #began = null;

  /** `from` and `to` are {scene, numbers}; `numbers` is any JSON value. @param {Moment} from @param {Moment} to */
  constructor(from, to) {
    this.from = from;
    this.to = to;
  }

  // Begins the motion at `now` (ms), unless it has begun; returns the share of it that is done, 1 at its end.
  /** @param {number} now */ share(now) {
    this.#began ??= now;
    const done = Math.min(1, (now - this.#began) / (1000 * SECONDS));
    return done * done * (3 - 2 * done);
  }

  /** {scene, numbers} at a `share` of the way; exactly the end at 1. @param {number} share */
  at(share) {
    const { from, to } = this;
    if (share >= 1) return to;
    return { scene: between(from.scene, to.scene, share), numbers: mixed(from.numbers, to.numbers, share) };
  }
}

/** The scene at a `share` of the way from one to another; the other where they do not have as many points.
 * @param {Scene} from @param {Scene} to @param {number} share */
export function between(from, to, share) {
  const same = /** @type {const} */ (["points", "proxies"]).every((list) => from[list].length === to[list].length);
  if (!same || from.dim !== to.dim) return to;
  /** @param {"points" | "proxies"} list */
  const moved = (list) => to[list].map((place, i) => settled(place.map((angle, k) => turned(from[list][i][k], angle, share))));
  return { ...to, points: moved("points"), proxies: moved("proxies") };
}

/** A JSON value at a `share` of the way from one to another: its numbers change, whole ones stay whole, all else is the other's. What
 * has another program, as the loss of another formula, is the other at once.
 * @template T @param {T} from @param {T} to @param {number} share @returns {T} */
export function mixed(from, to, share) {
  if (typeof from === "number" && typeof to === "number") {
    const value = from + share * (to - from);
    return /** @type {T} */ (Number.isInteger(from) && Number.isInteger(to) ? Math.round(value) : value);
  }
  const alike = from && to && typeof from === "object" && typeof to === "object";
  if (!alike || Array.isArray(from) !== Array.isArray(to)) return to;
  if ("program" in to && JSON.stringify(to.program) !== JSON.stringify(/** @type {{program?: unknown}} */ (from).program)) {
    return to;
  }
  const old = /** @type {Record<string, unknown>} */ (from);
  if (Array.isArray(to)) return /** @type {T} */ (to.map((value, k) => mixed(old[k] ?? value, value, share)));
  const entries = Object.entries(to).map(([name, value]) => [name, mixed(old[name] ?? value, value, share)]);
  return /** @type {T} */ (Object.fromEntries(entries));
}

/** The shorter way round. @param {number} from @param {number} to @param {number} share */
function turned(from, to, share) {
  const way = ((to - from) % TURN + 1.5 * TURN) % TURN - TURN / 2;
  return from + share * way;
}
