import { SceneOverlay } from "./overlay.js";
import { capArc } from "../caps.js";
import { ownGradient } from "../own_term.js";
import { clamp } from "../scene.js";
import { length, minus, row, times } from "../../draw/rows.js";
import { fixed, plain } from "../../draw/words.js";

/** @typedef {{alpha: number, margin: number, temperature: number, differentiated?: string}} ListKnobs */
/** @typedef {ReturnType<typeof mined>} Mined */

const NAME = "ranked_list";
const RING = 11; // px from a mined point to its ring
const VEIL = 9; // px from a spared point to the end of its halo
const [LEAST, MOST] = [5, 17]; // px of a mined negative's disc: without weight, and what all of the weight adds
const ASIDE = 1.06; // radii at which the first class's arc runs
const [APART, ROOM] = [0.03, 0.12]; // radii from one class's arc to the next, and for all of them
const NO_DIRECTION = 1e-9; // a shorter mean points nowhere

/** Ranked List around the query: its two circles, the points that they mine, their weights, and the arrows.
 * @extends {SceneOverlay<SceneSeen<RankedListOverlay>>} */
export class RankedListDrawing extends SceneOverlay {
  /** @param {SceneSeen<RankedListOverlay>} seen */
  paint({ scene, settings, losses, picked, gradients }) {
    const knobs = /** @type {ListKnobs} */ (losses[NAME].knobs);
    const [query] = picked;
    const found = gradients[NAME];
    const seen = mined(scene, query, knobs);
    this.#circles(this.tools.row(scene.z, query), knobs);
    if (settings.balls) this.#balls(scene, knobs);
    /** A pull that pushes, or a push that pulls, is dotted. @param {boolean} positive @param {number} weight */
    const dash = (positive, weight) => (weight < 0 === positive ? "" : "2 4");
    /** @param {number} j */ const same = (j) => scene.y[j] === scene.y[query];
    if (found) this.edges(scene, query, scene.z, found.weights, same, dash);
    this.#marks(scene, query, seen);
    if (found) {
      const gradient = settings.arrows === "loss"
        ? found.z
        : ownGradient(scene, query, found.weights, { bothEnds: knobs.differentiated !== "query only" });
      this.tools.arrows(this.above, scene.z, gradient, -this.tools.scale(gradient));
    }
    this.#words(scene, query, seen, found);
  }

  /** The circles end at the sphere, because only points on it are meant. @param {number[]} centre @param {ListKnobs} knobs */
  #circles(centre, { alpha, margin }) {
    const { tools } = this;
    /** @type {[string, string, number, string][]} */ const sides = [
      ["negative", "α", alpha, ""],
      ["positive", "α − m", alpha - margin, "6 4"],
    ];
    const bounds = sides.map(([role, name, radius, dash]) => {
      return { role, name, radius, dash, cap: tools.cap(centre, clamp(radius, 0, 2)) };
    });
    const shell = bounds.map(({ cap }) => cap.area).join("");
    this.below.path(shell, { fill: tools.colour("query"), opacity: 0.16 });
    bounds.forEach(({ role, name, radius, dash, cap }, side) => {
      const style = { stroke: tools.colour(role), "stroke-width": 2, "stroke-dasharray": dash };
      tools.boundary(this.below, cap, style);
      const at = end(centre, radius, side ? -1 : 1);
      if (at) tools.label(tools.project(at), `${name} = ${plain(radius)}`, { colour: tools.colour(role) });
    });
  }

  /** On the circle a ball's cap runs beside it, so that it hides nothing. @param {OverlayScene} scene @param {ListKnobs} knobs */
  #balls(scene, knobs) {
    const { tools } = this;
    const classes = caps(scene, knobs);
    const apart = Math.min(APART, ROOM / classes.length);
    classes.forEach(({ label, centre, radius, outside, size }, place) => {
      const style = { stroke: tools.palette.ofClass(label).colour, "stroke-width": 3, opacity: 0.8 };
      if (!radius || !centre) return;
      const far = ASIDE + apart * place;
      if (tools.dim === 2) this.below.path(capArc(centre, radius, far), style);
      else tools.boundary(this.below, tools.cap(centre, radius), { ...style, "stroke-width": 1.5 });
      const { x, y } = tools.project(centre);
      const words = `${outside} of ${size} outside`;
      tools.label({ x: x * far, y: y * far }, words, { colour: style.stroke, italic: true });
    });
  }

  /** @param {OverlayScene} scene @param {number} query @param {Mined} mined */
  #marks({ n, z, y }, query, { d, far, near, shares }) {
    const { tools } = this;
    for (let j = 0; j < n; j += 1) {
      const { x, y: up, front } = tools.project(tools.row(z, j));
      if (j === query) continue;
      const opacity = front ? 1 : 0.4;
      if (near[j]) {
        const r = tools.pixels(LEAST + MOST * Math.sqrt(shares[j]));
        this.below.dot({ x, y: up }, r, { fill: tools.colour("negative"), opacity: 0.3 * opacity });
      }
      if (far[j] || near[j]) {
        const stroke = tools.colour(y[j] === y[query] ? "positive" : "negative");
        this.above.dot({ x, y: up }, tools.pixels(RING), { stroke, "stroke-width": 1.8, opacity });
      } else if (d[j]) this.above.dot({ x, y: up }, tools.pixels(VEIL), { fill: tools.palette.paper, opacity: 0.6 });
    }
  }

  /** @param {OverlayScene} scene @param {number} query @param {Mined} mined @param {LossGradient | null} found */
  #words({ n, y }, query, { far, near, shares }, found) {
    /** @param {boolean[]} of */ const count = (of) => of.filter(Boolean).length;
    const own = y.filter((label) => label === y[query]).length - 1;
    const push = count(near) ? `, the nearest with ${fixed(Math.max(...shares))} of the push` : "";
    const pulls = `#${query} pulls ${count(far)} of ${own} positives`;
    const pushes = `pushes ${count(near)} of ${n - 1 - own} negatives${push}`;
    this.tools.note(`${pulls} and ${pushes}.${found ? ` Loss of the batch ${plain(found.value)}.` : ""}`);
  }
}

/** The points that the query mines: {d, far, near, shares}, each of n; `far` are positives, `near` negatives, shares of the push.
 * @param {OverlayScene} scene @param {number} query @param {ListKnobs} knobs */
export function mined({ n, z, y, dim }, query, { alpha, margin, temperature }) {
  const own = row(z, query, dim);
  const d = Array.from({ length: n }, (_, j) => length(minus(row(z, j, dim), own)));
  const far = d.map((x, j) => j !== query && y[j] === y[query] && x > alpha - margin);
  const near = d.map((x, j) => y[j] !== y[query] && x < alpha);
  const least = Math.min(...d.filter((_, j) => near[j]));
  const terms = d.map((x, j) => (near[j] ? Math.exp(-temperature * (x - least)) : 0));
  const sum = terms.reduce((a, b) => a + b, 0);
  return { d, far, near, shares: terms.map((term) => (sum ? term / sum : 0)) };
}

/** Of each class, where the ball of diameter alpha - m cuts the sphere: {label, centre, radius, outside, size}.
 * @param {OverlayScene} scene @param {ListKnobs} knobs */
export function caps({ n, z, y, dim }, { alpha, margin }) {
  const half = Math.asin(clamp((alpha - margin) / 2, 0, 1));
  const radius = 2 * Math.sin(half / 2);
  const labels = [...new Set(y)].sort((a, b) => a - b);
  return labels.map((label) => {
    const members = Array.from({ length: n }, (_, i) => i).filter((i) => y[i] === label);
    const sum = Array.from({ length: dim }, (_, k) => members.reduce((a, i) => a + z[i * dim + k], 0));
    const long = length(sum);
    const centre = long > NO_DIRECTION * members.length ? times(1 / long, sum) : null;
    /** @param {number} i */ const away = (i) => length(minus(centre, row(z, i, dim)));
    /** @param {number} i */
    const inside = (i) => alpha >= margin && (half >= Math.PI / 2 || (centre !== null && away(i) <= radius + 1e-12));
    return { label, centre, radius, outside: members.filter((i) => !inside(i)).length, size: members.length };
  });
}

// Where a circle around a point ends on the sphere, to one side of it; null where it does not.
/** @param {number[]} centre @param {number} radius @param {number} side */
function end(centre, radius, side) {
  if (radius <= 0 || radius >= 2) return null;
  const angle = side * 2 * Math.asin(radius / 2);
  const [x, y, z] = centre;
  const flat = Math.hypot(x, y);
  if (z === undefined) return [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
  const across = flat > 1e-6 ? [-y / flat, x / flat, 0] : [1, 0, 0];
  return centre.map((value, k) => Math.cos(angle) * value + Math.sin(angle) * across[k]);
}
