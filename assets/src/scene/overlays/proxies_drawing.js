// How samples, proxies and edges of one loss are drawn; the measures are those of dml_viz/explain/proxies/figures/picture.py.

import { fixed } from "../../draw/words.js";

const WIDEST = 7; // px, of an edge with the largest weight that the loss can give
const LEAST_SHARE = 2e-3; // of that weight: less is not drawn
const BEND = 0.62; // of an edge towards the middle
const ARROW = 0.3; // radii, of an arrow for a gradient of that weight
const WIDE = { "stroke-width": 2 };

/** Draws a loss's edges with pen `below` and its arrows with pen `above`; `side` is one of `sides`.
 * @param {ProxiesFrame["seen"]} seen @param {ProxySide} side @param {SceneTools} tools @param {Pen} below @param {Pen} above */
export function draw({ scene, settings, picked }, side, tools, below, above) {
  edges(scene, settings.edges, picked, side).forEach(({ sample, proxy, weight }) => {
    const [a, b] = [tools.project(tools.row(scene.z, sample)), tools.project(tools.row(scene.proxies, proxy))];
    const [x, y] = [(BEND * (a.x + b.x)) / 2, (BEND * (a.y + b.y)) / 2];
    below.path(`M${a.x} ${a.y}Q${x} ${y} ${b.x} ${b.y}`, {
      stroke: tools.colour(weight < 0 ? "positive" : "negative"),
      "stroke-width": WIDEST * Math.min(2, Math.abs(weight) / side.pull),
      opacity: 0.6,
    });
  });
  tools.arrows(above, scene.z, side.z, -ARROW / side.pull, WIDE);
  tools.arrows(above, scene.proxies, side.proxies, -ARROW / side.unit, WIDE);
}

/** The edges that are drawn, the lightest first; `which` is "all", "sample", "proxy", or "picked", as `asks` has it.
 * @param {{n: number}} scene @param {string} which @param {number[]} picked @param {ProxySide} side */
export function edges({ n }, which, [sample, proxy], { weights, count, pull, asks }) {
  const of = which === "picked" ? asks : which;
  const found = [];
  for (let i = 0; i < n; i += 1) {
    for (let p = 0; p < count; p += 1) {
      const weight = weights[i * count + p];
      const wanted = of === "all" || (of === "sample" ? i === sample : p === proxy);
      if (wanted && Math.abs(weight) > LEAST_SHARE * pull) found.push({ sample: i, proxy: p, weight });
    }
  }
  return found.sort((a, b) => Math.abs(a.weight) - Math.abs(b.weight));
}

/** A loss in words: its value, how many pairs pull and push, and how hard.
 * @param {string} title @param {{n: number}} scene @param {ProxiesOverlay} settings @param {number[]} picked
 * @param {ProxySide} side */
export function words(title, { n }, settings, picked, side) {
  const drawn = edges({ n }, settings.edges, picked, side);
  const kinds = ["pulls", "pushes"].map((kind, push) => {
    const own = drawn.filter(({ weight }) => weight > 0 === !!push);
    const shares = own.map(({ weight }) => Math.abs(weight) / side.pull);
    const ends = shares.length ? [...new Set([percent(shares[0]), percent(shares.at(-1))])] : [];
    return `${kind}: ${shares.length}${ends.length ? `, ${ends.join(" to ")} of the maximum` : ""}`;
  });
  return `${title}: loss ${fixed(side.value)}; ${kinds.join("; ")}.`;
}

/** @param {number} share */ function percent(share) {
  return share > 0.0095 ? `${Math.round(100 * share)}%` : `${(100 * share).toFixed(1)}%`;
}
