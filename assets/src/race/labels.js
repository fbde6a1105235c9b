/** Heights as near `wanted` (NaN where there is no label) as they can be `line` apart, in order, between `top` and `bottom`.
 * @param {number[]} wanted @param {number} line @param {number} top @param {number} bottom */
export function placed(wanted, line, top, bottom) {
  const order = wanted.map((_, k) => k).filter((k) => Number.isFinite(wanted[k]));
  order.sort((a, b) => wanted[a] - wanted[b]);
  const apart = order.length > 1 ? Math.min(line, (bottom - top) / (order.length - 1)) : line;
  // Labels that would overlap form one block around the mean of their wanted places.
  /** @type {{sum: number, size: number}[]} */ const blocks = [];
  order.forEach((k, place) => {
    let block = { sum: wanted[k] - place * apart, size: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).size >= block.sum / block.size) {
      const { sum, size } = blocks.pop();
      block = { sum: sum + block.sum, size: size + block.size };
    }
    blocks.push(block);
  });
  const lowest = bottom - (order.length - 1) * apart;
  const shifts = blocks.flatMap(({ sum, size }) => Array(size).fill(Math.min(Math.max(sum / size, top), lowest)));
  const heights = wanted.map(() => NaN);
  order.forEach((k, place) => (heights[k] = shifts[place] + place * apart));
  return heights;
}

/** The place of letter `k` of `count` on its line, `points` ({x, y}, x rising): a letter every `wide` pixels, so that no two are
 * above one another, between `from` and `to`.
 * @param {Place[]} points @param {number} k @param {number} count @param {number} wide @param {number} from @param {number} to */
export function lettered(points, k, count, wide, from, to) {
  const period = count * wide;
  const first = points[0]?.x ?? Infinity;
  const last = Math.min(to, points.at(-1)?.x ?? -Infinity);
  const places = [];
  for (let x = from + (k + 0.5) * wide; x <= last; x += period) {
    if (x >= first) places.push({ x, y: heightAt(points, x) });
  }
  return places;
}

/** The points of a line that are at least `room` pixels from both their neighbours.
 * @template {Place} P @param {P[]} points @param {number} room @returns {P[]} */
export function spaced(points, room) {
  /** @param {Place} one @param {Place | undefined} other */
  const far = (one, other) => !other || Math.abs(one.x - other.x) >= room;
  return points.filter((point, k) => far(point, points[k - 1]) && far(point, points[k + 1]));
}

/** @param {Place[]} points @param {number} x */ function heightAt(points, x) {
  const after = Math.max(1, points.findIndex((point) => point.x >= x));
  const [a, b] = [points[after - 1], points[after] ?? points[after - 1]];
  return b.x > a.x ? a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x) : b.y;
}
