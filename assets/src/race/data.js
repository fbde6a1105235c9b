import { count } from "../draw/words.js";
import { coordinates } from "../runs/packing.js";

/** The points of racer `k` in a frame ("view") or its "proxies", as Float32Array of that shape; null where it has none.
 * @param {Frame} frame @param {number} k @param {string} name @returns {Float32Array & {shape: number[]} | null} */
export function pointsOf(frame, k, name) {
  const sent = frame.arrays[`${k}.${name}`];
  return sent ? Object.assign(coordinates(sent), { shape: sent.shape }) : null;
}

/** The row of what racer `k` shows in a frame: its newest at or before that step.
 * @param {RunHistory} history @param {Frame} frame @param {number} k */
export function rowOf(history, { header: { members, step } }, k) {
  return history.row(members[k].at ?? step);
}

/** Mean, least, greatest and standard deviation over the seeds of racer `k` at a row; NaN where no seed has a value.
 * @param {RunHistory} history @param {number} seeds @param {number} k @param {string} metric @param {number} row */
export function spread(history, seeds, k, metric, row) {
  let [count, sum, low, high] = [0, 0, Infinity, -Infinity];
  const values = [];
  for (let seed = 0; seed < seeds; seed += 1) {
    const value = history.at(`${k}.${seed}.${metric}`, row);
    if (!Number.isFinite(value)) continue;
    count += 1;
    sum += value;
    low = Math.min(low, value);
    high = Math.max(high, value);
    values.push(value);
  }
  if (!count) return { mean: NaN, low: NaN, high: NaN, sd: NaN, count };
  const mean = sum / count;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return { mean, low, high, sd: count > 1 ? Math.sqrt(squares / (count - 1)) : NaN, count };
}

/** The first step up to a row at which the mean over the seeds of racer `k` has reached `target`; NaN where none has.
 * @param {RunHistory} history @param {number} seeds @param {number} k @param {string} metric @param {number} target
 * @param {number} row */
export function firstStep(history, seeds, k, metric, target, row) {
  for (let at = 0; at <= row; at += 1) {
    if (spread(history, seeds, k, metric, at).mean >= target) return history.at("step", at);
  }
  return NaN;
}

/** What racer `k` trains, and at which step it branches off another racer. @param {SubjectRacer[]} racers @param {number} k */
export function nameOf(racers, k) {
  const { title, branch } = racers[k];
  return branch ? `${title}, from ${racers[branch[1]].letter} at step ${count(branch[0])}` : title;
}

/** The scores that a race is judged by, in the order in which they are shown. */
export const SCORES = [{ name: "map", label: "mAP" }, { name: "r1", label: "R@1" }, { name: "mapr", label: "MAP@R" }];
