// The unit sphere seen from afar: our own orthographic projection, so that it stays vector art and needs no WebGL.

import { dot, length, minus, plus, times } from "./rows.js";

const DEGREE = Math.PI / 180;
const RIGHT_ANGLE = Math.PI / 2;
const LINE_STEP = Math.PI / 36;
/** The depth down to which a point is in front. */
export const LIMB = -0.02;

/** The side from which the sphere is seen. */
export class Camera {
  turn = 0.6;
  tilt = 0.45;

  /** Turn and tilt in whole degrees, as links have them. */
  get text() {
    return `${((Math.round(this.turn / DEGREE) % 360) + 360) % 360}_${Math.round(this.tilt / DEGREE)}`;
  }

  set text(text) {
    [this.turn, this.tilt] = text.split("_").map((degrees) => Number(degrees) * DEGREE);
  }

  /** Turns the sphere under the pointer by angles in radians. @param {number} right @param {number} down */
  rotate(right, down) {
    this.turn -= right;
    this.tilt = Math.max(-RIGHT_ANGLE, Math.min(RIGHT_ANGLE, this.tilt + down));
  }

  /** What makes a row screen x, screen y and depth: the columns of a matrix, one after the other. */
  get matrix() {
    const [ct, st, ce, se] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    return [ct, -se * st, ce * st, st, se * ct, -ce * ct, 0, ce, se];
  }

  /** Rows (n, 3) as screen x, screen y and depth towards the viewer. @param {ArrayLike<number>} points */
  project(points) {
    const n = points.length / 3;
    const seen = { x: new Float32Array(n), y: new Float32Array(n), depth: new Float32Array(n) };
    const [ct, st, ce, se] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    for (let i = 0; i < n; i += 1) {
      const [x, y, z] = [points[3 * i], points[3 * i + 1], points[3 * i + 2]];
      const forward = st * x - ct * y;
      seen.x[i] = ct * x + st * y;
      seen.y[i] = ce * z - se * forward;
      seen.depth[i] = ce * forward + se * z;
    }
    return seen;
  }

  // The point that is seen at screen x and y, and at that depth, as [x, y, z].
  /** @param {number} right @param {number} up @param {number} depth */
  unproject(right, up, depth) {
    const [ct, st, ce, se] = [Math.cos(this.turn), Math.sin(this.turn), Math.cos(this.tilt), Math.sin(this.tilt)];
    const forward = ce * depth - se * up;
    return [ct * right + st * forward, st * right - ct * forward, ce * up + se * depth];
  }
}

/** Where rows of `width` numbers are seen, in units, by the `camera` of a sphere or, in the plane, by none.
 * @param {ArrayLike<number>} rows @param {number} width @param {Camera | null} camera @returns {SeenRows} */
export function projected(rows, width, camera) {
  if (camera) {
    const { x, y, depth } = camera.project(rows);
    return { x, y, front: Uint8Array.from(depth, (value) => Number(value >= LIMB)) };
  }
  const n = rows.length / width;
  /** @param {number} k */ const column = (k) => Float64Array.from({ length: n }, (_, i) => rows[width * i + k]);
  return { x: column(0), y: column(1), front: new Uint8Array(n).fill(1) };
}

/** Where one row is seen, in units. @param {number[]} row @param {Camera | null} camera */
export function seenAt([x, y, z = 0], camera) {
  if (!camera) return { x, y, front: true };
  const seen = camera.project([x, y, z]);
  return { x: seen.x[0], y: seen.y[0], front: seen.depth[0] >= LIMB };
}

/** Rows along the shorter great circle from one unit row to another, both included, at most `finest` radians apart.
 * @param {number[]} from @param {number[]} to @param {number} finest */
export function greatArc(from, to, finest) {
  const cosine = dot(from, to);
  const across = minus(to, times(cosine, from));
  const sine = length(across);
  const side = sine > 1e-9 ? times(1 / sine, across) : perpendicular(from);
  const angle = Math.atan2(sine, cosine);
  const pieces = Math.max(1, Math.ceil(angle / finest));
  return Array.from({ length: pieces + 1 }, (_, k) => {
    const turn = (angle * k) / pieces;
    return plus(times(Math.cos(turn), from), times(Math.sin(turn), side));
  });
}

/** A unit vector across one, and across the axis in which that is smallest. @param {number[]} vector */
export function perpendicular([x, y, z = 0]) {
  const across = Math.abs(z) < 0.7 ? [-y, x, 0] : [0, -z, y];
  return times(1 / length(across), across);
}

/** Meridians and parallels, every 30 degrees, as rows (n, 3); NaN between lines. */
const GRATICULE = Float32Array.from([
  ...Array.from({ length: 6 }, (_, k) => line((t) => spherical((k * Math.PI) / 6, t), 2 * Math.PI)),
  ...[-60, -30, 0, 30, 60].map((degrees) => line((t) => spherical(t, (degrees * Math.PI) / 180), 2 * Math.PI)),
].flat(2));

/** The graticule's half that faces the viewer and the half behind, each {x, y}. @param {Camera} camera */
export function graticule(camera) {
  const { x, y, depth } = camera.project(GRATICULE);
  /** @param {number} sign */ const half = (sign) => ({
    x: x.map((value, i) => (depth[i] * sign >= 0 ? value : NaN)),
    y: y.map((value, i) => (depth[i] * sign >= 0 ? value : NaN)),
  });
  return { front: half(1), back: half(-1) };
}

/** @param {number} longitude @param {number} latitude */ function spherical(longitude, latitude) {
  const c = Math.cos(latitude);
  return [c * Math.cos(longitude), c * Math.sin(longitude), Math.sin(latitude)];
}

/** @param {(t: number) => number[]} at @param {number} length @returns {number[][]} */
function line(at, length) {
  const points = [];
  for (let t = 0; t <= length + 1e-9; t += LINE_STEP) points.push(at(t));
  return [...points, [NaN, NaN, NaN]];
}
