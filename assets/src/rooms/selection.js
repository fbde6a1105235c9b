// Entries of arrays by their indices, as NumPy selects them.

import {
  array,
  broadcast,
  common,
  count,
  ELLIPSIS,
  entriesAt,
  EVERY,
  Indices,
  NDArray,
  offsets,
  plain,
  rowAt,
  Slice,
  strides,
  within,
} from "./array.js";

// Where an index selects entries: the axes of the result, as offsets of each.
/** @param {NDArray} x @param {FromPython[]} given */ function selection(x, given) {
  const index = given.flatMap((part) => (part instanceof Indices ? [...part] : [part])).flatMap((part) => {
    if (!Array.isArray(part) && !(part instanceof NDArray)) return [part];
    const indices = array(part);
    return indices.kind === "b" ? nonzero(indices) : [indices];
  });
  const used = index.filter((part) => part !== null && part !== ELLIPSIS).length;
  const rest = Array.from({ length: x.shape.length - used }, () => EVERY);
  const where = index.indexOf(ELLIPSIS);
  const whole = where < 0 ? [...index, ...rest] : [...index.slice(0, where), ...rest, ...index.slice(where + 1)];
  const steps = strides(x.shape);
  const advanced = whole.some((part) => part instanceof NDArray);
  const shape = common([[], ...whole.filter((part) => part instanceof NDArray).map((part) => part.shape)]);
  /** @type {number[][]} */ const axes = [];
  /** @type {number[]} */ const places = [];
  let together = Array.from({ length: count(shape) }, () => 0);
  let axis = 0;
  for (const [k, part] of whole.entries()) {
    if (part === null) {
      axes.push([0]);
      continue;
    }
    const [length, step] = [x.shape[axis], steps[axis]];
    axis += 1;
    if (part instanceof Slice) axes.push(part.indices(length).map((i) => i * step));
    else {
      const flat = broadcast(array(part), shape).data;
      together = together.map((offset, i) => offset + within(flat[i], length) * step);
      places.push(k, axes.length);
    }
  }
  if (!advanced) return { axes: [...axes, ...(places.length ? [[together[0]]] : [])], shape: axes.map((each) => each.length) };
  const joined = places.filter((_, k) => k % 2 === 0).every((k, n, all) => !n || k === all[n - 1] + 1);
  const first = joined ? places[1] : 0;
  return {
    axes: [...axes.slice(0, first), together, ...axes.slice(first)],
    shape: [...axes.slice(0, first).map((a) => a.length), ...shape, ...axes.slice(first).map((a) => a.length)],
  };
}

/** x[index] @param {NDArray} x @param {...FromPython} index */
export function at(x, ...index) {
  if (index.length === 1 && typeof index[0] === "number" && x.shape.length) return rowAt(x, index[0]);
  const { axes, shape } = selection(x, index);
  return plain(new NDArray(entriesAt(x, offsets(axes)), shape, x.kind));
}

/** x[index] = value @param {NDArray} x @param {FromPython} value @param {...FromPython} index */
export function put(x, value, ...index) {
  const { axes, shape } = selection(x, index);
  const { data } = broadcast(array(value), shape);
  const into = /** @type {number[]} */ (x.data);
  offsets(axes).forEach((place, k) => (into[place] = data[k]));
}

/** The indices of the entries that are not 0, an array for each axis. @param {NDArray} x */
export function nonzero(x) {
  const [steps, found] = [strides(x.shape), [...Array(x.size).keys()].filter((k) => x.data[k])];
  return x.shape.map((length, axis) => {
    return new NDArray(found.map((k) => Math.floor(k / steps[axis]) % length), [found.length], "i");
  });
}
