// Functions of the entries of arrays, one by one.

import { array, each } from "./array.js";
import { along } from "./reductions.js";

/** Angles without jumps of a whole turn. @param {FromPython} x */
export const unwrap = (x) => along(unwrapped, "f")(x, -1);
/** @param {number[]} line */ function unwrapped(line) {
  let turns = 0;
  return line.map((angle, k) => {
    const step = k ? angle - line[k - 1] : 0;
    const short = ((step + Math.PI) % (2 * Math.PI) + 2 * Math.PI) % (2 * Math.PI) - Math.PI;
    if (Math.abs(step) >= Math.PI) turns += (short === -Math.PI && step > 0 ? Math.PI : short) - step;
    return angle + turns;
  });
}

/** @param {(...x: number[]) => number | boolean} f @param {import("./array.js").Kind} [kind] */
const entries = (f, kind) => (/** @type {...FromPython} */ ...given) => each((...x) => Number(f(...x)), given, kind);
export const sqrt = entries(Math.sqrt, "f");
export const exp_of = entries(Math.exp, "f");
export const log_of = entries(Math.log, "f");
export const log1p = entries(Math.log1p, "f");
export const cos = entries(Math.cos, "f");
export const sin = entries(Math.sin, "f");
export const tanh = entries(Math.tanh, "f");
export const arctan2 = entries(Math.atan2, "f");
export const degrees_of = entries((x) => x * (180 / Math.PI), "f");
export const radians_of = entries((x) => x * (Math.PI / 180), "f");
export const absolute = entries(Math.abs);
export const floor = entries(Math.floor);
export const square = entries((x) => x * x);
export const isfinite = entries(Number.isFinite, "b");
export const isnan = entries(Number.isNaN, "b");
export const maximum = entries((a, b) => (Number.isNaN(a) || a > b ? a : b));
export const minimum = entries((a, b) => (Number.isNaN(a) || a < b ? a : b));
export const logaddexp = entries(
  (a, b) => (a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)))),
  "f",
);
/** The logarithm of the sum of e^x. @param {FromPython} x */
export const log_sum_exp = (x) => /** @type {number[]} */ (array(x).data).reduce((sum, each) => logaddexp(sum, each), -Infinity);
/** Distances whose last bits are rounded away: the first 41 bits, as round_distances of dml_viz/embedding/ranking.py.
 * @param {FromPython} x */
export const round_distances = (x) => entries(first41, "f")(x);

/** @param {number} x */ function first41(x) {
  const bits = new BigInt64Array(new Float64Array([x]).buffer);
  bits[0] = (bits[0] + 1024n) & -2048n;
  return new Float64Array(bits.buffer)[0];
}
