// Python's classes in JavaScript: data classes, values that are computed once, and the responses of losses, which torch computes in Python.

import { array, NDArray } from "./array.js";
import { tensor } from "./numpy.js";
import { Dict, gradient, Loss as Sums } from "../losses/python.js";

/** @typedef {FromPython} Value */

/** The base of translated classes. */
export class Thing {
  /** The fields of a data class. @type {string[] | undefined} */ static fields;
  get fields() {
    return /** @type {typeof Thing} */ (this.constructor).fields;
  }
  *[Symbol.iterator]() {
    for (const name of this.fields ?? []) yield /** @type {Value} */ (this)[name];
  }
}

/** A value of `of` that is computed when it is first read. @param {Value} of @param {string} name @param {() => Value} compute */
export function once(of, name, compute) {
  const value = compute();
  Object.defineProperty(of, name, { value, configurable: true });
  return value;
}

/** Values that a class and its objects have by name. @param {Value} kind @param {Record<string, Value>} values */
export function constants(kind, values) {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(kind, name, { value, configurable: true });
    Object.defineProperty(kind.prototype, name, { value, configurable: true });
  }
}

/** An object with other values of some fields. @param {Value} of @param {Record<string, Value>} changes */
export function replaced(of, changes) {
  return Object.assign(Object.create(Object.getPrototypeOf(of)), of, changes);
}

/** The arguments in a dictionary, as an object. @param {Value} x */
export const plainly = (x) => (x instanceof Dict ? Object.fromEntries(x.items()) : x);

/** f(...given, **named), where f may be a class. @param {Value} f @param {Value[]} given @param {Record<string, Value>} named */
export function call(f, given, named = {}) {
  if (f.prototype instanceof Sums) return new f(named);
  const names = Object.keys(named);
  const kind = f.prototype instanceof Thing;
  /** @type {string[] | undefined} */ const fields = kind ? f.fields : f.parameters;
  if (!fields) return names.length ? f(...given, named) : f(...given);
  const last = Math.max(given.length - 1, ...names.map((name) => fields.indexOf(name)));
  const all = fields.slice(0, last + 1).map((name, k) => (k < given.length ? given[k] : named[name]));
  return kind ? new f(...all) : f(...all);
}

/** A method of an object as a function, or what else it has by that name. @param {Value} of @param {string} name
 * @param {string[]} parameters */
export function bound(of, name, parameters) {
  const found = of[name];
  return typeof found === "function" ? Object.assign(found.bind(of), { parameters }) : found;
}

/** isinstance(x, kinds) @param {Value} x @param {...Value} kinds @returns {boolean} */
export function isinstance(x, ...kinds) {
  return kinds.flat().some((kind) => {
    if (kind.called === "str") return typeof x === "string";
    if (kind.called === "bool") return typeof x === "boolean";
    if (kind.called === "int") return Number.isInteger(x);
    if (kind.called === "float") return typeof x === "number";
    return x instanceof kind;
  });
}
/** type(x) @param {Value} x */ export const type = (x) => x.constructor;
/** getattr(x, name) @param {Value} x @param {string} name */ export const getattr = (x, name) => x[name];

/** A loss as the browser computes it: from the sums of its `by_hand`, followed backwards. */
export class Loss extends Sums {
  /** The value, and the weights of the rows with each other or with proxies. @param {Value} pairs @returns {[number, Value]} */
  value_and_weights(pairs) {
    const learnt = Object.fromEntries(pairs.learnt.items());
    if (!pairs.among_themselves) learnt.proxies = pairs.to;
    const { value, weights } = found.get(pairs) ?? follow(this, pairs, learnt);
    return [value, weights];
  }

  /** A scene has what every loss asks of a batch. */ check_batch() {}

  can_evaluate_from_weights() {
    return false;
  }

  /** @param {Value} pairs @param {Dict} learnt */ gradients_of_pairs(pairs, learnt) {
    return found.get(pairs) ?? follow(this, pairs, plainly(learnt));
  }
}

/** @type {WeakMap<Value, Value>} */ const found = new WeakMap(); // by pairs
/** @param {Value} loss @param {Value} pairs @param {Record<string, Value>} tensors */ function follow(loss, pairs, tensors) {
  const [n, dim] = pairs.z.shape;
  const learnt = Object.fromEntries(Object.entries(tensors).map(([name, x]) => [name, floats(x)]));
  const all = gradient(loss, { n, dim, z: floats(pairs.z), y: Int32Array.from(pairs.y.data), learnt });
  /** @type {Value} */ const slopes = new Dict();
  for (const [name, x] of Object.entries(tensors)) slopes.set(name, new NDArray(all.learnt[name], array(x).shape));
  const made = {
    value: all.value,
    z: new NDArray(all.z, [n, dim]),
    learnt: slopes,
    weights: all.weights && new NDArray(all.weights, [n, pairs.owners.length]),
  };
  found.set(pairs, made);
  return made;
}

/** @param {Value} x */ const floats = (x) => Float64Array.from(array(x).data);

/** An error that Python raises. @param {string} kind @param {...Value} words */
export function error(kind, ...words) {
  const text = String(words.findLast((each) => typeof each === "string") ?? kind);
  return Object.assign(kind === "NoModelError" ? new NoModelError(text) : new Error(text), { kind });
}
/** The error, if Python raises it; all others go on. @param {Value} thrown */
export function caught(thrown) {
  if (!thrown.kind) throw thrown;
  return thrown;
}
/** A batch for which a room has no model. */
export class NoModelError extends Error {}

/** copy.copy(x) @param {Value} x */ export const copied = (x) => replaced(x, {});
/** vars(x) @param {Value} x */ export const vars = (x) => new Vars(x);

/** What an object has by name, its computed values among them. */
class Vars {
  /** @param {Value} of */ constructor(of) {
    this.of = of;
  }
  /** @param {string} name @param {Value} value */ set(name, value) {
    Object.defineProperty(this.of, name, { value, configurable: true });
  }
  /** @param {string} name @param {Value} rest */ pop(name, rest = null) {
    const value = Object.getOwnPropertyDescriptor(this.of, name)?.value ?? rest;
    delete this.of[name];
    return value;
  }
}

/** The knobs of a loss or its class. @param {Value} of */ export const params = (of) => of.params;
/** What a loss is called in links. @param {Value} loss */ export const name_of = (loss) => loss.in_links;
/** A knob whose default is of `kind`. @param {Value} knob @param {string} kind */
export const of_kind = (knob, kind) => Object.assign(knob, { kind_name: kind });

/** What a loss learns, as training starts it. @param {Value} loss @param {number} classes @param {number} dim */
export const fresh_learnt = (loss, classes, dim) => (loss.learns.size ? loss.initial_tensors(classes, dim) : new Dict());

/** The bounds of a float. */ export const finfo = () => ({
  eps: Number.EPSILON,
  min: -Number.MAX_VALUE,
  max: Number.MAX_VALUE,
  tiny: 2 ** -1022,
});

/** Centres that training starts from, as Python drew them. @param {Value} tables by the number of rows and of coordinates
 * @param {number} rows @param {number} dim */
export function recorded(tables, rows, dim) {
  const made = new Dict();
  made.set("proxies", /** @type {Value} */ (tensor(tables[`${rows},${dim}`])));
  return made;
}

/** Random numbers, which the browser has no use for. @returns {never} */
export function never() {
  throw new Error("rooms in the browser draw no random numbers");
}

/** partial(f, *first) @param {Value} f @param {...Value} first */
export const partial = (f, ...first) => (/** @type {Value[]} */ ...rest) => call(f, [...first, ...rest]);
