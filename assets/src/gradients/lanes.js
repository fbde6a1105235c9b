// Arrows along the circle would overlap: each is drawn further in, in the first lane where it is free, as
// dml_viz/explain/gradients/figures/_panel.py has it. Its direction and length stay as they are.

/** @typedef {{i: number, from: number, to: number}} Span */

export const FIRST = 0.13; // radii from the circle to the first lane
export const NEXT = 0.085; // from a lane to the next
const DEEPEST = 8; // lanes
const APART = 0.07; // radians between two arrows in a lane
const SHORTEST = 0.02; // radii: a shorter arrow needs no lane
const FULL = 2 * Math.PI;

/** The lane of each point, -1 for none, given points and arrows as drawn (units), both {x, y}.
 * @param {Places} at @param {Places} arrows */
export function lanes(at, arrows) {
  const n = at.x.length;
  const found = new Int32Array(n).fill(-1);
  /** @type {Span[]} */ const spans = [];
  for (let i = 0; i < n; i += 1) {
    const along = at.x[i] * arrows.y[i] - at.y[i] * arrows.x[i];
    if (!(Math.hypot(arrows.x[i], arrows.y[i]) > SHORTEST)) continue;
    const angle = Math.atan2(at.y[i], at.x[i]);
    const far = Math.atan(along);
    spans.push({ i, from: angle + Math.min(far, 0) - APART / 2, to: angle + Math.max(far, 0) + APART / 2 });
  }
  if (!spans.length) return found;
  const start = gap(spans);
  for (const span of spans) {
    const turn = Math.ceil((start - span.from - 1e-12) / FULL) * FULL;
    [span.from, span.to] = [span.from + turn, span.to + turn];
  }
  spans.sort((a, b) => a.from - b.from || a.i - b.i);
  /** @type {number[]} */ const ends = [];
  for (const { i, from, to } of spans) {
    let lane = ends.findIndex((end) => end <= from);
    if (lane < 0) lane = Math.min(ends.length, DEEPEST - 1);
    ends[lane] = Math.max(ends[lane] ?? -Infinity, to);
    found[i] = lane;
  }
  return found;
}

/** How far from the centre a lane is, in radii. @param {number} lane */
export function radius(lane) {
  return 1 - FIRST - NEXT * lane;
}

/** The lanes begin after the widest gap of the circle. @param {Span[]} spans */
function gap(spans) {
  const starts = spans.map(({ from }) => ((from % FULL) + FULL) % FULL).sort((a, b) => a - b);
  let [best, widest] = [starts[0], -1];
  starts.forEach((start, k) => {
    const before = k ? starts[k - 1] : starts.at(-1) - FULL;
    if (start - before > widest + 1e-9) [best, widest] = [start, start - before];
  });
  return best;
}
