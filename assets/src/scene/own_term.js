import { dot } from "../draw/rows.js";

/** The gradient of the query's own term of a loss, from the loss's pair weights dL/ds, along the circle or sphere.
 *
 * It is `terms` times the term's part in the loss: as many as the mean is over. Without `bothEnds` only the query moves.
 * @param {{n: number, z: Float64Array, dim: number}} scene @param {number} query @param {Float64Array} weights */
export function ownGradient({ n, z, dim }, query, weights, { bothEnds = true, terms = n } = {}) {
  const gradient = new Float64Array(n * dim);
  /** @param {number} i */ const row = (i) => z.subarray(i * dim, (i + 1) * dim);
  /** @param {number} i @param {number} j @param {number} weight */ const add = (i, j, weight) => {
    const [from, to] = [row(i), row(j)];
    const along = dot(from, to);
    for (let k = 0; k < dim; k += 1) gradient[i * dim + k] += terms * weight * (to[k] - along * from[k]);
  };
  for (let j = 0; j < n; j += 1) {
    const weight = weights[query * n + j];
    if (j === query || !weight) continue;
    add(query, j, weight);
    if (bothEnds) add(j, query, weight);
  }
  return gradient;
}

/** How many of the points have another of their class: over so many queries a loss of rankings is a mean.
 * @param {{y: Int32Array}} scene */
export function queries({ y }) {
  return y.filter((label, i) => y.some((other, j) => other === label && j !== i)).length;
}
