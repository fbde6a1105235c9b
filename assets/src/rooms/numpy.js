// Functions of NumPy and torch, as far as the models of pages use them; arguments given by name come last, as one object.

import { array, cast, count, each, EVERY, Indices, NDArray, reshaped, transposed, widest } from "./array.js";
import { at, nonzero, put } from "./selection.js";
import { maximum, minimum } from "./entries.js";
import { alongOf, differences, isNamed, norm, sum_of } from "./reductions.js";

export * from "./entries.js";
export * from "./reductions.js";
/** @typedef {import("./reductions.js").Named} Named arguments given by name */

/** The differences of neighbours. @param {FromPython} x @param {Named} named */
export function diff(x, { axis = -1, prepend, append: after } = {}) {
  const of = array(x);
  const end = of.shape.map((length, k) => (k === (axis < 0 ? axis + of.ndim : axis) ? 1 : length));
  const parts = [...(prepend === undefined ? [] : [full(end, prepend)]), of, ...(after === undefined ? [] : [full(end, after)])];
  return differences(parts.length > 1 ? concatenate(parts, axis) : of, axis);
}

/** x where it is between two ends, else the nearer one. @param {FromPython} x @param {FromPython} low @param {FromPython} high @param {Named} named */
export function clip(x, low = null, high = null, named = {}) {
  const { min = null, max = null } = isNamed(low) ? low : isNamed(high) ? high : named;
  const [least, most] = [isNamed(low) ? min : low ?? min, isNamed(low) || isNamed(high) ? max : high ?? max];
  const raised = least === null ? x : maximum(x, least);
  return most === null ? raised : minimum(raised, most);
}

/** where(condition, a, b), or the indices where it holds. @param {FromPython} holds @param {FromPython} [a] @param {FromPython} [b] */
export function where(holds, a, b) {
  if (a === undefined) return nonzero(array(holds));
  return each((c, x, y) => (c ? x : y), [holds, a, b], widest([array(a).kind, array(b).kind]));
}

/** a / b, and `out` where it is not asked for. @param {FromPython} a @param {FromPython} b @param {Named} named */
export function divide(a, b, { out = 0, where: asked = true } = {}) {
  return each((x, y, rest, counts) => (counts ? x / y : rest), [a, b, out, asked], "f");
}

/** @param {FromPython} x */ export const flatnonzero = (x) =>
  nonzero(new NDArray(array(x).data, [array(x).size], array(x).kind))[0];
/** @param {FromPython} x */ export const argwhere = (x) => transposed(stack(nonzero(array(x))));
/** @param {FromPython} shape */ const shapeOf = (shape) => (typeof shape === "number" ? [shape] : [...shape]);
/** @param {FromPython} named */ const kindOf = (named) => KINDS[named?.dtype?.called ?? named?.called] ?? "f";
/** @type {Record<string, string>} */ const KINDS = { int: "i", bool: "b" };
/** @param {FromPython} shape @param {FromPython} value @param {FromPython} [dtype] @returns {NDArray} */
export function full(shape, value, dtype) {
  const kind = /** @type {FromPython} */ (dtype ? kindOf(dtype) : array(value).kind);
  return new NDArray(Array(count(shapeOf(shape))).fill(Number(value)), shapeOf(shape), kind);
}
/** @param {FromPython} shape @param {FromPython} [dtype] */ export const zeros = (shape, dtype) => full(shape, 0, dtype ?? {});
/** @param {FromPython} shape @param {FromPython} [dtype] */ export const ones = (shape, dtype) => full(shape, 1, dtype ?? {});
/** @param {FromPython} x */ export const zeros_like = (x) =>
  new NDArray(Array(array(x).size).fill(0), array(x).shape, array(x).kind);
/** @param {FromPython} x */ export const ones_like = (x) =>
  new NDArray(Array(array(x).size).fill(1), array(x).shape, array(x).kind);
/** @param {number} n @param {FromPython} [m] @param {Named} [named] */
export function eye(n, m, named) {
  const columns = typeof m === "number" ? m : n;
  const data = Array.from({ length: n * columns }, (_, k) => Number(Math.floor(k / columns) === k % columns));
  return new NDArray(data, [n, columns], /** @type {FromPython} */ (kindOf(named ?? (isNamed(m) ? m : {}))));
}
/** @param {number} low @param {FromPython} [high] @param {FromPython} [step] */
export function arange(low, high, step = 1) {
  const [start, stop] = typeof high === "number" ? [low, high] : [0, low];
  const data = Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, k) => start + k * step);
  return new NDArray(data, [data.length], data.every(Number.isInteger) ? "i" : "f");
}
/** @param {number} low @param {number} high @param {number} many */
export function linspace(low, high, many = 50) {
  const step = (high - low) / (many - 1);
  return new NDArray(Array.from({ length: many }, (_, k) => (k === many - 1 && k ? high : low + k * step)), [many]);
}
/** @param {FromPython} x @param {FromPython} [kind] */ export function asarray(x, kind) {
  const made = array(x);
  return kind?.called ? cast(made, /** @type {FromPython} */ (kindOf(kind))) : made;
}
/** @param {FromPython} x @param {FromPython} [axis] @param {Named} [named] */
export function stack(x, axis = 0, named = {}) {
  const rows = [...x].map((row) => array(row));
  const { axis: wanted } = alongOf(axis, named);
  const whole = array(rows);
  const to = (wanted ?? 0) < 0 ? whole.ndim + (wanted ?? 0) : wanted ?? 0;
  const order = [...Array(whole.ndim).keys()].slice(1);
  order.splice(to, 0, 0);
  return transposed(whole, order);
}
/** @param {FromPython} x @param {FromPython} [axis] @param {Named} [named] @returns {NDArray} */
export function concatenate(x, axis = 0, named = {}) {
  const parts = [...x].map((part) => array(part));
  const to = alongOf(axis, named).axis ?? 0;
  if (to) return transposed(concatenate(parts.map((part) => swapped(part, to))), swap(parts[0].ndim, to));
  const [{ shape: [, ...tail] }] = parts;
  const many = parts.reduce((sum, part) => sum + part.length, 0);
  return new NDArray(parts.flatMap((part) => Array.from(part.data)), [many, ...tail], widest(parts.map((part) => part.kind)));
}
/** @param {number} n @param {number} axis */ function swap(n, axis) {
  const order = [...Array(n).keys()];
  const to = axis < 0 ? axis + n : axis;
  [order[0], order[to]] = [order[to], order[0]];
  return order;
}
/** @param {NDArray} x @param {number} axis */ const swapped = (x, axis) => transposed(x, swap(x.ndim, axis));
/** @param {FromPython} x @param {FromPython} more */ export const append = (x, more) => concatenate([flat(x), flat(more)]);
/** @param {FromPython} x */ export const flat = (x) => new NDArray(array(x).data, [array(x).size], array(x).kind);
/** @param {FromPython} a @param {FromPython} b */ export const outer = (a, b) =>
  each((x, y) => x * y, [at(array(a), EVERY, null), b]);

/** The different entries, ascending, and where each of all is among them. @param {FromPython} x @param {Named} named */
export function unique(x, { return_inverse = false, return_counts = false } = {}) {
  const all = Array.from(array(x).data);
  const different = [...new Set(all)].sort((a, b) => a - b);
  const made = new NDArray(different, [different.length], array(x).kind);
  const inverse = all.map((value) => different.indexOf(value));
  const counts = different.map((value) => all.filter((other) => other === value).length);
  if (!return_inverse && !return_counts) return made;
  return [
    made,
    ...(return_inverse ? [new NDArray(inverse, [all.length], "i")] : []),
    ...(return_counts ? [new NDArray(counts, [counts.length], "i")] : []),
  ];
}
/** How many of the entries are below each value. @param {FromPython} x @param {FromPython} value @param {Named} named */
export function searchsorted(x, value, { side = "left" } = {}) {
  const all = Array.from(array(x).data);
  return each((v) => all.filter((other) => other < v || (side === "right" && other === v)).length, [value], "i");
}
/** @param {FromPython} x @param {FromPython} others */
export const isin = (x, others) => each((v) => Number(Array.from(array(others).data).includes(v)), [x], "b");
/** The sums of weights, or the counts, by number. @param {FromPython} x @param {FromPython} [weights] @param {FromPython} [least] @param {Named} [named] */
export function bincount(x, weights, least = 0, named = {}) {
  const all = isNamed(weights) ? weights : isNamed(least) ? least : named;
  const of = Array.from(array(x).data);
  const table = Array(Math.max(all.minlength ?? (isNamed(least) ? 0 : least), ...of.map((k) => k + 1))).fill(0);
  const heavy = weights && !isNamed(weights) ? array(weights).data : null;
  of.forEach((k, i) => (table[k] += heavy ? heavy[i] : 1));
  return new NDArray(table, [table.length], heavy ? "f" : "i");
}
/** x with zeros around. @param {FromPython} x @param {FromPython} widths */
export function pad(x, widths) {
  const of = array(x);
  const whole = zeros(of.shape.map((length, k) => length + widths[k][0] + widths[k][1]));
  const axes = of.shape.map((length, k) => arange(widths[k][0], widths[k][0] + length));
  put(whole, of, ix_(...axes));
  return whole;
}
/** @param {...FromPython} axes */ export function ix_(...axes) {
  const all = axes.map((axis) => flatIndices(axis));
  return Indices.from(all.map((axis, k) => reshaped(axis, all.map((_, other) => (other === k ? axis.size : 1)))));
}
/** @param {FromPython} axis */ const flatIndices = (axis) => (array(axis).kind === "b" ? flatnonzero(axis) : array(axis));
/** @param {FromPython} x @param {FromPython} index @param {FromPython} axis */
export function take_along_axis(x, index, axis) {
  const [of, to] = [array(x), array(index)];
  const along = isNamed(axis) ? axis.axis : axis;
  const own = of.shape.map((_, k) => reshaped(arange(to.shape[k]), of.shape.map((_, other) => (other === k ? -1 : 1))));
  own[along < 0 ? along + of.ndim : along] = to;
  return at(of, ...own);
}
/** @param {FromPython} x @param {FromPython} [k] */ export function triu(x, k = 0) {
  const of = array(x);
  const columns = of.shape[1];
  const data = Array.from(of.data, (value, i) => (i % columns >= Math.floor(i / columns) + k ? value : 0));
  return new NDArray(data, of.shape, of.kind);
}
/** @param {number} n @param {number} k */ export const triu_indices = (n, k = 0) => nonzero(triu(ones([n, n]), k));
/** @param {FromPython} x @param {FromPython} value */ export function fill_diagonal(x, value) {
  const into = /** @type {number[]} */ (x.data);
  for (let k = 0; k < Math.min(...x.shape); k += 1) into[k * x.shape[1] + k] = Number(value);
  return x;
}
/** Indices of all axes from one of the flat array. @param {number} k @param {FromPython} shape */
export function unravel_index(k, shape) {
  return shape.map((/** @type {number} */ length, /** @type {number} */ axis) =>
    Math.floor(k / count(shape.slice(axis + 1))) % length
  );
}
/** The inner product along the last axis of a and the first but one of b. @param {FromPython} x @param {FromPython} y */
export function matmul(x, y) {
  const [a, b] = [array(x), array(y)];
  if (b.ndim === 1) return sum_of(each((p, q) => p * q, [a, b]), -1);
  const table = b.ndim === 2 ? transposed(b) : b;
  const rows = reshaped(a, [-1, a.shape[a.ndim - 1]]);
  const made = Array.from(
    { length: rows.length },
    (_, i) => Array.from({ length: table.length }, (_, j) => innerProduct(rows, i, table, j)),
  );
  const shape = [...a.shape.slice(0, -1), table.length];
  return new NDArray(made.flat(), shape);
}
/** @param {NDArray} a @param {number} i @param {NDArray} b @param {number} j */ function innerProduct(a, i, b, j) {
  const d = a.shape[1];
  let sum = 0;
  for (let k = 0; k < d; k += 1) sum += a.data[i * d + k] * b.data[j * d + k];
  return sum;
}
/** Decimals by rounding halves to even. @param {FromPython} x @param {number} digits */
export const round_to = (x, digits = 0) => each((v) => rounded(v, digits), [x]);
/** The nearest number of so many digits, of two as near the even one. @param {number} x @param {number} digits */
export function rounded(x, digits = 0) {
  const scaled = x * 10 ** digits;
  const tie = Math.abs(scaled % 1) === 0.5 && Number.isInteger(x * 2 ** (digits + 1));
  if (tie) return 2 * Math.round(scaled / 2) / 10 ** digits;
  return digits > 0 && Number.isFinite(x) ? Number(x.toFixed(digits)) : Math.round(scaled) / 10 ** digits;
}
/** x where it is above `least`, else another value. @param {FromPython} x @param {number} least @param {number} rest */
export const threshold = (x, least, rest) => each((v) => (v > least ? v : rest), [x]);
/** b - alpha a @param {FromPython} a @param {FromPython} b @param {{alpha?: number}} named */
export const rsub = (a, b, { alpha = 1 } = {}) => each((x, y) => y - alpha * x, [a, b]);
/** x + value a b @param {FromPython} x @param {FromPython} a @param {FromPython} b @param {{value?: number}} named */
export const addcmul = (x, a, b, { value = 1 } = {}) => each((u, v, w) => u + value * v * w, [x, a, b]);
/** a @ b.T @param {FromPython} a @param {FromPython} b */ export const inner_products = (a, b) =>
  matmul(a, transposed(array(b)));
/** A tensor of float32 whose numbers are all the same. @param {FromPython} shape @param {number} value */
export const full32 = (shape, value) => full(shape, Math.fround(value), {});
/** The vector at a right angle to two of three dimensions. @param {FromPython} a @param {FromPython} b */
export function cross(a, b) {
  const [[x, y, z], [u, v, w]] = [array(a).tolist(), array(b).tolist()];
  return new NDArray([y * w - z * v, z * u - x * w, x * v - y * u], [3]);
}

/** The order by the last of the keys, then by those before it. @param {FromPython[]} keys */
export function lexsort(keys) {
  const of = [...keys].reverse().map((key) => array(key).data);
  const order = [...Array(of[0].length).keys()];
  order.sort((a, b) => of.map((key) => key[a] - key[b]).find(Boolean) ?? a - b);
  return new NDArray(order, [order.length], "i");
}

/** The distances of all pairs of rows, in the order of `triu_indices`. @param {FromPython} x */
export function pdist(x) {
  const [first, second] = triu_indices(array(x).length, 1);
  return norm(each((p, q) => p - q, [at(x, first), at(x, second)]), 1);
}

/** A tensor: of float32, unless its numbers are whole or another type is named. @param {FromPython} x @param {{dtype?: FromPython}} named */
export const tensor = (x, { dtype } = {}) => (dtype || array(x).kind !== "f" ? array(x) : array(each(Math.fround, [x])));
