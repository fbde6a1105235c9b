// What a panel draws, either from Python's message or from the scene's overlay. Gradients point uphill here.

import { lengths as lengthsOf } from "../draw/rows.js";

const EDGES = 400; // of a panel, at most

/** The contents of a decoded message of dml_viz/explain/gradients/components.py.
 * @param {Message<PanelsData>} message @returns {PanelContent[]} */
export function fromPython({ header, arrays }) {
  const { dim, n, part } = header;
  const { places: z, y, arrows, lengths, partners, weights, proxies, owners } = arrays;
  const many = partners.shape[2];
  let proxy = 0;
  return header.panels.map((panel, k) => {
    const own = partners.subarray(k * n * many, (k + 1) * n * many);
    const heavy = weights.subarray(k * n * many, (k + 1) * n * many);
    const [from, to] = [proxy, proxy += panel.proxies];
    /** @param {number} i @returns {[number, number][]} */ const partnersOf = (i) => {
      /** @type {[number, number][]} */ const found = [];
      for (let at = i * many; at < (i + 1) * many && own[at] >= 0; at += 1) found.push([own[at], heavy[at]]);
      return found;
    };
    return {
      ...{ ...panel, dim, circle: header.circle, zoom: header.zoom, middle: header.middle, n, z, y, part },
      arrows: arrows.subarray(k * n * dim, (k + 1) * n * dim),
      lengths: lengths.subarray(k * n, (k + 1) * n),
      proxies: proxies.subarray(from * dim, to * dim),
      owners: Array.from(owners.subarray(from, to)),
      partners: partnersOf,
      edges: () => edges(n, partnersOf),
    };
  });
}

/** The contents from the gradients of the scene's overlay; what the browser cannot compute is Python's last value, or left out.
 * @param {LiveGradients} live @param {Record<string, PanelContent>} known @param {{part: string}} header
 * @returns {(PanelContent | null)[]} */
export function fromScene({ found, names, scene: { dim: seen } }, known, { part }) {
  return names.map((name) => {
    const last = known[name] ?? /** @type {Partial<PanelContent>} */ ({});
    // A loss may not have been computed yet since the scene was lifted to the sphere: panels are seen by one camera.
    const now = found[name]?.scene.dim === seen ? found[name] : null;
    if (!now) return last.n && last.dim === seen ? /** @type {PanelContent} */ (last) : null;
    const { scene, value, norm, points, pairs, radial, weight, m, others, rows } = now;
    const ambient = part === "ambient" && now.ambient;
    const arrows = ambient || now.along;
    const ofProxies = others !== scene.z;
    /** @param {number} i @returns {[number, number][]} */ const partnersOf = (i) => {
      if (!weight) return [];
      const first = ofProxies ? scene.n : 0;
      const own = Array.from(weight.subarray(i * m, (i + 1) * m), /** @returns {[number, number]} */ (w, j) => [first + j, w]);
      return own.filter(([, w]) => w !== 0).sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    };
    const { title, note, ms } = last;
    const { dim, n, z, y } = scene;
    return {
      ...{ name, title, note, ms, value, norm, points, pairs, radial, dim, n, z, y, arrows },
      ...{ shown: 1, circle: dim === 2, zoom: 1, middle: null, part: ambient ? "ambient" : "tangent" },
      lengths: ambient ? lengthsOf(ambient, dim) : now.lengths,
      proxies: ofProxies ? others : new Float64Array(0),
      owners: Array.from({ length: ofProxies ? m : 0 }, (_, p) => Math.floor(p / rows)),
      partners: partnersOf,
      edges: () => edges(scene.n, partnersOf),
    };
  });
}

/** Whether a scene is the one that a message was made of. @param {OverlayScene} scene @param {Message<PanelsData>} message */
export function sameScene(scene, { header, arrays }) {
  if (scene.n !== header.n || scene.dim !== header.dim) return false;
  return arrays.places.every((x, k) => Math.abs(x - scene.z[k]) < 1e-5) && arrays.y.every((c, i) => c === scene.y[i]);
}

// The pairs of a loss, the heaviest last; of a pair with different weights at its two ends, the heavier end counts.
/** @param {number} n @param {(point: number) => [number, number][]} partnersOf */
function edges(n, partnersOf) {
  /** @type {Map<number, [number, number, number]>} */ const heaviest = new Map();
  for (let i = 0; i < n; i += 1) {
    for (const [j, w] of partnersOf(i)) {
      const key = j < n ? Math.min(i, j) * n + Math.max(i, j) : -(i * 4096 + j);
      const known = heaviest.get(key);
      if (!known || Math.abs(w) > Math.abs(known[2])) heaviest.set(key, [i, j, w]);
    }
  }
  const sorted = [...heaviest.values()].sort((a, b) => Math.abs(a[2]) - Math.abs(b[2]));
  return sorted.slice(-EDGES);
}
