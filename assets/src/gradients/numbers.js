// The gradient of a loss at a scene in numbers, from the results of losses.js, as in dml_viz/explain/gradients.

import { leastOf, lengths as lengthsOf, NOTHING, tangent } from "../draw/rows.js";

/** @typedef {Iterable<number> & {
 *   length: number, reduce(act: (sum: number, value: number) => number, start: number): number,
 * }} Summed */

const ROUNDING = 1e-13; // of the largest sum of weights at a point: a smaller tangent gradient is rounding
// How long the mean arrow is at most and at least, in radii, for up to so many points.
const MEANS = [[24, 0.28, 0.14], [70, 0.2, 0.12], [Infinity, 0.11, 0.08]];

/** Radii, of an arrow as drawn; a longer one is cut. */
export const LONGEST = 0.6;

/** {value, along, ambient, weight, m, lengths, norm, points, pairs, radial} of `found` (losses.js) at scene {n, dim, z, proxies}.
 *
 * `loss` has `unit`. What needs pair weights is null where the browser does not know them.
 * @param {LossGradient} found @param {{n: number, dim: number, z: Float64Array}} scene @param {Float64Array} others
 * @param {{unit: boolean}} loss */
export function response(found, { n, dim, z }, others, loss) {
  const weight = weightOf(found, n);
  const m = weight ? weight.length / n : 0;
  const ambient = loss.unit ? weight && sums(weight, others, n, m, dim) : found.z;
  const along = loss.unit ? found.z : tangent(found.z, z, dim);
  const lengths = lengthsOf(along, dim);
  const most = loss.unit ? largestPull(weight, n, m) : Math.max(...lengthsOf(ambient, dim), 0);
  for (let i = 0; i < n; i += 1) if (lengths[i] <= Math.max(NOTHING, ROUNDING * most)) lengths[i] = 0;
  const whole = ambient && squares(ambient);
  const pairs = weight && pairsOf(weight, n, found.oneSided, others !== z);
  const radial = whole ? 1 - squares(along) / whole : NaN;
  const { value } = found;
  const norm = Math.sqrt(squares(lengths));
  return { value, along, ambient, weight, m, lengths, norm, points: [above(lengths), n], pairs, radial };
}

/** What to multiply each loss's arrows by, given their lengths; see dml_viz/explain/gradients/model_panels.py.
 * @param {Summed[]} lengths @param {string} scale */
export function factors(lengths, scale) {
  const longest = lengths.map((own) => own.reduce((a, b) => Math.max(a, b), 0));
  if (scale === "raw") {
    const most = Math.max(...longest, 0);
    return longest.map((own) => (own > 0 ? LONGEST / most : 0));
  }
  const means = lengths.map(mean);
  const worst = Math.max(...means.map((own, k) => (own ? longest[k] / own : 1)));
  const many = Math.max(...lengths.map((own) => own.length), 0);
  const [, usual, least] = MEANS.find(([most]) => many <= most);
  const wanted = Math.max(least, Math.min(usual, LONGEST / worst));
  return means.map((own) => (own ? wanted / own : 0));
}

// Both orders of a pair are added, unless the loss moves one end alone; a row and itself are no pair.
/** @param {LossGradient} gradient @param {number} n @returns {Float64Array | null} */
function weightOf({ weights, oneSided, learnt }, n) {
  if (!weights || learnt.proxies) return weights;
  const both = new Float64Array(n * n);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < n; j += 1) {
      if (i !== j) both[i * n + j] = weights[i * n + j] + (oneSided ? 0 : weights[j * n + i]);
    }
  }
  return both;
}

/** @param {Float64Array} weight @param {Float64Array} others @param {number} n @param {number} m @param {number} dim */
function sums(weight, others, n, m, dim) {
  const found = new Float64Array(n * dim);
  for (let i = 0; i < n; i += 1) {
    for (let j = 0; j < m; j += 1) {
      for (let k = 0; k < dim; k += 1) found[i * dim + k] += weight[i * m + j] * others[j * dim + k];
    }
  }
  return found;
}

/** @param {Float64Array | null} weight @param {number} n @param {number} m */
function largestPull(weight, n, m) {
  let most = 0;
  for (let i = 0; weight && i < n; i += 1) {
    let sum = 0;
    for (let j = 0; j < m; j += 1) sum += Math.abs(weight[i * m + j]);
    most = Math.max(most, sum);
  }
  return most;
}

/** @param {Float64Array} weight @param {number} n @param {boolean} oneSided @param {boolean} ofProxies */
function pairsOf(weight, n, oneSided, ofProxies) {
  if (ofProxies) return [above(weight.map(Math.abs)), weight.length];
  const sizes = [];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) sizes.push(Math.abs(weight[i * n + j] + (oneSided ? weight[j * n + i] : 0)));
  }
  return [above(sizes), sizes.length];
}

/** @param {Summed} sizes */ function above(sizes) {
  const least = leastOf(sizes.reduce((a, b) => Math.max(a, b), 0));
  return sizes.reduce((count, size) => count + (size > least ? 1 : 0), 0);
}

/** @param {Summed} lengths */ function mean(lengths) {
  const least = leastOf(lengths.reduce((a, b) => Math.max(a, b), 0));
  let [sum, count] = [0, 0];
  for (const length of lengths) {
    if (length > least) [sum, count] = [sum + length, count + 1];
  }
  return count ? sum / count : 0;
}

/** @param {Float64Array} rows */ function squares(rows) {
  return rows.reduce((sum, x) => sum + x * x, 0);
}
