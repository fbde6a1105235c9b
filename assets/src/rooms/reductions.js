// Functions of the numbers along an axis of an array: sums, means, extremes, orders.

import { array, broadcast, count, NDArray, plain, transposed } from "./array.js";

/** @typedef {Record<string, FromPython>} Named arguments given by name */
/** @param {FromPython} x */ export const isNamed = (x) =>
  x !== null && typeof x === "object" && Object.getPrototypeOf(x) === Object.prototype;
/** @param {FromPython} x */ export const isArray = (x) => x instanceof NDArray;

/** The axis among arguments, which torch calls dim, and whether it stays. @param {FromPython} axis @param {Named} named
 * @returns {{axis: number | null, keep: boolean, initial: number | undefined}} */
export function alongOf(axis, named) {
  const all = isNamed(axis) ? axis : { axis, ...named };
  const along = all.axis ?? all.dim ?? null;
  return { axis: along, keep: Boolean(all.keepdims ?? all.keepdim), initial: all.initial };
}

/** A function of the numbers along an axis. @param {(line: number[], initial?: number) => number} f @param {import("./array.js").Kind} [kind] */
function reduction(f, kind) {
  return (/** @type {FromPython} */ x, /** @type {FromPython} */ axis = null, /** @type {Named} */ named = {}) => {
    const { axis: along, keep, initial } = alongOf(axis, named);
    const of = array(x);
    return lines(of, along, (line) => f(line, initial), { kind: kind ?? (of.kind === "b" ? "i" : of.kind), keep });
  };
}

/** @param {number[]} line */ const added = (line) => line.reduce((sum, x) => sum + x, 0);
/** @param {string} what @param {(a: number, b: number) => boolean} better */
function extreme(what, better) {
  return (/** @type {number[]} */ line, /** @type {number | undefined} */ initial) => {
    const all = initial === undefined ? line : [initial, ...line];
    if (!all.length) throw new RangeError(`there is no ${what} of nothing`);
    return all.reduce((best, x) => (Number.isNaN(best) || better(best, x) ? best : x));
  };
}
/** @param {(a: number, b: number) => boolean} better */
const place = (better) => (/** @type {number[]} */ line) => {
  if (!line.length) throw new RangeError("there is no largest or smallest of nothing");
  return line.reduce((best, x, k) => (better(line[best], x) || Number.isNaN(line[best]) ? best : k), 0);
};
/** @param {(line: number[], initial?: number) => number} f */
const known = (f) => (/** @type {number[]} */ line) => f(line.filter((x) => !Number.isNaN(x)));
/** @param {number[]} line */ const mean_of = (line) => added(line) / line.length;
/** @param {number[]} line */ const lengthOf = (line) => Math.sqrt(line.reduce((sum, x) => sum + x * x, 0));
const largest = extreme("largest", (a, b) => a >= b);
const smallest = extreme("smallest", (a, b) => a <= b);

export const sum_of = reduction(added);
export const mean = reduction(mean_of, "f");
export const amax = reduction(largest);
export const amin = reduction(smallest);
export const nanmin = reduction(known(smallest));
export const nanmean = reduction(known(mean_of), "f");
export const norm = reduction(lengthOf, "f");
export const every = reduction((line) => Number(line.every(Boolean)), "b");
export const some = reduction((line) => Number(line.some(Boolean)), "b");
export const argmax = reduction(place((a, b) => a >= b), "i");
export const argmin = reduction(place((a, b) => a <= b), "i");

/** A function of the numbers along an axis that returns as many, or others. @param {(line: number[]) => number[]} f
 * @param {import("./array.js").Kind} [kind] */
export function along(f, kind) {
  return (/** @type {FromPython} */ x, /** @type {FromPython} */ axis = null, /** @type {Named} */ named = {}) => {
    const of = array(x);
    return lines(of, alongOf(axis, named).axis, f, { kind: kind ?? (of.kind === "b" ? "i" : of.kind) });
  };
}

/** @param {FromPython} axis @param {Named} [named] */ const last = (axis, named = {}) => alongOf(axis, named).axis ?? -1;
export const cumsum = along((line) => line.map(((sum) => (/** @type {number} */ x) => (sum += x))(0)));
/** @param {FromPython} x @param {number[]} shape */ export const broadcast_to = (x, shape) => broadcast(array(x), shape);
const ordered = along((line) => [...line.keys()].sort((a, b) => line[a] - line[b] || a - b), "i");
export const differences = along((line) => line.slice(1).map((x, k) => x - line[k]));
const inOrder = along((line) => [...line].sort((a, b) => a - b));
const backwards = along((line) => [...line].reverse());
/** @param {FromPython} x @param {FromPython} [axis] @param {Named} [named] */ export const argsort = (x, axis, named) =>
  ordered(x, last(axis, named));
/** @param {FromPython} x @param {FromPython} [axis] @param {Named} [named] */ export const sort = (x, axis, named) =>
  inOrder(x, last(axis, named));
/** @param {FromPython} x @param {FromPython} [axis] @param {Named} [named] */ export const flip = (x, axis, named) =>
  backwards(x, last(axis, named));

/** Every line of numbers along an axis, turned by `f` into lines of another length, or numbers. @param {NDArray} x
 * @param {number | null} axis all axes together where null @param {(line: number[]) => number | number[]} f
 * @param {{kind?: import("./array.js").Kind, keep?: boolean}} [how] @returns {FromPython} */
function lines(x, axis, f, { kind = x.kind, keep = false } = {}) {
  if (axis === null) {
    const all = f(Array.from(x.data));
    if (Array.isArray(all)) return new NDArray(all, [all.length], kind);
    return plain(new NDArray([all], keep ? x.shape.map(() => 1) : [], kind));
  }
  const place = axis < 0 ? axis + x.shape.length : axis;
  const [length, step] = [x.shape[place], count(x.shape.slice(place + 1))];
  const before = count(x.shape.slice(0, place));
  const made = [];
  for (let i = 0; i < before; i += 1) {
    for (let j = 0; j < step; j += 1) {
      made.push(f(Array.from({ length }, (_, k) => x.data[(i * length + k) * step + j])));
    }
  }
  const [head, tail] = [x.shape.slice(0, place), x.shape.slice(place + 1)];
  if (!Array.isArray(made[0])) return plain(new NDArray(made, [...head, ...(keep ? [1] : []), ...tail].map(Number), kind));
  const long = made[0].length;
  const rows = new NDArray(made.flat(), [...head, ...tail, long], kind);
  const order = [...rows.shape.keys()];
  order.splice(place, 0, order.pop() ?? 0);
  return transposed(rows, order);
}
