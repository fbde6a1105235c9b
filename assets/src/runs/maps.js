import { placesOf } from "./map_worker.js";
import { filling } from "./neighbour_map.js";
import { coordinates } from "./packing.js";

const NONE = -1; // no key frame comes before

/** @typedef {{points: Packed, after: number}} KeyFrame */
/** @typedef {{k: number, step: number, group: Group, frame: KeyFrame}} Goal */
/** @typedef {{raw: Float64Array, places: Packed}} MapOfStep */
/** @typedef {(before: number, after: number) => Promise<Message<PointsHeader> | null>} AskPoints */
/** @typedef {{frame: Frame, k: number, group: Group}} Mapped a group of the points of a member of a frame */

/** The neighbour maps of a run's frames. The map of a frame begins at the places of the key frame before it, and that one's at
 * those of its own: so a step has the same map however it is come to, and one that is jumped to needs no other frames than key
 * frames. The server has the points of these even where it has dropped the frames. */
export class Maps {
  /** @type {Map<string, KeyFrame>} */ #keys = new Map(); // by member and step
  /** @type {Map<string, Map<number, MapOfStep>>} */ #made = new Map(); // by member and group, and then by step
  /** @type {Map<number, Packed>} */ #recorded = new Map(); // the first map of each member of a recording
  /** @type {Map<string, Goal>} */ #goals = new Map(); // by member and group
  /** @type {Map<string, {k: number, group: Group}>} */ #drawn = new Map(); // what was asked for since the newest frame came
  /** @type {Promise<void> | null} */ #work = null; // until all goals are reached
  #changed = () => {};

  /** Keeps the points of key frames. @param {Frame} frame */
  add({ header, arrays }) {
    header.members.forEach(({ key, after = NONE }, k) => {
      const recorded = arrays[`${k}.map`];
      if (recorded && !this.#recorded.has(k)) this.#recorded.set(k, fine(recorded));
      if (key) this.#keep(k, header.members[k].at ?? header.step, arrays[`${k}.points`], after);
    });
  }

  /** The places (W, 2), from -1 to 1, of the points of a member and a group, and whether they are those of the frame; as long as
   * these are being made, of the last step before it that has any, or null. `ask` brings key frames, `changed` says that more is
   * there.
   * @param {Mapped} mapped @param {AskPoints} ask @param {() => void} changed */
  of({ frame, k, group }, ask, changed) {
    const recorded = frame.arrays[`${k}.map`];
    if (recorded) return { places: fine(recorded), exact: true };
    this.#drawn.set(`${k} ${group.name}`, { k, group });
    const goal = goalOf({ frame, k, group });
    const made = this.#of(k, group);
    const known = made.get(goal.step);
    if (known) return { places: known.places, exact: true };
    this.#changed = changed;
    this.#reach(goal, ask);
    const before = Math.max(...[...made.keys()].filter((other) => other < goal.step));
    return { places: made.get(before)?.places ?? null, exact: false };
  }

  /** Makes of a new frame the maps that were asked for of the one before it; resolves once they are there.
   * @param {Frame} frame @param {AskPoints} ask */
  async follow(frame, ask) {
    const drawn = [...this.#drawn.values()].filter(({ k }) => frame.arrays[`${k}.points`]);
    this.#drawn.clear();
    this.#changed = () => {};
    for (const { k, group } of drawn) this.#reach(goalOf({ frame, k, group }), ask);
    await this.#work;
  }

  /** The first map of a member and a group that was made; null before there is one. @param {number} k @param {Group} group */
  first(k, group) {
    const made = this.#of(k, group);
    return this.#recorded.get(k) ?? made.get(Math.min(...made.keys()))?.places ?? null;
  }

  /** @param {Goal} goal @param {AskPoints} ask */ #reach(goal, ask) {
    this.#goals.set(`${goal.k} ${goal.group.name}`, goal);
    this.#work ??= this.#reachAll(ask);
  }

  /** @param {AskPoints} ask */ async #reachAll(ask) {
    try {
      // After the picture that asks: two of the browser's threads at once would take the core of a run that trains beside it.
      await new Promise((resolve) => setTimeout(resolve));
      while (this.#goals.size) {
        for (const [name, goal] of this.#goals) {
          const next = await this.#next(goal, ask);
          if (next) await this.#make(goal, next);
          const done = !next || next.step === goal.step;
          if (done && this.#goals.get(name)?.step === goal.step) this.#goals.delete(name);
          if (next) this.#changed();
        }
      }
    } finally {
      this.#work = null;
    }
  }

  // The first step that is still to be made on the way to a goal; null where its key frames are not to be had.
  /** @param {Goal} goal @param {AskPoints} ask @returns {Promise<{step: number, frame: KeyFrame} | null>} */
  async #next({ k, step, group, frame }, ask) {
    const made = this.#of(k, group);
    let first = { step, frame };
    while (first.frame.after !== NONE && !made.has(first.frame.after)) {
      const { after } = first.frame;
      if (!this.#keys.has(`${k} ${after}`)) await this.#fetch(k, first.step, ask);
      const before = this.#keys.get(`${k} ${after}`);
      if (!before) return null;
      first = { step: after, frame: before };
    }
    return first;
  }

  // Asks for the key frames of a member before a step and after the last one before it that is known.
  /** @param {number} k @param {number} before @param {AskPoints} ask */
  async #fetch(k, before, ask) {
    const known = [...this.#keys.keys()].map((id) => id.split(" ").map(Number)).filter(([member]) => member === k);
    const after = Math.max(NONE, ...known.map(([, step]) => step).filter((step) => step < before));
    const message = await ask(before, after);
    const all = message?.arrays[`${k}.points`];
    if (!all) return;
    const [, n, d] = all.shape;
    message.header.steps[k].forEach((step, row, steps) => {
      const points = Object.assign(all.subarray(row * n * d, (row + 1) * n * d), { shape: [n, d] });
      this.#keep(k, step, points, row ? steps[row - 1] : after);
    });
  }

  /** @param {Goal} goal @param {{step: number, frame: KeyFrame}} next */
  async #make({ k, group: { name, points: members } }, { step, frame: { points, after } }) {
    const made = this.#of(k, { name });
    const [, d] = points.shape;
    const rows = new Uint8Array(members.length * d);
    members.forEach((i, row) => rows.set(points.subarray(i * d, (i + 1) * d), row * d));
    const raw = await placesOf(rows, members.length, d, made.get(after)?.raw ?? null);
    const places = new Float32Array(2 * points.shape[0]);
    const filled = filling(raw);
    members.forEach((i, row) => places.set(filled.subarray(2 * row, 2 * row + 2), 2 * i));
    made.set(step, { raw, places: Object.assign(places, { shape: [points.shape[0], 2] }) });
  }

  /** @param {number} k @param {{name: string}} group */ #of(k, { name }) {
    const id = `${k} ${name}`;
    const made = this.#made.get(id) ?? new Map();
    this.#made.set(id, made);
    return made;
  }

  /** @param {number} k @param {number} step @param {Packed} points @param {number} after */
  #keep(k, step, points, after) {
    const id = `${k} ${step}`;
    // A copy, so that the rest of its message can go.
    if (!this.#keys.has(id)) this.#keys.set(id, { points: Object.assign(points.slice(), { shape: points.shape }), after });
  }
}

/** @param {Mapped} mapped @returns {Goal} */ function goalOf({ frame: { header, arrays }, k, group }) {
  const { at: step = header.step, after = NONE } = header.members[k];
  return { k, step, group, frame: { points: arrays[`${k}.points`], after } };
}

/** @param {Packed} places @returns {Packed} */ function fine(places) {
  if (places instanceof Float32Array) return places;
  return Object.assign(coordinates(places), { shape: places.shape });
}
