// Arrays as NumPy has them: numbers in the order of their rows, with a shape; models of pages are translated to calls of these.

/** What an array holds: booleans, whole numbers, or any numbers. @typedef {"b" | "i" | "f"} Kind */
/** A slice of an axis. */
export class Slice {
  /** @param {number | null} low @param {number | null} high @param {number} step */
  constructor(low = null, high = null, step = 1) {
    this.low = low;
    this.high = high;
    this.step = step;
  }

  /** The indices that it selects of `length` entries. @param {number} length */
  indices(length) {
    const { low, high, step } = this;
    /** @param {number | null} end @param {number} open */ const clipped = (end, open) => {
      if (end === null) return open;
      const from = end < 0 ? end + length : end;
      return step > 0 ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1);
    };
    const found = [];
    const [start, stop] = step > 0 ? [clipped(low, 0), clipped(high, length)] : [clipped(low, length - 1), clipped(high, -1)];
    for (let k = start; step > 0 ? k < stop : k > stop; k += step) found.push(k);
    return found;
  }
}

export const EVERY = new Slice();
export const ELLIPSIS = Symbol("...");
/** Several indices that are one value, as np.ix_ returns them. */
export class Indices extends Array {}

export class NDArray {
  /** @param {ArrayLike<FromPython>} data @param {number[]} shape @param {Kind} kind */
  constructor(data, shape, kind = "f") {
    this.data = data;
    this.shape = shape;
    this.kind = kind;
  }

  get length() {
    if (!this.shape.length) throw new TypeError("a number has no length");
    return this.shape[0];
  }

  get size() {
    return this.data.length;
  }

  get ndim() {
    return this.shape.length;
  }

  get T() {
    return transposed(this);
  }

  *[Symbol.iterator]() {
    for (let k = 0; k < this.length; k += 1) yield rowAt(this, k);
  }

  tolist() {
    /** @param {number} axis @param {number} from @returns {FromPython} */ const nested = (axis, from) => {
      if (axis === this.shape.length) return this.kind === "b" ? Boolean(this.data[from]) : this.data[from];
      const step = count(this.shape.slice(axis + 1));
      return Array.from({ length: this.shape[axis] }, (_, k) => nested(axis + 1, from + k * step));
    };
    return nested(0, 0);
  }
}

/** x[k], a number or an array with one axis less. @param {NDArray} x @param {number} k */
export function rowAt(x, k) {
  const shape = x.shape.slice(1);
  const [size, from] = [count(shape), within(k, x.shape[0])];
  const rows = /** @type {number[]} */ (x.data);
  return plain(new NDArray(rows.slice(from * size, (from + 1) * size), shape, x.kind));
}

/** The place of index `i` of so many entries. @param {number} i @param {number} length */
export function within(i, length) {
  const place = i < 0 ? i + length : i;
  if (!(place >= 0 && place < length)) throw new RangeError(`index ${i} is outside 0 to ${length - 1}`);
  return place;
}

/** @param {number[]} shape */ export const count = (shape) => shape.reduce((size, length) => size * length, 1);

/** An array from numbers, lists of numbers, or an array; of `kind`, if given. @param {FromPython} x @param {Kind} [kind] @returns {NDArray} */
export function array(x, kind) {
  if (x instanceof NDArray) return kind && kind !== x.kind ? cast(x, kind) : x;
  if (typeof x === "number" || typeof x === "boolean") return new NDArray([Number(x)], [], kind ?? kindOf(x));
  const items = [...x].map((item) => (typeof item === "object" ? array(item, kind) : item));
  if (!(items[0] instanceof NDArray)) {
    const own = items.length && items.every((item) => typeof item === "boolean")
      ? "b"
      : items.every(Number.isInteger)
      ? "i"
      : "f";
    return new NDArray(items.map(Number), [items.length], kind ?? (items.length ? own : "f"));
  }
  const rows = items.map((item) => array(item));
  if (rows.some(({ shape }) => String(shape) !== String(rows[0].shape))) throw new RangeError("rows have different shapes");
  const data = rows.flatMap((row) => Array.from(row.data));
  return new NDArray(data, [rows.length, ...rows[0].shape], widest(rows.map((row) => row.kind)));
}

/** @param {number | boolean} x @returns {Kind} */
function kindOf(x) {
  return typeof x === "boolean" ? "b" : Number.isInteger(x) ? "i" : "f";
}

/** @param {Kind[]} kinds @returns {Kind} */
export function widest(kinds) {
  return kinds.includes("f") ? "f" : kinds.includes("i") ? "i" : "b";
}

/** @param {NDArray} x @param {Kind} kind */
export function cast(x, kind) {
  const of = { b: (/** @type {number} */ v) => Number(v !== 0), i: Math.trunc, f: Number }[kind];
  return new NDArray(Array.from(x.data, of), x.shape, kind);
}

/** The number of an array without axes, or the array. @param {NDArray} x */
export function plain(x) {
  if (x.shape.length) return x;
  return x.kind === "b" ? Boolean(x.data[0]) : x.data[0];
}

/** @param {NDArray} x @param {number[]} shape */
export function reshaped(x, shape) {
  const known = count(shape.filter((length) => length >= 0));
  return new NDArray(x.data, shape.map((length) => (length < 0 ? x.size / known : length)), x.kind);
}

/** @param {NDArray} x @param {number[]} [axes] */
export function transposed(x, axes = x.shape.map((_, k) => x.shape.length - 1 - k)) {
  const steps = strides(x.shape);
  return picked(x, axes.map((axis) => Array.from({ length: x.shape[axis] }, (_, k) => k * steps[axis])));
}

/** @param {number[]} shape */ export function strides(shape) {
  return shape.map((_, axis) => count(shape.slice(axis + 1)));
}

/** The entries whose places are sums of one offset of each axis. @param {NDArray} x @param {number[][]} axes */
function picked(x, axes) {
  return new NDArray(entriesAt(x, offsets(axes)), axes.map((axis) => axis.length), x.kind);
}

/** @param {NDArray} x @param {number[]} places */ export function entriesAt({ data }, places) {
  for (let k = 0; k < places.length; k += 1) places[k] = data[places[k]];
  return places;
}

/** @param {number[][]} axes @returns {number[]} */
export function offsets(axes) {
  let places = [0];
  for (const axis of axes) {
    const next = new Array(places.length * axis.length);
    let k = 0;
    for (const place of places) for (const offset of axis) next[k++] = place + offset;
    places = next;
  }
  return places;
}

/** The shape that these have together; RangeError where they have none. @param {number[][]} shapes */
export function common(shapes) {
  const dims = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: dims }, (_, axis) => {
    const lengths = shapes.map((shape) => shape[axis - dims + shape.length] ?? 1);
    const length = lengths.find((each) => each !== 1) ?? 1;
    if (lengths.some((each) => each !== 1 && each !== length)) {
      throw new RangeError(`shapes ${shapes.map((shape) => `(${shape})`).join(" and ")} do not fit together`);
    }
    return length;
  });
}

/** @param {NDArray} x @param {number[]} shape */
export function broadcast(x, shape) {
  if (same(x.shape, shape)) return x;
  const [steps, ahead] = [strides(x.shape), shape.length - x.shape.length];
  return picked(
    x,
    shape.map((length, axis) => {
      const step = axis < ahead || x.shape[axis - ahead] === 1 ? 0 : steps[axis - ahead];
      return Array.from({ length }, (_, k) => k * step);
    }),
  );
}

/** @param {number[]} a @param {number[]} b */ const same = (a, b) =>
  a.length === b.length && a.every((length, axis) => length === b[axis]);

/** f of the entries of arrays and numbers, one by one. @param {(...numbers: number[]) => number} f @param {FromPython[]} given
 * @param {Kind} [kind] @returns {FromPython} */
export function each(f, given, kind) {
  const arrays = given.map((x) => array(x));
  const [{ shape: first }, ...others] = arrays;
  const shape = others.every((x) => !x.shape.length || same(x.shape, first)) ? first : common(arrays.map((x) => x.shape));
  // The one entry of a number stands for all.
  const flat = arrays.map((x) => (x.shape.length ? broadcast(x, shape).data : x.data));
  const [a, b] = flat;
  const [stepA, stepB] = arrays.map((x) => (x.shape.length ? 1 : 0));
  const data = new Array(count(shape));
  for (let k = 0; k < data.length; k += 1) {
    if (flat.length === 1) data[k] = Number(f(a[k]));
    else if (flat.length === 2) data[k] = Number(f(a[k * stepA], b[k * stepB]));
    else data[k] = Number(f(...flat.map((numbers, n) => numbers[arrays[n].shape.length ? k : 0])));
  }
  return plain(new NDArray(data, shape, kind ?? widest(arrays.map((x) => x.kind))));
}
