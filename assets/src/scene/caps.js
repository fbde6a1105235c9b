// Caps, arcs and chords of the circle and of the sphere as SVG path data, in units of its radius, y up.

import { greatArc, perpendicular } from "../draw/sphere.js";

/** @typedef {Place & {depth: number}} Spot */
/** @typedef {Cap & {first?: Spot, last?: Spot, whole?: "front" | "back"}} Line */

const SAMPLES = 96;
const FINEST = Math.PI / 60; // radians between two points of an arc
/** @type {Cap} */ const NOTHING = { front: "", back: "", area: "" };
const DISC = "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z";
const FULL = 2 * Math.PI;

/** The points of the circle within Euclidean distance `radius` of a unit vector: the arc, and the lens it cuts off.
 * @param {number[]} centre @param {number} radius @returns {Cap} */
export function arcCap(centre, radius) {
  if (radius <= 0) return NOTHING;
  if (radius >= 2) return { front: DISC, back: "", area: DISC, edge: "" };
  const front = capArc(centre, radius);
  const begin = front.slice(1, front.indexOf("A"));
  const area = `${front}A${short(radius)} ${short(radius)} 0 0 1 ${begin}Z`;
  return { front, back: "", area, edge: area };
}

/** The arc of such a cap, drawn so many radii from the middle. @param {number[]} centre @param {number} radius */
export function capArc([x, y], radius, far = 1) {
  const [half, angle] = [2 * Math.asin(radius / 2), Math.atan2(y, x)];
  return `M${at(angle - half, far)}A${far} ${far} 0 ${half > Math.PI / 2 ? 1 : 0} 1 ${at(angle + half, far)}`;
}

/** The same of the sphere as a camera sees it: its boundary before and behind the limb, and its visible area.
 * @param {number[]} centre @param {number} radius @param {Camera} camera @returns {Cap} */
export function cap(centre, radius, camera) {
  if (radius <= 0) return NOTHING;
  if (radius >= 2) return { front: "", back: "", area: DISC };
  const half = 2 * Math.asin(radius / 2);
  const seen = camera.project(boundary(centre, half));
  const { front, back, first, last, whole } = split(seen);
  const [c] = rowsOf(camera.project(centre));
  if (whole === "back") return { front, back, area: c.depth >= Math.cos(half) ? DISC : "" };
  // A cap of more than half the sphere, seen from behind, is all but what its boundary encloses.
  if (whole === "front") return { front, back, area: half > Math.PI / 2 ? `${DISC}${front}Z` : `${front}Z` };
  const [begin, end] = [angleOf(last), angleOf(first)];
  const ahead = (((end - begin) % FULL) + FULL) % FULL;
  const middle = begin + ahead / 2;
  const forward = c.x * Math.cos(middle) + c.y * Math.sin(middle) >= Math.cos(half);
  const large = (forward ? ahead : FULL - ahead) > Math.PI ? 1 : 0;
  return { front, back, area: `${front}A1 1 0 ${large} ${forward ? 1 : 0} ${at(end)}Z` };
}

/** The shorter arc of the circle between two unit vectors. @param {number[]} given @param {number[]} given @returns {Cap} */
export function arc([x, y], [u, v]) {
  const turn = Math.atan2(x * v - y * u, x * u + y * v);
  return { front: `M${pair(x, y)}A1 1 0 0 ${turn > 0 ? 1 : 0} ${pair(u, v)}`, back: "" };
}

/** The shorter arc of a great circle between two unit vectors, before and behind the limb.
 * @param {number[]} a @param {number[]} b @param {Camera} camera @returns {Cap} */
export function greatCircle(a, b, camera) {
  const { front, back } = split(camera.project(greatArc(a, b, FINEST).flat()));
  return { front, back };
}

/** A point as path data has it. @param {number} x @param {number} y */
export function pair(x, y) {
  return `${short(x)} ${short(y)}`;
}

/** @param {number} angle */ function at(angle, far = 1) {
  return pair(far * Math.cos(angle), far * Math.sin(angle));
}

/** @param {number} value */ function short(value) {
  return value.toFixed(4);
}

/** @param {Place} at */ function angleOf({ x, y }) {
  return Math.atan2(y, x);
}

/** @param {number[]} centre @param {number} half */ function boundary(centre, half) {
  const u = perpendicular(centre);
  const [cx, cy, cz] = centre;
  const v = [cy * u[2] - cz * u[1], cz * u[0] - cx * u[2], cx * u[1] - cy * u[0]];
  const [cosine, sine] = [Math.cos(half), Math.sin(half)];
  return Array.from({ length: SAMPLES + 1 }, (_, k) => {
    const [a, b] = [Math.cos((FULL * k) / SAMPLES), Math.sin((FULL * k) / SAMPLES)];
    return centre.map((value, i) => cosine * value + sine * (a * u[i] + b * v[i]));
  }).flat();
}

/** @param {{x: Float32Array, y: Float32Array, depth: Float32Array}} seen @returns {Spot[]} */
function rowsOf({ x, y, depth }) {
  return Array.from(x, (value, i) => ({ x: value, y: y[i], depth: depth[i] }));
}

// A line cut at the limb. Of a closed line that crosses the limb, `first` and `last` are the ends of the part in front.
/** @param {Parameters<typeof rowsOf>[0]} seen @returns {Line} */ function split(seen) {
  let points = rowsOf(seen);
  /** @param {{depth: number}} spot */ const inFront = ({ depth }) => depth >= 0;
  if (points.every(inFront)) return { front: path(points), back: "", whole: "front" };
  if (!points.some(inFront)) return { front: "", back: path(points), whole: "back" };
  const [start, end] = [points[0], points.at(-1)];
  const closed = Math.hypot(start.x - end.x, start.y - end.y, start.depth - end.depth) < 1e-6;
  if (closed) {
    const round = points.slice(0, -1);
    const enters = round.findIndex((point, k) => inFront(point) && !inFront(round.at(k - 1)));
    const limb = crossing(round.at(enters - 1), round[enters]);
    points = [limb, ...round.slice(enters), ...round.slice(0, enters), limb];
  }
  /** @type {Record<"front" | "back", Spot[][]>} */ const parts = { front: [], back: [] };
  let part = [points[0]];
  let before = inFront(points[0]);
  for (let k = 1; k < points.length; k += 1) {
    const now = k === points.length - 1 && closed ? before : inFront(points[k]);
    if (now !== before) {
      const limb = crossing(points[k - 1], points[k]);
      parts[before ? "front" : "back"].push([...part, limb]);
      part = [limb];
    }
    part.push(points[k]);
    before = now;
  }
  parts[before ? "front" : "back"].push(part);
  const [line] = parts.front;
  const [front, back] = [parts.front, parts.back].map((runs) => runs.map(path).join(""));
  return { front, back, first: line?.[0], last: line?.at(-1) };
}

/** @param {Spot} a @param {Spot} b */ function crossing(a, b) {
  const t = a.depth === b.depth ? 0.5 : a.depth / (a.depth - b.depth);
  const [x, y] = [a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)];
  const length = Math.hypot(x, y) || 1;
  return { x: x / length, y: y / length, depth: 0 };
}

/** @param {Spot[]} points */ function path(points) {
  return points.map(({ x, y }, k) => `${k ? "L" : "M"}${pair(x, y)}`).join("");
}
