// Rows of `dim` numbers, one after the other in one array.

/** Row `i` as an array. @param {Numbers} rows @param {number} i @param {number} dim */
export function row(rows, i, dim) {
  return Array.from(rows.slice(i * dim, (i + 1) * dim));
}

/** The inner product of two rows. @param {Numbers} a @param {Numbers} b */
export function dot(a, b) {
  let sum = 0;
  for (let k = 0; k < a.length; k += 1) sum += a[k] * b[k];
  return sum;
}

/** The length of a row. @param {number[]} a */
export const length = (a) => Math.hypot(...a);
/** a - b @param {number[]} a @param {number[]} b */
export const minus = (a, b) => a.map((value, k) => value - b[k]);
/** a + b @param {number[]} a @param {number[]} b */
export const plus = (a, b) => a.map((value, k) => value + b[k]);
/** A multiple of a row. @param {number} factor @param {number[]} a */
export const times = (factor, a) => a.map((value) => factor * value);

/** A gradient or weight that is too small to move a point: not even the last digit of its coordinates. */
export const NOTHING = 1e-15;
/** The size above which a gradient or weight counts, if `most` is the largest of all. @param {number} most */
export const leastOf = (most) => Math.max(NOTHING, 1e-3 * most);

/** The lengths of rows. @param {ArrayLike<number>} rows @param {number} dim */
export function lengths(rows, dim) {
  const found = new Float64Array(rows.length / dim);
  for (let i = 0; i < found.length; i += 1) {
    let sum = 0;
    for (let k = i * dim; k < (i + 1) * dim; k += 1) sum += rows[k] * rows[k];
    found[i] = Math.sqrt(sum);
  }
  return found;
}

/** Vectors at unit rows `z`, projected to the tangent space.
 * @param {ArrayLike<number>} vectors @param {ArrayLike<number>} z @param {number} dim */
export function tangent(vectors, z, dim) {
  const found = Float64Array.from(vectors);
  for (let start = 0; start < z.length; start += dim) {
    let radial = 0;
    for (let k = start; k < start + dim; k += 1) radial += vectors[k] * z[k];
    for (let k = start; k < start + dim; k += 1) found[k] -= radial * z[k];
  }
  return found;
}
