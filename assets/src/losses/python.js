// What Python's containers and builtins do, as far as the sums of losses need it: dml_viz/to_javascript writes calls of these.

import { add, number } from "./autodiff.js";

export * from "./autodiff.js";
/** @typedef {PythonValue} Value what Python code of a loss handles */
/** @typedef {Value[] | Dict} Items what a loop goes through */
/** @typedef {number | boolean | string} Ranked */
/** @typedef {(item: Value) => Value} Key */
/** @typedef {{length?: number, size?: number, shape?: number[]}} Sized */

/** A dict, in the order of insertion; lists and tuples are arrays, and two tuples of the same entries are one key. */
export class Dict {
  /** @type {Map<Value, number>} */ #places = new Map();
  /** @type {Value[]} */ #keys = [];
  /** @type {Value[]} */ #values = [];

  get size() {
    return this.#keys.length;
  }

  /** @param {Value} key */ has(key) {
    return this.#places.has(hash(key));
  }

  /** @param {Value} key */ get(key) {
    return this.#values[this.#places.get(hash(key)) ?? -1];
  }

  /** @param {Value} key @param {Value} value */ set(key, value) {
    const hashed = hash(key);
    const place = this.#places.get(hashed) ?? this.#keys.length;
    if (place === this.#keys.length) {
      this.#places.set(hashed, place);
      this.#keys.push(key);
    }
    this.#values[place] = value;
  }

  keys() {
    return this.#keys;
  }

  values() {
    return this.#values;
  }

  items() {
    return zip(this.#keys, this.#values);
  }
}

/** @param {Value} key @returns {Value} */ function hash(key) {
  return Array.isArray(key) ? `(${key.map(hash).join()})` : key;
}

/** What a loop over `x` goes through, as an array: a dict's keys. @param {Items} x @returns {Value[]} */
export function each(x) {
  return x instanceof Dict ? x.keys() : x;
}

/** @param {number} a @param {number} b */
export const floordiv = (a, b) => Math.floor(a / b); // a // b
/** @param {number} a @param {number} b */
export const mod = (a, b) => a - b * Math.floor(a / b); // a % b
/** @param {Sized} x */
export const len = (x) => x.length ?? x.size ?? (x.shape ?? [])[0]; // len(x)
/** @param {Items} x */
export const list = (x = []) => [...each(x)]; // list(x) or tuple(x)
/** @param {Items} x */
export const enumerate = (x, start = 0) => each(x).map((item, k) => [start + k, item]); // enumerate(x, start)
/** @param {Items} keys @param {Value} value */
export const fromkeys = (keys, value = null) => dict(each(keys).map((key) => [key, value])); // dict.fromkeys(keys, value)
/** @param {Items} x */
export const all = (x) => each(x).every(truth); // all(x)
/** @param {Items} x */
export const any = (x) => each(x).some(truth); // any(x)
/** @param {Items} x @param {Value} start */
export const sum = (x, start = 0) => each(x).reduce((before, item) => add(before, item), start); // sum(x, start)
/** @param {Items} x @param {Key} key */
export const min = (x, key = number) => best(x, key, (a, b) => a < b); // min(x, key=key), the first of equals
/** @param {Items} x @param {Key} key */
export const max = (x, key = number) => best(x, key, (a, b) => a > b); // max(x, key=key), the first of equals
/** @param {number} degrees */
export const radians = (degrees) => degrees * (Math.PI / 180); // math.radians(degrees)
export const finfo = () => ({ eps: Number.EPSILON }); // torch.finfo of the browser's numbers

/** x[key] @param {Items} x @param {Value} key */
export function at(x, key) {
  const place = /** @type {number} */ (key);
  const found = Array.isArray(x) ? x[place < 0 ? x.length + place : place] : x.get(key);
  if (found === undefined) throw new RangeError(`there is no [${key}]`);
  return found;
}

/** x[key] = value @param {Items} x @param {Value} key @param {Value} value */
export function put(x, key, value) {
  if (!Array.isArray(x)) return x.set(key, value);
  const place = /** @type {number} */ (key);
  if (place < x.length && place >= -x.length) x[place < 0 ? x.length + place : place] = value;
  else throw new RangeError(`there is no [${key}]`);
}

/** key in x @param {Items} x @param {Value} key */
export function has(x, key) {
  return Array.isArray(x) ? x.some((other) => eq(other, key)) : x.has(key);
}

/** a == b @param {Value} a @param {Value} b @returns {boolean} */
export function eq(a, b) {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, k) => eq(item, b[k]));
  return number(a) === number(b);
}

/** Whether `if x` goes on. @param {Value} x */
export function truth(x) {
  return typeof x === "object" && /** @type {Value} */ (number(x)) === x ? len(/** @type {Sized} */ (x)) > 0 : Boolean(number(x));
}

/** x.extend(others) @param {Value[]} x @param {Items} others */
export function extend(x, others) {
  for (const other of [...each(others)]) x.push(other);
}

/** What `a` is after a += b: a list grows in place. @param {Value} a @param {Value} b */
export function iadd(a, b) {
  if (!Array.isArray(a)) return add(a, b);
  extend(a, /** @type {Items} */ (b));
  return a;
}

/** range(stop), range(start, stop) or range(start, stop, step) @param {...number} given */
export function range(...given) {
  const [start, stop, step = 1] = given.length === 1 ? [0, ...given] : given;
  return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, k) => start + k * step);
}

/** zip(...all) @param {...Items} all */
export function zip(...all) {
  const [first, ...others] = all.map(each);
  const length = others.reduce((least, other) => Math.min(least, other.length), first.length);
  return Array.from({ length }, (_, k) => [first[k], ...others.map((other) => other[k])]);
}

/** dict(pairs) @param {[Value, Value][] | Dict} pairs */
export function dict(pairs = []) {
  const made = new Dict();
  for (const [key, value] of pairs instanceof Dict ? pairs.items() : pairs) made.set(key, value);
  return made;
}

/** @param {Items} x @param {Key} key @param {(one: Ranked, other: Ranked) => boolean} better */
function best(x, key, better) {
  const items = each(x);
  if (!items.length) throw new RangeError("nothing to take the least or the greatest of");
  let found = items[0];
  let mark = rank(key(found));
  for (let k = 1; k < items.length; k += 1) {
    const other = rank(key(items[k]));
    if (better(other, mark)) [found, mark] = [items[k], other];
  }
  return found;
}

/** sorted(x, key=key, reverse=reverse); equals stay in their order @param {Items} x @param {Key} key */
export function sorted(x, key = number, reverse = false) {
  const sign = reverse ? -1 : 1;
  /** @param {Ranked} a @param {Ranked} b */ const compared = (a, b) => sign * (Number(a > b) - Number(a < b));
  return [...each(x)].sort((a, b) => compared(rank(key(a)), rank(key(b))));
}

/** @param {Value} x */ function rank(x) {
  const found = number(x);
  if (typeof found === "object") throw new TypeError("only numbers are put in order");
  return found;
}
