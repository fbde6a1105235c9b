// Lines that lie on each other are drawn as stripes of their colours, so that each is seen where it is.

/** @typedef {{points: Measured[], dash: string, offset: number}} Piece */

const STRIPE = 9; // pixels

/** Notes on the points of lines at one step, as `[line, point]`, which lines are at the same place; null on those alone there.
 * @param {[number, Measured][]} now */
export function meet(now) {
  /** @type {Map<string, number[]>} */ const there = new Map();
  for (const [k, { line }] of now) there.set(line, [...(there.get(line) ?? []), k]);
  for (const [, point] of now) {
    const lines = there.get(point.line);
    point.among = lines.length > 1 ? lines : null;
  }
}

/** The pieces of line `k` through `points`, and the dashes of each; "" where it is alone.
 * @param {Measured[]} points @param {number} k @returns {Piece[]} */
export function pieces(points, k) {
  if (!points.some(({ among }) => among)) return [{ points, dash: "", offset: 0 }];
  /** @type {Piece[]} */ const found = [];
  let before = null;
  for (let i = 1; i < points.length; i += 1) {
    const [from, to] = [points[i - 1], points[i]];
    const lines = from.among && to.among ? from.among.filter((one) => to.among.includes(one)) : [k];
    const name = lines.join();
    if (name !== before) {
      const dash = lines.length > 1 ? `${STRIPE} ${STRIPE * (lines.length - 1)}` : "";
      found.push({ points: [from], dash, offset: -STRIPE * Math.max(0, lines.indexOf(k)) });
    }
    found.at(-1).points.push(to);
    before = name;
  }
  return found;
}

/** The points of line `k` that are marked: where several lines are at one place, each marks its turn.
 * @param {Measured[]} points @param {number} k */
export function marked(points, k) {
  return points.filter(({ among }, i) => !among || among[i % among.length] === k);
}
