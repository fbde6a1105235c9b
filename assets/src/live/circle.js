const ARCS = 240;
const RING = 1.13;

/** The outer ring cut by nearest class mean: for each class {x, y}, NaN between arcs; `means` are unit rows or null.
 * @param {([number, number] | null)[]} means */
export function ring(means) {
  const arcs = means.map(() => ({ x: [NaN], y: [NaN] }));
  if (!means.some(Boolean)) return arcs;
  const width = (2 * Math.PI) / ARCS;
  let last = -1;
  for (let k = 0; k < ARCS; k += 1) {
    const best = nearest(means, (k + 0.5) * width);
    if (best !== last) push(arcs[best], NaN);
    if (best !== last) push(arcs[best], k * width);
    push(arcs[best], (k + 1) * width);
    last = best;
  }
  return arcs;
}

/** @param {([number, number] | null)[]} means @param {number} angle */
function nearest(means, angle) {
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  let [best, closest] = [-1, -Infinity];
  means.forEach((mean, c) => {
    const cosine = mean ? mean[0] * x + mean[1] * y : -Infinity;
    if (cosine > closest) [best, closest] = [c, cosine];
  });
  return best;
}

/** @param {{x: number[], y: number[]}} arc @param {number} angle */ function push(arc, angle) {
  arc.x.push(RING * Math.cos(angle));
  arc.y.push(RING * Math.sin(angle));
}
