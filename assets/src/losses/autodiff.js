// Numbers that remember what they were made of: the primitives of dml_viz/losses/_scalar.py, followed backwards.
//
// A gradient lays its numbers on one tape, in the order in which they are made. From each, edges lead to the numbers that it
// was made of, with its slope in each of them. A number that depends on no leaf stays plain.

import { tangent } from "../draw/rows.js";

/** @typedef {number | Node} Scalar a number, on the tape or plain */
/** @typedef {{n: number, dim: number, z: Float64Array, y: Numbers, learnt?: Record<string, Float64Array>}} LossScene */
/** A loss as dml_viz/to_javascript writes it.
 * @typedef {{
 *   unit: boolean, one_sided: boolean, by_hand: (rows: Tensor, labels: Tensor, learnt: Map<string, Tensor>) => Scalar,
 * }} BrowserLoss */

/** A number on the tape, by its place there; `constant` ones among them have no edges. */
class Node {
  /** @param {number} at */ constructor(at) {
    this.at = at;
  }
}

const APART = -1;
const MET = -2;
const NOISE = 1e-14; // of what an adjoint is the sum of: a smaller one is what rounding leaves of 0

/** @type {Node[]} */ const nodes = []; // by place, made once for all gradients
let size = 0;
let values = new Float64Array(1 << 14);
let adjoints = new Float64Array(1 << 14);
let sizes = new Float64Array(1 << 14); // of an adjoint's summands, without their signs
let ends = new Int32Array(1 << 14); // of a number's edges, which begin where those of the number before it end
let origins = new Int32Array(1 << 14); // the leaf that a number is or, divided by a length, was; else APART or MET
let edges = 0;
let sources = new Int32Array(1 << 16);
let slopes = new Float64Array(1 << 16);
let leaves = 0; // how many numbers are leaves; behind them lies a constant copy of each
let moving = 0; // how many of these are coordinates of rows
let aside = false; // whether rows less their means meet, so that weights are of those
/** @type {number[]} */
let meetings = []; // of rows with rows, four numbers each: place, first leaf of one, first leaf of the other, d/ds

/** An array of numbers for losses; `first` is the place of its first number on the tape. */
class Tensor {
  dtype = "float64";

  /** @param {Numbers} data @param {number[]} shape @param {number} first */
  constructor(data, shape, first) {
    this.data = data;
    this.shape = shape;
    this.first = first;
  }

  tolist() {
    return [...this.data];
  }

  column() {
    return new Tensor(this.data, [...this.shape, 1], this.first);
  }
}

/** A loss with its knobs; those not given have their defaults. */
export class Loss {
  /** @param {object} knobs */ constructor(knobs) {
    Object.assign(this, /** @type {{knobs?: object}} */ (this.constructor).knobs, knobs);
  }
}

/** Value and gradients of a loss at `scene`: {n, dim, z: rows (n * dim), y: labels (n), learnt: {name: numbers}}.
 *
 * The gradient at unit rows is tangent. `weights` are dL/ds of the rows with each other (n * n) or with the loss's proxies (n *
 * m), null where the sums make something else of the rows than products and distances. Of a pair of rows, each end is moved by
 * its weight and by the transpose's, together; where `oneSided`, by its own row's alone.
 * @param {BrowserLoss} loss @param {LossScene} scene */
export function gradient(loss, { n, dim, z, y, learnt = {} }) {
  reset();
  const rows = leavesOf(z, [n, dim]);
  moving = leaves;
  const given = new Map(Object.keys(learnt).map((name) => [name, leavesOf(learnt[name], shape(name, learnt, dim))]));
  copyLeaves();
  const result = loss.by_hand(rows, new Tensor(y, [n], APART), given);
  const complete = followBack(result);
  /** @param {Tensor} tensor */ const found = (tensor) => adjoints.slice(tensor.first, tensor.first + tensor.data.length);
  const others = given.get("proxies") ?? rows;
  return {
    value: number(result),
    z: loss.unit ? tangent(found(rows), z, dim) : found(rows),
    learnt: Object.fromEntries([...given].map(([name, tensor]) => [name, found(tensor)])),
    weights: complete || aside ? weights(rows, others, loss.unit) : null,
    oneSided: loss.one_sided,
  };
}

/** @param {string} name @param {Record<string, Numbers>} learnt @param {number} dim */
function shape(name, learnt, dim) {
  const { length } = learnt[name];
  return name === "proxies" ? [length / dim, dim] : [length];
}

function reset() {
  size = edges = leaves = 0;
  meetings = [];
  aside = false;
}

/** @param {Numbers} data @param {number[]} shape */ function leavesOf(data, shape) {
  const first = size;
  for (const value of data) layLeaf(value, size);
  leaves = size;
  return new Tensor(data, shape, first);
}

function copyLeaves() {
  for (let leaf = 0; leaf < leaves; leaf += 1) layLeaf(values[leaf], leaf);
}

/** @param {number} value @param {number} origin */ function layLeaf(value, origin) {
  const { at } = lay(value);
  origins[at] = origin;
}

/** Fills the adjoints; says whether rows enter only where they meet. @param {Scalar} result */
function followBack(result) {
  adjoints.fill(0, 0, size);
  sizes.fill(0, 0, size);
  if (!(result instanceof Node)) return true;
  let complete = true;
  adjoints[result.at] = sizes[result.at] = 1;
  for (let at = result.at; at >= 2 * leaves; at -= 1) {
    const adjoint = adjoints[at];
    if (Math.abs(adjoint) <= NOISE * sizes[at]) {
      adjoints[at] = 0;
      continue;
    }
    for (let edge = ends[at - 1]; edge < ends[at]; edge += 1) {
      const source = sources[edge];
      const part = adjoint * slopes[edge];
      adjoints[source] += part;
      sizes[source] += Math.abs(part);
      if (source < moving && origins[at] !== MET) complete = false;
    }
  }
  return complete;
}

// dL/ds from the adjoints where rows meet; null where more than s moves there, or rows meet both each other and proxies.
/** @param {Tensor} rows @param {Tensor} others @param {boolean} unit */
function weights(rows, others, unit) {
  const [n, dim] = rows.shape;
  const m = others.shape[0];
  const found = new Float64Array(n * m);
  for (let k = 0; k < meetings.length; k += 4) {
    const [place, one, other, slope] = meetings.slice(k, k + 4);
    if ((!unit && !aside && slope !== 1) || other < others.first) return null;
    // A row's product with itself is no pair's.
    if (one !== other) found[(one / dim) * m + (other - others.first) / dim] += adjoints[place] * slope;
  }
  return found;
}

/** The value of a number, on the tape or plain. @param {PythonValue} x @returns {number} */
export function number(x) {
  return x instanceof Node ? values[x.at] : /** @type {number} */ (x);
}

/** The rows of a tensor, as leaves. @param {Tensor} tensor */
export function numbers({ shape: [n, dim], first }) {
  return Array.from({ length: n }, (_, i) => nodes.slice(first + i * dim, first + (i + 1) * dim));
}

/** The number of a tensor that has one, as a leaf. @param {Tensor} tensor */
export function scalar({ first }) {
  return nodes[first];
}

/** The same number, which the gradient takes for constant; a leaf's is still known as that leaf's. @param {Scalar} x */
export function constant(x) {
  return x instanceof Node && x.at < leaves ? nodes[x.at + leaves] : number(x);
}

/** The sum of numbers; of two lists, as in Python, one behind the other.
 * @param {PythonValue} a @param {PythonValue} b @returns {PythonValue} */
export function add(a, b) {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (Array.isArray(a)) return [...a, .../** @type {PythonValue[]} */ (b)];
  return made(number(a) + number(b), a, 1, b, 1);
}

/** a - b @param {Scalar} a @param {Scalar} b @returns {Scalar} */
export function sub(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return made(number(a) - number(b), a, 1, b, -1);
}

/** The product of numbers. @param {Scalar} a @param {Scalar} b @returns {Scalar} */
export function mul(a, b) {
  if (typeof a === "number" && typeof b === "number") return a * b;
  const x = number(a);
  const y = number(b);
  return made(x * y, a, y, b, x);
}

/** a / b @param {Scalar} a @param {Scalar} b @returns {Scalar} */
export function div(a, b) {
  if (typeof a === "number" && typeof b === "number") return a / b;
  const x = number(a);
  const y = number(b);
  const quotient = made(x / y, a, 1 / y, b, -x / (y * y));
  if (a instanceof Node && b instanceof Node) origins[quotient.at] = Math.max(origins[a.at], APART);
  return quotient;
}

/** a to the power of a plain number. @param {Scalar} a @param {number} power @returns {Scalar} */
export function pow(a, power) {
  const x = number(a);
  const result = power === 0.5 ? Math.sqrt(x) : x ** power;
  return a instanceof Node ? made(result, a, power === 0.5 ? 0.5 / result : power * x ** (power - 1)) : result;
}

/** -a @param {Scalar} a @returns {Scalar} */
export function neg(a) {
  return typeof a === "number" ? -a : made(-number(a), a, -1);
}

/** @param {Scalar} a @param {Scalar} b */
export const lt = (a, b) => number(a) < number(b); // a < b
/** @param {Scalar} a @param {Scalar} b */
export const le = (a, b) => number(a) <= number(b); // a <= b
/** @param {Scalar} a @param {Scalar} b */
export const gt = (a, b) => number(a) > number(b); // a > b
/** @param {Scalar} a @param {Scalar} b */
export const ge = (a, b) => number(a) >= number(b); // a >= b

/** The exponential. @param {Scalar} a @returns {Scalar} */
export function exp(a) {
  const result = Math.exp(number(a));
  return a instanceof Node ? made(result, a, result) : result;
}

/** The natural logarithm. @param {Scalar} a @returns {Scalar} */
export function log(a) {
  const x = number(a);
  return a instanceof Node ? made(Math.log(x), a, 1 / x) : Math.log(x);
}

/** The sum of a list of numbers, 0 where it is empty. @param {Scalar[]} terms @returns {Scalar} */
export function total(terms) {
  let sum = 0;
  const before = edges;
  for (let k = 0; k < terms.length; k += 1) {
    const term = terms[k];
    sum += number(term);
    edge(term, 1);
  }
  return edges > before ? lay(sum) : sum;
}

/** The inner product of two rows. @param {Scalar[]} a @param {Scalar[]} b @returns {Scalar} */
export function dot(a, b) {
  let sum = 0;
  const before = edges;
  for (let k = 0; k < a.length; k += 1) {
    const x = number(a[k]);
    const y = number(b[k]);
    sum += x * y;
    edge(a[k], y);
    edge(b[k], x);
  }
  return edges > before ? meeting(lay(sum), a, b, 1) : sum;
}

/** The row less the mean of its numbers; each is still known as that leaf's. @param {Scalar[]} row */
export function centred(row) {
  const mean = div(total(row), row.length);
  return row.map((x) => {
    const made = sub(x, mean);
    if (!(x instanceof Node) || !(made instanceof Node)) return made;
    aside = true;
    origins[made.at] = origins[x.at];
    return made;
  });
}

/** The squared Euclidean distance of two rows. @param {Scalar[]} a @param {Scalar[]} b @returns {Scalar} */
export function squared_distance(a, b) {
  let sum = 0;
  const before = edges;
  for (let k = 0; k < a.length; k += 1) {
    const difference = number(a[k]) - number(b[k]);
    sum += difference * difference;
    edge(a[k], 2 * difference);
    edge(b[k], -2 * difference);
  }
  return edges > before ? meeting(lay(sum), a, b, -2) : sum;
}

// Notes that two rows met in `made`, whose slope in s is `slope` where the other one has length 1.
/** @param {Node} made @param {Scalar[]} a @param {Scalar[]} b @param {number} slope */
function meeting(made, a, b, slope) {
  const one = rowOf(a);
  const other = rowOf(b);
  if (one === APART || other === APART || Math.min(one, other) >= moving) return made;
  origins[made.at] = MET;
  // The s of a proxy is that with its direction.
  if (one >= moving) meetings.push(made.at, other, one, slope * length(a));
  else meetings.push(made.at, one, other, other >= moving ? slope * length(b) : slope);
  return made;
}

/** @param {Scalar[]} row */ function length(row) {
  return Math.hypot(...row.map(number));
}

// The first leaf of the row that these numbers are, or whose direction they are; APART where they are none.
/** @param {Scalar[]} row */ function rowOf(row) {
  const first = row[0] instanceof Node ? origins[row[0].at] : APART;
  for (let k = 0; k < row.length; k += 1) {
    const leaf = row[k];
    if (!(leaf instanceof Node) || first < 0 || origins[leaf.at] !== first + k) return APART;
  }
  return first;
}

/** A number made of `a`, and of `b` where there is one, with its slopes in them.
 * @param {number} value @param {PythonValue} a @param {number} inA @param {PythonValue} [b] @param {number} inB */
function made(value, a, inA, b, inB = 0) {
  edge(a, inA);
  edge(b, inB);
  return lay(value);
}

/** @param {PythonValue} x @param {number} slope */ function edge(x, slope) {
  if (!(x instanceof Node)) return;
  if (edges === sources.length) [sources, slopes] = [grown(sources), grown(slopes)];
  sources[edges] = x.at;
  slopes[edges] = slope;
  edges += 1;
}

/** A number made of those to which edges were drawn since the last. @param {number} value */
function lay(value) {
  if (size === values.length) {
    [values, adjoints, sizes] = [grown(values), grown(adjoints), grown(sizes)];
    [ends, origins] = [grown(ends), grown(origins)];
  }
  values[size] = value;
  ends[size] = edges;
  origins[size] = APART;
  if (size === nodes.length) nodes.push(new Node(size));
  size += 1;
  return nodes[size - 1];
}

/** @template {Float64Array | Int32Array} T @param {T} array @returns {T} */ function grown(array) {
  const larger = array instanceof Int32Array ? new Int32Array(2 * array.length) : new Float64Array(2 * array.length);
  larger.set(array);
  return /** @type {T} */ (larger);
}
