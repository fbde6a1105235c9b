import { SceneOverlay } from "./overlay.js";
import { pair } from "../caps.js";
import { FAR } from "../tools.js";
import { dot, length, minus, plus, row, times } from "../../draw/rows.js";

/** @typedef {{alpha: number, form: string}} AngularKnobs */
/** @typedef {{angular: AngularKnobs, triplet: Record<string, unknown>, both: boolean}} AngularSettings */
/** @typedef {ReturnType<typeof construct>} Triangle */

const LONGEST = 0.5; // units, of both losses' arrows
const WIDE = 4.5; // px of the angular loss's arrow, under the triplet's
const NARROW = 1.9;
const CLOSE = 10; // px between x_c and x_m within which one label is enough
const ROOM = 1.15; // units from the centre that the picture shows
const SMALLEST = 1e-9; // a vector shorter than this has no direction, a smaller angle is a rounding error
const TIE = 1e-12; // a smaller violation is a rounding error
const UNSET = -1;
const LABELS = Int32Array.from([0, 0, 1]); // of anchor, positive and negative
const [ANGULAR, TRIPLET] = ["#009E73", "#AA4499"];

/** The triangle of anchor, positive and negative: the circle around the pair's middle, x_m, where on the sphere the bound is
 * broken, and where both losses move the three points.
 *
 * `settings` has the knobs of both losses, and `both` for the triplet's two orders.
 * @extends {SceneOverlay<SceneSeen<AngularSettings>>} */
export class AngularDrawing extends SceneOverlay {
  /** @param {SceneSeen<AngularSettings>} seen */ paint({ scene, settings, picked, gradient }) {
    const { tools } = this;
    if (picked.includes(UNSET)) {
      tools.note("No triangle: the anchor needs a point of its class, and one of another.");
      return;
    }
    const rows = picked.map((point) => tools.row(scene.z, point));
    const triangle = construct(rows, settings.angular.alpha);
    this.#lines(triangle);
    this.#words(triangle, settings.angular.alpha);
    if (gradient) this.#arrows(rows, both({ gradient }, rows, settings, scene.dim));
  }

  /** @param {Triangle} triangle */ #lines(triangle) {
    const { tools } = this;
    const { rows, centre, touch, broken } = triangle;
    const [a, p, n] = rows;
    /** @param {number[]} from @param {number[]} to @param {Drawing} style */
    const line = (from, to, style) => this.below.path(tools.chord(from, to), style);
    const { ink, quiet, positive, negative } = tools.palette;
    if (broken) {
      const part = tools.cap(broken.centre, broken.radius);
      const dots = { stroke: negative, "stroke-dasharray": "2 5", "stroke-width": tools.dim === 2 ? 5 : 2 };
      if (tools.dim === 3) this.below.path(part.area, { fill: negative, opacity: 0.1 });
      tools.boundary(this.below, { ...part, edge: part.front }, dots);
    }
    this.below.path(this.#half(triangle, 1), { stroke: ink });
    const outermost = length(minus(centre, times(triangle.radius, triangle.inwards)));
    const dashes = { stroke: ink, opacity: FAR, "stroke-dasharray": "4 3" };
    if (outermost < ROOM) this.below.path(this.#half(triangle, -1), dashes);
    line(a, n, { stroke: quiet });
    line(p, n, { stroke: quiet });
    line(a, p, { stroke: positive, "stroke-width": 2.5 });
    line(n, centre, { stroke: ink, "stroke-width": 2 });
    line(centre, touch, { stroke: ink, "stroke-width": 2 });
    line(touch, n, { stroke: ink, "stroke-width": 2 });
  }

  // Half of the circle around x_c in the triangle's plane, which is tilted in the ball; x_m is on the inner half.
  /** @param {Triangle} triangle @param {number} side */
  #half({ centre, radius, along, inwards }, side) {
    if (!(radius > SMALLEST)) return "";
    /** @param {number} angle */ const at = (angle) => {
      const [c, s] = [radius * Math.cos(angle), side * radius * Math.sin(angle)];
      const { x, y } = this.tools.project(centre.map((value, k) => value + c * along[k] + s * inwards[k]));
      return pair(x, y);
    };
    return `M${Array.from({ length: 37 }, (_, k) => at((k * Math.PI) / 36)).join("L")}`;
  }

  /** @param {Triangle} triangle @param {number} alpha */ #words({ centre, touch, angle }, alpha) {
    const { tools } = this;
    const { ink } = tools.palette;
    const [c, m] = [tools.project(centre), tools.project(touch)];
    this.below.dot(c, tools.pixels(4), { fill: ink });
    this.below.dot(m, tools.pixels(3.5), { fill: ink });
    tools.label(c, "x_c", { colour: ink, italic: true, towards: [-c.x, -c.y] });
    const apart = [m.x - c.x, m.y - c.y];
    const together = Math.hypot(...apart) < tools.pixels(CLOSE);
    if (!together) tools.label(m, "x_m", { colour: ink, italic: true, towards: apart });
    if (angle === null) {
      tools.note("n′ is undefined: the three are one point. The bound is not broken, and neither loss has a gradient.");
      return;
    }
    const [sign, verdict] = angle <= alpha + SMALLEST ? ["≤", "the bound holds"] : [">", "the bound is broken"];
    tools.note(`n′ = ${angle.toFixed(1)}° ${sign} α = ${alpha}°: ${verdict}.`);
    tools.note("Dotted: where it is broken. Wide, green: the angular loss. Narrow, purple: the triplet loss.");
  }

  /** @param {number[][]} rows @param {number[][][]} pushes */ #arrows(rows, pushes) {
    const { tools } = this;
    const flat = Float64Array.from(pushes.flat(2), (value) => (Math.abs(value) > SMALLEST ? value : 0));
    const scale = -tools.scale(flat, LONGEST);
    const at = Float64Array.from(rows.flat());
    pushes.forEach((push, loss) => {
      const style = { stroke: loss ? TRIPLET : ANGULAR, "stroke-width": loss ? NARROW : WIDE };
      tools.arrows(this.above, at, Float64Array.from(push.flat()), scale, style);
    });
  }
}

/** Of rows [x_a, x_p, x_n]: the pair's middle, the circle's radius and its axes, along the pair and towards the sphere's centre,
 * x_m, n' in degrees (null where all three are one point), and the cap in which a negative breaks the bound (null where there is
 * none).
 * @param {number[][]} rows @param {number} alpha */
export function construct(rows, alpha) {
  const [a, p, n] = rows;
  const centre = a.map((value, k) => (value + p[k]) / 2);
  const radius = length(minus(p, a)) / 2;
  const away = minus(n, centre);
  /** @type {number[][]} */ const axes = [];
  for (const wanted of [minus(p, a), away, centre, ...a.map((_, k) => a.map((_, j) => Number(j === k)))]) {
    const rest = axes.reduce((left, axis) => minus(left, times(dot(left, axis), axis)), wanted);
    if (axes.length < 2 && length(rest) > SMALLEST) axes.push(times(1 / length(rest), rest));
  }
  const along = axes[0];
  const inwards = dot(axes[1], centre) > 0 ? times(-1, axes[1]) : axes[1];
  // Of the two ends of the perpendicular, x_m is the one nearer to the sphere's centre, else the one at the positive.
  const [u, v] = length(away) > SMALLEST ? [dot(away, along), dot(away, inwards)] : [0, -1];
  const across = plus(times(-v, along), times(u, inwards));
  const aside = Math.abs(dot(across, centre)) > SMALLEST ? -dot(across, centre) : dot(across, along);
  const touch = plus(centre, times((Math.sign(aside) * radius) / Math.hypot(u, v), across));
  const broken = cap(centre, radius / Math.tan((alpha * Math.PI) / 180));
  const point = radius < SMALLEST && length(away) < SMALLEST;
  const angle = point ? null : (Math.atan2(radius, length(away)) * 180) / Math.PI;
  return { rows, centre, radius, along, inwards, touch, broken, angle };
}

/** The part of the sphere within `reach` of a point inside the ball. @param {number[]} inside @param {number} reach */
function cap(inside, reach) {
  const depth = length(inside);
  if (depth < SMALLEST) return reach > 1 ? { centre: inside.map((_, k) => Number(k === 0)), radius: 2 } : null;
  const cosine = (1 + depth * depth - reach * reach) / (2 * depth);
  return cosine < 1 ? { centre: times(1 / depth, inside), radius: Math.sqrt(2 - 2 * Math.max(cosine, -1)) } : null;
}

/** The gradients along the sphere of the angular and of the triplet loss at rows [x_a, x_p, x_n], three each.
 * @param {{gradient: LossGradientOf}} losses @param {number[][]} rows @param {AngularSettings} settings @param {number} dim */
export function both({ gradient }, rows, { angular, triplet, both: orders }, dim) {
  const batch = { n: 3, dim, z: Float64Array.from(rows.flat()), y: LABELS, learnt: {} };
  const form = angular.form === "N-pair" ? "logistic" : angular.form;
  const ofAngular = gradient("angular", batch, { ...angular, form });
  if (form === "hinge" && ofAngular.value <= TIE) ofAngular.z.fill(0);
  // Without the margin's last digits, so that an order at its margin is off whatever the rounding.
  const margin = Number(triplet.margin) - TIE;
  const ofTriplet = gradient("triplet", batch, { ...triplet, margin, mining: "all", reduction: "all" });
  /** @param {LossGradient} gradient */ const three = ({ z }) => [0, 1, 2].map((k) => row(z, k, dim));
  return [three(ofAngular), orders ? three(ofTriplet) : oneOrder(rows, ofTriplet.weights)];
}

// The anchor's own row of the pair weights is its triplet; the mean of the batch is over two.
/** @param {number[][]} rows @param {Float64Array} weights */ function oneOrder(rows, weights) {
  const [, toPositive, toNegative] = Array.from(weights.subarray(0, 3), (weight) => 2 * weight);
  const [a, p, n] = rows;
  const chords = [plus(times(toPositive, p), times(toNegative, n)), times(toPositive, a), times(toNegative, a)];
  return chords.map((chord, k) => minus(chord, times(dot(chord, rows[k]), rows[k])));
}
