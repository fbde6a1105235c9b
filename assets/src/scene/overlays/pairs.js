import { SceneOverlay } from "./overlay.js";
import { dot, leastOf, length, lengths, minus, tangent } from "../../draw/rows.js";
import { fixed, precise } from "../../draw/words.js";

/** @typedef {{margin: number, squared: boolean, mining: string}} TripletKnobs */

const SPREAD = 100; // px between two points: of a side this long the similarity is written beside it
const FARTHEST = 2; // between two points

/** The pairs with a gradient, as wide as their weight, the arrow that each point follows, and the triplet that is picked.
 *
 * settings.ofAnchor leaves only the anchor's pairs. A positive pair that is pushed, or a negative one that is pulled, is dashed.
 * settings.triplet has the knobs of the triplet loss where that is the loss: shaded is where a negative has a gradient.
 * @extends {SceneOverlay<SceneSeen<PairsOverlay>>} */
export class PairsDrawing extends SceneOverlay {
  /** @param {SceneSeen<PairsOverlay>} seen */ paint({ scene, settings, picked, gradients }) {
    const [found] = Object.values(gradients);
    if (settings.triplet) this.#hinge(scene, picked, /** @type {TripletKnobs} */ (settings.triplet));
    if (found && ![found.value, ...found.z].every(Number.isFinite)) {
      this.tools.note("The loss has no finite value or slope here.");
    } else if (found) {
      const { weights, value, z } = found;
      const touches = weights ? this.#edges(scene, settings, picked, weights) : "its pairs are in the picture below";
      const longest = this.#arrows(scene, settings, z);
      const arrow = longest ? `longest arrow ${precise(longest)}` : "no arrow";
      this.tools.note(`L = ${precise(value)}; ${touches}; ${arrow}.`);
    }
    this.#triplet(scene, picked);
  }

  /** @param {OverlayScene} scene @param {PairsOverlay} settings @param {number[]} picked @param {Float64Array} weights */
  #edges({ n, z, y }, { ofAnchor }, [anchor], weights) {
    const { tools } = this;
    const pairs = touched(weights, n).filter(({ i, j }) => !ofAnchor || i === anchor || j === anchor);
    const most = largest(weights, n);
    // The heaviest last, above the others.
    for (const { i, j, weight } of pairs.reverse()) {
      const positive = y[i] === y[j];
      const share = Math.abs(weight) / most;
      const dash = weight > 0 === positive ? "7 5" : "";
      const data = { "data-pair": `${i} ${j}`, "data-weight": weight };
      tools.edge(this.below, tools.row(z, i), tools.row(z, j), { positive, share, dash, ...data });
    }
    const all = ofAnchor ? n - 1 : (n * (n - 1)) / 2;
    return `${pairs.length} of ${all} pairs with a gradient, the heaviest ${precise(most)}`;
  }

  // Along the circle or sphere: the points cannot leave it, so the radial part of a loss of raw rows is left out.
  /** @param {OverlayScene} scene @param {PairsOverlay} settings @param {Float64Array} gradient */
  #arrows({ z, dim }, { unit }, gradient) {
    const { tools } = this;
    const along = unit ? gradient : tangent(gradient, z, dim);
    tools.arrows(this.above, z, along, -tools.scale(along));
    return Math.max(0, ...lengths(along, dim));
  }

  // As far from the anchor as the hinge of the chosen triplet reaches.
  /** @param {OverlayScene} scene @param {number[]} picked @param {TripletKnobs} knobs */
  #hinge({ z }, [anchor, positive], knobs) {
    const { tools } = this;
    if (anchor < 0 || positive < 0) return;
    const [from, to] = [anchor, positive].map((point) => tools.row(z, point));
    const pull = length(minus(from, to));
    const reach = Math.min(ends(pull, knobs), FARTHEST);
    const cap = tools.cap(from, reach);
    const inner = knobs.mining === "semi-hard" ? tools.cap(from, pull).area : "";
    const style = { stroke: tools.colour("negative"), "stroke-dasharray": "6 4", "stroke-width": 1.5 };
    this.below.path(cap.area + inner, { fill: tools.colour("negative"), opacity: 0.09 });
    tools.boundary(this.below, cap, style);
    tools.note(`Shaded: where this triplet's hinge gives a negative a gradient, to d = ${fixed(reach)}.`);
  }

  // The two sides of the triplet whose similarities are the axes of the plane beside the scene.
  /** @param {OverlayScene} scene @param {number[]} picked */
  #triplet({ z }, [anchor, positive, negative]) {
    const { tools } = this;
    if (anchor < 0) return;
    const from = tools.row(z, anchor);
    /** @type {[number, string, string][]} */
    const sides = [[positive, "positive", "s\u209a"], [negative, "negative", "s\u2099"]];
    const similarities = [];
    for (const [other, role, sign] of sides) {
      if (other < 0) continue;
      const to = tools.row(z, other);
      const style = { stroke: tools.colour(role), "stroke-width": 1.4, "stroke-dasharray": "1 4" };
      tools.boundary(this.above, tools.greatCircleArc(from, to), style);
      similarities.push(`${sign} = ${fixed(dot(from, to))}`);
      const [{ x, y }, end] = [from, to].map((point) => tools.project(point));
      if (Math.hypot(end.x - x, end.y - y) * tools.unit < SPREAD) continue;
      const middle = { x: (x + end.x) / 2, y: (y + end.y) / 2 };
      tools.label(middle, similarities.at(-1), { colour: tools.colour(role), towards: [-middle.x, -middle.y] });
    }
    tools.note(similarities.length ? `${similarities.join(", ")}.` : "");
  }
}

/** How far from the anchor the hinge of a triplet ends whose positive is at distance `pull`.
 * @param {number} pull @param {{margin: number, squared: boolean}} knobs */
export function ends(pull, { margin, squared }) {
  return squared ? Math.sqrt(pull * pull + margin) : pull + margin;
}

/** The pairs i < j whose weight, both orders together, is more than a thousandth of the largest, the heaviest first.
 * @param {Float64Array} weights @param {number} n */
export function touched(weights, n) {
  const least = leastOf(largest(weights, n));
  const pairs = [];
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) {
      const weight = weights[i * n + j] + weights[j * n + i];
      if (Math.abs(weight) > least) pairs.push({ i, j, weight });
    }
  }
  return pairs.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
}

/** @param {Float64Array} weights @param {number} n */ function largest(weights, n) {
  let most = 0;
  for (let i = 0; i < n; i += 1) {
    for (let j = i + 1; j < n; j += 1) most = Math.max(most, Math.abs(weights[i * n + j] + weights[j * n + i]));
  }
  return most;
}
