const INNERMOST = 0.3; // of the circle's radius

/** Points on the unit circle with `rows` moved inwards, ring by ring, where they would lie on others: each `apart` from
 * the next.
 * @param {SeenRows} at @param {number[]} rows @param {number} apart */
export function stacked({ x, y, front }, rows, apart) {
  const places = { x: Float32Array.from(x), y: Float32Array.from(y), front };
  const angles = new Map(rows.map((i) => [i, Math.atan2(y[i], x[i])]));
  /** @type {{first: number, last: number}[]} */ const rings = []; // the first and the last angle that each has
  const rooms = Math.max(1, Math.floor((1 - INNERMOST) / apart));
  for (const i of rows.toSorted((one, other) => angles.get(one) - angles.get(other))) {
    const angle = angles.get(i);
    /** @param {number} ring */ const free = (ring) => {
      if (!rings[ring]) return true;
      const wide = apart / (1 - ring * apart);
      const { first, last } = rings[ring];
      return angle - last >= wide && first + 2 * Math.PI - angle >= wide;
    };
    let ring = 0;
    while (ring < rooms - 1 && !free(ring)) ring += 1;
    rings[ring] = { first: rings[ring]?.first ?? angle, last: angle };
    places.x[i] = x[i] * (1 - ring * apart);
    places.y[i] = y[i] * (1 - ring * apart);
  }
  return places;
}
