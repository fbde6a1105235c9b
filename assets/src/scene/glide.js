import { settled } from "./scene.js";

const SECONDS = 2;
const TURN = 360;

/** The way of a scene and the numbers around it from what is shown to what a revealed answer shows. */
export class Glide {
  #began = null;

  /** `from` and `to` are {scene, numbers}; `numbers` is any JSON value. */
  constructor(from, to) {
    this.from = from;
    this.to = to;
  }

  /** Begins the motion at `now` (ms), unless it has begun; returns the share of it that is done, 1 at its end. */
  share(now) {
    this.#began ??= now;
    const done = Math.min(1, (now - this.#began) / (1000 * SECONDS));
    return done * done * (3 - 2 * done);
  }

  /** {scene, numbers} at a `share` of the way; exactly the end at 1. */
  at(share) {
    const { from, to } = this;
    if (share >= 1) return to;
    return { scene: between(from.scene, to.scene, share), numbers: mixed(from.numbers, to.numbers, share) };
  }
}

/** The scene at a `share` of the way from one to another; the other where they do not have as many points. */
export function between(from, to, share) {
  const same = ["points", "proxies"].every((list) => from[list].length === to[list].length);
  if (!same || from.dim !== to.dim) return to;
  const moved = (list) => to[list].map((place, i) => settled(place.map((angle, k) => turned(from[list][i][k], angle, share))));
  return { ...to, points: moved("points"), proxies: moved("proxies") };
}

/** A JSON value at a `share` of the way from one to another: its numbers change, whole ones stay whole, all else is the other's. */
export function mixed(from, to, share) {
  if (typeof from === "number" && typeof to === "number") {
    const value = from + share * (to - from);
    return Number.isInteger(from) && Number.isInteger(to) ? Math.round(value) : value;
  }
  const alike = from && to && typeof from === "object" && typeof to === "object";
  if (!alike || Array.isArray(from) !== Array.isArray(to)) return to;
  if (Array.isArray(to)) return to.map((value, k) => mixed(from[k] ?? value, value, share));
  return Object.fromEntries(
    Object.entries(to).map(([name, value]) => [name, mixed(from[name] ?? value, value, share)]),
  );
}

// The shorter way round.
function turned(from, to, share) {
  const way = ((to - from) % TURN + 1.5 * TURN) % TURN - TURN / 2;
  return from + share * way;
}
