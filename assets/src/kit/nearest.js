/** The one of `indices` with the least `cost(index)` below `limit`, the first of equals; null for none. */
export function nearest(indices, cost, limit = Infinity) {
  let [found, least] = [null, limit];
  for (const index of indices) {
    const own = cost(index);
    if (own < least) [found, least] = [index, own];
  }
  return found;
}
