import { score } from "../draw/words.js";

/** @typedef {"together" | "active" | "rose"} Judged */
/** @typedef {{name: string, map: number, collapsed: boolean, began: number} & Record<Judged, number>} Ranked */

const TOGETHER = [0.5, 0.2]; // mean cosine of two points: of a collapse at least, and more than every other racer has
const IDLE = 0.05; // of the batch without a gradient, more than every other racer has
const SLOWER = 0.02; // of mAP, risen more than that of every other racer
const LATELY = 0.8; // of the steps, after which a rise is recent
const LEVEL = 0.005; // of mAP: equal in two decimals

/** The mean cosine of two of the points `rows`, unit rows of width `width`; NaN for fewer than two.
 * @param {Float32Array} points @param {number} width @param {number[]} rows */
export function together(points, width, rows) {
  const { length } = rows;
  const sums = Array.from({ length: width }, (_, c) => rows.reduce((sum, i) => sum + points[width * i + c], 0));
  const squares = sums.reduce((sum, value) => sum + value * value, 0);
  return length > 1 ? (squares - length) / (length * (length - 1)) : NaN;
}

/** Why the racer with the least mAP is last, from the numbers of this race; "" without an order. A racer has its `name`, its
 * `map`, whether its points have `collapsed` by its own note and, NaN where it is not measured, the mean cosine of two of its
 * points (`together`), its `active` share now and as it `began`, and what its mAP `rose`.
 * @param {Ranked[]} racers */
export function whyLast(racers) {
  const ranked = racers.filter(({ map }) => Number.isFinite(map)).sort((a, b) => b.map - a.map);
  if (ranked.length < 2 || ranked.at(-2).map - ranked.at(-1).map < LEVEL) return "";
  const last = ranked.at(-1);
  const others = ranked.slice(0, -1);
  // Of the others that it is measured for: one that branches off has no number of before; NaN where there is none.
  /** @param {Judged} name */ const measured = (name) => others.map((racer) => racer[name]).filter(Number.isFinite);
  /** @param {Judged} name */ const most = (name) => measured(name).length ? Math.max(...measured(name)) : NaN;
  /** @param {Judged} name */ const least = (name) => measured(name).length ? Math.min(...measured(name)) : NaN;
  // What is left of the share as the table rounds it.
  /** @param {number} share */ const without = (share) => `${100 - Math.round(100 * share)} %`;
  const reasons = [
    last.together >= TOGETHER[0] && last.together - most("together") >= TOGETHER[1] &&
    `its points ${last.collapsed ? "have collapsed" : "lie closer together"}: two of them have a mean cosine of ${
      score(last.together)
    } (others: at most ${score(most("together"))})`,
    last.collapsed && !others.some(({ collapsed }) => collapsed) && Number.isNaN(last.together) &&
    "its points have collapsed, as its picture says, and those of no other have",
    // Some losses leave a share of every batch idle from the start.
    least("active") - last.active >= IDLE && !(last.began - last.active < IDLE) &&
    `${without(last.active)} of its batch has no gradient (others: ${
      least("active") > 0.995 ? "none" : `at most ${without(least("active"))}`
    })`,
    last.rose - Math.max(0, most("rose")) >= SLOWER &&
    `it still learns: its mAP rose by ${score(last.rose)} over the last fifth of the steps ` +
      `(others: at most ${score(Math.max(0, most("rose")))})`,
  ].filter(Boolean);
  /** @param {Judged} name */ const compared = (name) => measured(name).length > 0 && Number.isFinite(last[name]);
  const looked = ["collapse", compared("active") && "idle batch", compared("rose") && "late rise"].filter(Boolean);
  const none = [looked.slice(0, -1).join(", "), looked.at(-1)].filter(Boolean).join(" or ");
  const why = reasons.length
    ? `${reasons.join("; ")}.`
    : `no ${none} of its own tells why; with another learning rate or seed it may not be.`;
  return `${last.name} is last, with ${score(last.map)} mAP: ${why}`;
}

/** The row of a history at which the last fifth of the steps up to `row` begins.
 * @param {RunHistory} history @param {number} row */
export function lately(history, row) {
  return history.row(LATELY * history.at("step", row));
}
