// What Python's containers and builtins do, as far as the sums of losses need it: dml_viz/to_javascript writes calls of these.

import { add, number } from "./autodiff.js";

export * from "./autodiff.js";

/** A dict, in the order of insertion; lists and tuples are arrays, and two tuples of the same entries are one key. */
export class Dict {
  #places = new Map();
  #keys = [];
  #values = [];

  get size() {
    return this.#keys.length;
  }

  has(key) {
    return this.#places.has(hash(key));
  }

  get(key) {
    return this.#values[this.#places.get(hash(key))];
  }

  set(key, value) {
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

function hash(key) {
  return Array.isArray(key) ? `(${key.map(hash).join()})` : key;
}

/** What a loop over `x` goes through, as an array: a dict's keys. */
export function each(x) {
  return x instanceof Dict ? x.keys() : x;
}

export const floordiv = (a, b) => Math.floor(a / b); // a // b
export const mod = (a, b) => a - b * Math.floor(a / b); // a % b
export const len = (x) => x.length ?? x.size ?? x.shape[0]; // len(x)
export const list = (x = []) => [...each(x)]; // list(x) or tuple(x)
export const enumerate = (x, start = 0) => each(x).map((item, k) => [start + k, item]); // enumerate(x, start)
export const fromkeys = (keys, value = null) => dict(each(keys).map((key) => [key, value])); // dict.fromkeys(keys, value)
export const all = (x) => each(x).every(truth); // all(x)
export const any = (x) => each(x).some(truth); // any(x)
export const sum = (x, start = 0) => each(x).reduce((before, item) => add(before, item), start); // sum(x, start)
export const min = (x, key = number) => best(x, key, (a, b) => a < b); // min(x, key=key), the first of equals
export const max = (x, key = number) => best(x, key, (a, b) => a > b); // max(x, key=key), the first of equals
export const radians = (degrees) => degrees * (Math.PI / 180); // math.radians(degrees)
export const finfo = () => ({ eps: Number.EPSILON }); // torch.finfo of the browser's numbers

/** x[key] */
export function at(x, key) {
  const found = Array.isArray(x) ? x[key < 0 ? x.length + key : key] : x.get(key);
  if (found === undefined) throw new RangeError(`there is no [${key}]`);
  return found;
}

/** x[key] = value */
export function put(x, key, value) {
  if (!Array.isArray(x)) x.set(key, value);
  else if (key < x.length && key >= -x.length) x[key < 0 ? x.length + key : key] = value;
  else throw new RangeError(`there is no [${key}]`);
}

/** key in x */
export function has(x, key) {
  return Array.isArray(x) ? x.some((other) => eq(other, key)) : x.has(key);
}

/** a == b */
export function eq(a, b) {
  if (Array.isArray(a)) return a.length === b.length && a.every((item, k) => eq(item, b[k]));
  return number(a) === number(b);
}

/** Whether `if x` goes on. */
export function truth(x) {
  return typeof x === "object" && number(x) === x ? len(x) > 0 : Boolean(number(x));
}

/** x.extend(others) */
export function extend(x, others) {
  for (const other of [...each(others)]) x.push(other);
}

/** What `a` is after a += b: a list grows in place. */
export function iadd(a, b) {
  if (!Array.isArray(a)) return add(a, b);
  extend(a, b);
  return a;
}

/** range(stop), range(start, stop) or range(start, stop, step) */
export function range(...given) {
  const [start, stop, step = 1] = given.length === 1 ? [0, ...given] : given;
  return Array.from({ length: Math.max(0, Math.ceil((stop - start) / step)) }, (_, k) => start + k * step);
}

/** zip(...all) */
export function zip(...all) {
  const [first, ...others] = all.map(each);
  const length = others.reduce((least, other) => Math.min(least, other.length), first.length);
  return Array.from({ length }, (_, k) => [first[k], ...others.map((other) => other[k])]);
}

/** dict(pairs) */
export function dict(pairs = []) {
  const made = new Dict();
  for (const [key, value] of pairs instanceof Dict ? pairs.items() : pairs) made.set(key, value);
  return made;
}

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

/** sorted(x, key=key, reverse=reverse); equals stay in their order */
export function sorted(x, key = number, reverse = false) {
  const sign = reverse ? -1 : 1;
  const compared = (a, b) => sign * (Number(a > b) - Number(a < b));
  return [...each(x)].sort((a, b) => compared(rank(key(a)), rank(key(b))));
}

function rank(x) {
  const found = number(x);
  if (typeof found === "object") throw new TypeError("only numbers are put in order");
  return found;
}
