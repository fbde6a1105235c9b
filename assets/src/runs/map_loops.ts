// @ts-nocheck AssemblyScript: build.mjs compiles this file into map_loops.js
/** The loops in which a neighbour map spends its time, on several numbers at once. Unless they say otherwise, their numbers are
 * floats of 8 bytes in the memory, from its first byte on. All that is summed is a multiple of a power of 1/2, so that the order of a sum does not matter:
 * x + shift - shift rounds x to such a multiple. */
export const PLACE: f64 = 1.5 * 2 ** 36; // the shift of places: multiples of 2 ** -16
const NEARNESS: f64 = 1.5 * 2 ** 20; // multiples of 2 ** -32
const FORCE: f64 = 1.5 * 2 ** 12; // multiples of 2 ** -40
const RATE: f64 = 0.4; // for each point
const MOMENTUM: f64 = 0.8;
const HALVINGS = 50; // of the interval of a point's precision

/** Writes the squared distances of n rows behind the rows, whose numbers have a byte each; a row has `width` of them, a multiple
 * of 16. The distance of a row from itself is left as it is. */
export function measure(n: usize, width: usize): void {
  const squares = n * width;
  for (let i: usize = 1; i < n; i++) {
    for (let j: usize = 0; j < i; j++) {
      let totals = i32x4.splat(0);
      for (let at: usize = 0; at < width; at += 16) {
        const one = v128.load(i * width + at);
        const other = v128.load(j * width + at);
        const low = i16x8.sub(i16x8.extend_low_i8x16_u(one), i16x8.extend_low_i8x16_u(other));
        const high = i16x8.sub(i16x8.extend_high_i8x16_u(one), i16x8.extend_high_i8x16_u(other));
        totals = i32x4.add(totals, i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)));
      }
      const left = i32x4.extract_lane(totals, 0) + i32x4.extract_lane(totals, 1);
      const square = <f64> (left + i32x4.extract_lane(totals, 2) + i32x4.extract_lane(totals, 3));
      store<f64>(squares + ((i * n + j) << 3), square);
      store<f64>(squares + ((j * n + i) << 3), square);
    }
  }
}

/** Replaces the squared distances of a point's `count` neighbours by their shares of its affinity, which have the perplexity. A
 * zero follows an odd number of distances. */
export function share(count: usize, perplexity: f64): void {
  const end = count << 3;
  let low: f64 = 0;
  let high: f64 = Infinity;
  let precision: f64 = 1;
  for (let halving = 0; halving < HALVINGS; halving++) {
    let total: f64 = 0;
    let mean: f64 = 0;
    for (let at: usize = 0; at < end; at += 16) {
      const apart = v128.load(at);
      const shares = expMinus(f64x2.mul(apart, f64x2.splat(precision)));
      const weighted = f64x2.mul(apart, shares);
      total += f64x2.extract_lane(shares, 0);
      mean += f64x2.extract_lane(weighted, 0);
      if (at + 8 < end) {
        total += f64x2.extract_lane(shares, 1);
        mean += f64x2.extract_lane(weighted, 1);
      }
    }
    mean /= total;
    if (total > perplexity * f64x2.extract_lane(expMinus(f64x2.splat(precision * mean)), 0)) low = precision;
    else high = precision;
    precision = high == Infinity ? 2 * precision : (low + high) / 2;
  }
  let total: f64 = 0;
  for (let at: usize = 0; at < end; at += 16) {
    const shares = expMinus(f64x2.mul(v128.load(at), f64x2.splat(precision)));
    v128.store(at, shares);
    total += f64x2.extract_lane(shares, 0);
    if (at + 8 < end) total += f64x2.extract_lane(shares, 1);
  }
  for (let at: usize = 0; at < end; at += 8) store<f64>(at, load<f64>(at) / total);
}

/** exp(-x) by + * / alone. Where a divisor is a power of 2, the product is as exact, and quicker. */
function expMinus(x: v128): v128 {
  const one = f64x2.splat(1);
  const y = f64x2.mul(x, f64x2.splat(1.0 / 256));
  let result = f64x2.add(one, f64x2.div(y, f64x2.splat(5)));
  result = f64x2.add(one, f64x2.mul(f64x2.mul(y, f64x2.splat(1.0 / 4)), result));
  result = f64x2.add(one, f64x2.mul(f64x2.div(y, f64x2.splat(3)), result));
  result = f64x2.add(one, f64x2.mul(f64x2.mul(y, f64x2.splat(1.0 / 2)), result));
  result = f64x2.add(one, f64x2.mul(y, result));
  result = f64x2.div(one, result);
  for (let k = 0; k < 8; k++) result = f64x2.mul(result, result);
  return result;
}

/** Moves the places of n points by so many iterations of descent with momentum. The memory holds n numbers each of x, y, the
 * velocities and the forces, and then, for the pairs of points i < j in order, what attracts them, and how near they are. */
export function descend(n: usize, iterations: i32): void {
  const end = n << 3;
  const places = end << 1; // the bytes of both numbers of all points
  const velocities = places;
  const forces = places << 1;
  const attractions = forces + places;
  const nearnesses = attractions + (n * (n - 1) << 2);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const total = near(end, nearnesses);
    memory.fill(forces, 0, places);
    push(end, forces, attractions, nearnesses, total > 0 ? 1 / (2 * total) : 1);
    for (let at: usize = 0; at < places; at += 8) {
      const downhill = RATE * <f64> n * (4 * load<f64>(forces + at));
      const velocity = MOMENTUM * load<f64>(velocities + at) - downhill + PLACE - PLACE;
      store<f64>(velocities + at, velocity);
      store<f64>(at, load<f64>(at) + velocity);
    }
  }
}

/** The sum of how near the points of each pair are. */
function near(end: usize, nearnesses: usize): f64 {
  let totals = f64x2.splat(0);
  let total: f64 = 0;
  let pair = nearnesses;
  for (let i: usize = 0; i < end; i += 8) {
    const x = f64x2.splat(load<f64>(i));
    const y = f64x2.splat(load<f64>(end + i));
    let j = i + 8;
    for (; j + 8 < end; j += 16, pair += 16) {
      const close = closeness(f64x2.sub(x, v128.load(j)), f64x2.sub(y, v128.load(end + j)));
      v128.store(pair, close);
      totals = f64x2.add(totals, rounded(close, NEARNESS));
    }
    if (j < end) {
      const close = f64x2.extract_lane(closeness(f64x2.sub(x, v128.load(j)), f64x2.sub(y, v128.load(end + j))), 0);
      store<f64>(pair, close);
      total += close + NEARNESS - NEARNESS;
      pair += 8;
    }
  }
  return total + sum(totals);
}

/** Adds the forces of all pairs of points, which repel each other by their share of all nearness. */
function push(end: usize, forces: usize, attractions: usize, nearnesses: usize, share: f64): void {
  const shares = f64x2.splat(share);
  let at: usize = 0;
  for (let i: usize = 0; i < end; i += 8) {
    const x = f64x2.splat(load<f64>(i));
    const y = f64x2.splat(load<f64>(end + i));
    let alongX = f64x2.splat(0);
    let alongY = f64x2.splat(0);
    let j = i + 8;
    for (; j + 8 < end; j += 16, at += 16) {
      const close = v128.load(nearnesses + at);
      const force = f64x2.mul(f64x2.sub(v128.load(attractions + at), f64x2.mul(close, shares)), close);
      const forceX = rounded(f64x2.mul(force, f64x2.sub(x, v128.load(j))), FORCE);
      const forceY = rounded(f64x2.mul(force, f64x2.sub(y, v128.load(end + j))), FORCE);
      alongX = f64x2.add(alongX, forceX);
      alongY = f64x2.add(alongY, forceY);
      v128.store(forces + j, f64x2.sub(v128.load(forces + j), forceX));
      v128.store(forces + end + j, f64x2.sub(v128.load(forces + end + j), forceY));
    }
    if (j < end) {
      const close = load<f64>(nearnesses + at);
      const force = (load<f64>(attractions + at) - close * share) * close;
      const forceX = force * (load<f64>(i) - load<f64>(j)) + FORCE - FORCE;
      const forceY = force * (load<f64>(end + i) - load<f64>(end + j)) + FORCE - FORCE;
      alongX = f64x2.replace_lane(alongX, 0, f64x2.extract_lane(alongX, 0) + forceX);
      alongY = f64x2.replace_lane(alongY, 0, f64x2.extract_lane(alongY, 0) + forceY);
      store<f64>(forces + j, load<f64>(forces + j) - forceX);
      store<f64>(forces + end + j, load<f64>(forces + end + j) - forceY);
      at += 8;
    }
    store<f64>(forces + i, load<f64>(forces + i) + sum(alongX));
    store<f64>(forces + end + i, load<f64>(forces + end + i) + sum(alongY));
  }
}

function closeness(dx: v128, dy: v128): v128 {
  const one = f64x2.splat(1);
  return f64x2.div(one, f64x2.add(one, f64x2.add(f64x2.mul(dx, dx), f64x2.mul(dy, dy))));
}

function rounded(values: v128, shift: f64): v128 {
  return f64x2.sub(f64x2.add(values, f64x2.splat(shift)), f64x2.splat(shift));
}

function sum(two: v128): f64 {
  return f64x2.extract_lane(two, 0) + f64x2.extract_lane(two, 1);
}
