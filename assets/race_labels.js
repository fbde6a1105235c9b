/** Heights near `wanted` (NaN where there is no label), at least `line` apart and between `top` and `bottom`. */
export function placed(wanted, line, top, bottom) {
  const order = wanted.map((_, k) => k).filter((k) => Number.isFinite(wanted[k]));
  order.sort((a, b) => wanted[a] - wanted[b]);
  const apart = order.length > 1 ? Math.min(line, (bottom - top) / (order.length - 1)) : line;
  const heights = wanted.map(() => NaN);
  let below = -Infinity;
  for (const k of order) {
    heights[k] = Math.max(wanted[k], top, below + apart);
    below = heights[k];
  }
  let above = bottom + apart;
  for (const k of [...order].reverse()) {
    heights[k] = Math.min(heights[k], above - apart);
    above = heights[k];
  }
  return heights;
}
