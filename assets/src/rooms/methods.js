// The methods of NumPy's arrays and of torch's tensors, which are the same here.

import { cast, each, NDArray, reshaped } from "./array.js";
import { nonzero } from "./selection.js";
import * as np from "./numpy.js";

/** Functions of an array that are its methods, too. @type {Record<string, (...given: FromPython[]) => FromPython>} */
const METHODS = {
  sum: np.sum_of,
  mean: np.mean,
  max: np.amax,
  min: np.amin,
  amax: np.amax,
  amin: np.amin,
  any: np.some,
  all: np.every,
  argmax: np.argmax,
  argmin: np.argmin,
  argsort: np.argsort,
  cumsum: np.cumsum,
  norm: np.norm,
  clip: np.clip,
  clamp: np.clip,
  clamp_min: np.clip,
  sqrt: np.sqrt,
  square: np.square,
  abs: np.absolute,
  round: np.round_to,
  ravel: np.flat,
  flatten: np.flat,
  nonzero: (x) => nonzero(x),
  numpy: (x) => x,
  detach: (x) => x,
  contiguous: (x) => x,
  double: (x) => cast(x, "f"),
  float: (x) => cast(x, "f"),
  copy: clone,
  clone,
  item: (x) => x.data[0],
  unique: np.unique,
  isnan: np.isnan,
  reshape: (x, ...shape) => reshaped(x, shape),
  view: (x, ...shape) => reshaped(x, shape),
  astype: (x, kind) => np.asarray(x, kind),
  fill_diagonal_: np.fill_diagonal,
  mul_: (x, y) => each((a, b) => a * b, [x, y]),
  add_: (x, y) => each((a, b) => a + b, [x, y]),
  sub_: (x, y, { alpha = 1 } = {}) => each((a, b) => a - alpha * b, [x, y]),
  div_: (x, y) => each((a, b) => a / b, [x, y]),
  neg_: (x) => each((a) => -a, [x]),
  neg: (x) => each((a) => -a, [x]),
  clamp_: np.clip,
  exp_: np.exp_of,
  exp2_: (x) => each((a) => 2 ** a, [x]),
  div: (x, y, { rounding_mode = "" } = {}) => each((a, b) => (rounding_mode ? Math.floor(a / b) : a / b), [x, y]),
  squeeze: (x, axis) => reshaped(x, x.shape.filter((/** @type {number} */ _, /** @type {number} */ k) => k !== axis)),
  new_zeros: (_, ...shape) => np.zeros(Array.isArray(shape[0]) ? shape[0] : shape),
  masked_fill: (x, mask, value) => np.where(mask, value, x),
  exp: np.exp_of,
  log: np.log_of,
  cos: np.cos,
  sin: np.sin,
};

/** @param {NDArray} x */ function clone(x) {
  return new NDArray(Array.from(x.data), x.shape, x.kind);
}

for (const [name, method] of Object.entries(METHODS)) {
  Object.defineProperty(NDArray.prototype, name, {
    /** @this {NDArray} @param {...FromPython} given */ value(...given) {
      return method(this, ...given);
    },
  });
}
