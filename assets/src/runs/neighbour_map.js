/** The places of points in a neighbour map, equal to those of dml_viz/embedding/neighbour_map.py to the last bit, which says how.
 * It names nothing outside itself: a worker is made of its text.
 * @param {string} code the loops of map_loops.ts, compiled, in base 64 */
export function kernel(code) {
  const PERPLEXITY = 8;
  const NEIGHBOURS = 24; // of each point, which attract it
  const [FIRST, LATER] = [800, 120]; // iterations of the first frame, and of each frame after it
  const [EXAGGERATED, EXAGGERATION] = [150, 4];
  const [AGAIN, LARGER] = [50, 2];
  const SPREAD = 0.03;
  const POWERS = 60;
  const LANES = 16; // numbers of a row that are compared at once
  const PAGE = 2 ** 16; // the bytes by which a memory grows
  const loops = new WebAssembly.Instance(
    new WebAssembly.Module(Uint8Array.from(atob(code), (letter) => letter.charCodeAt(0))),
  ).exports;
  const memory = /** @type {WebAssembly.Memory} */ (loops.memory);
  const measure = /** @type {(n: number, width: number) => void} */ (loops.measure);
  const share = /** @type {(count: number, perplexity: number) => void} */ (loops.share);
  const descend = /** @type {(n: number, iterations: number) => void} */ (loops.descend);
  const PLACE = /** @type {WebAssembly.Global} */ (loops.PLACE).value;
  /** @param {number} power */ const shiftOf = (power) => 1.5 * 2 ** (52 - power);
  const [DIRECTION, COVARIANCE] = [20, 22].map(shiftOf);

  /** Places (n, 2) of whole rows (n, d) in a frame that begins at the places `before`; null for a first frame.
   * @param {Uint8Array} rows @param {number} n @param {number} d @param {Float64Array | null} before */
  function placesOf(rows, n, d, before) {
    const attraction = affinities(rows, n, d);
    if (before) return settled(attraction, 1, settled(attraction, LARGER, before, n, AGAIN), n, LATER - AGAIN);
    const early = settled(attraction, EXAGGERATION, firstPlaces(rows, n, d), n, EXAGGERATED);
    return settled(attraction, 1, early, n, FIRST - EXAGGERATED);
  }

  /** The symmetric affinities of the pairs of points i < j, in order.
   * @param {Uint8Array} rows @param {number} n @param {number} d */
  function affinities(rows, n, d) {
    const result = new Float64Array(n * (n - 1) / 2);
    if (n < 2) return result;
    const directed = new Float64Array(n * n);
    const squares = distances(rows, n, d);
    let sum = 0;
    for (const square of squares) sum += square;
    const scale = sum / (n * (n - 1)) || 1;
    const most = Math.min(NEIGHBOURS, n - 1);
    const target = Math.min(PERPLEXITY, Math.max((n - 1) / 3, 1));
    const shares = numbers(most + 1);
    const nearest = new Float64Array(most); // a distance and then a number: whole, and each another
    for (let i = 0; i < n; i += 1) {
      nearest.fill(Infinity);
      for (let j = 0; j < n; j += 1) {
        const key = squares[i * n + j] * n + j;
        if (j === i || key > nearest[most - 1]) continue;
        let place = most - 1;
        for (; place > 0 && nearest[place - 1] > key; place -= 1) nearest[place] = nearest[place - 1];
        nearest[place] = key;
      }
      const [least] = nearest;
      for (let k = 0; k < most; k += 1) shares[k] = (Math.floor(nearest[k] / n) - Math.floor(least / n)) / scale;
      shares[most] = 0;
      share(most, target);
      for (let k = 0; k < most; k += 1) directed[i * n + nearest[k] % n] = shares[k];
    }
    for (let i = 0, pair = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1, pair += 1) result[pair] = (directed[i * n + j] + directed[j * n + i]) / (2 * n);
    }
    return result;
  }

  /** The squared distances (n, n) of rows. @param {Uint8Array} rows @param {number} n @param {number} d */
  function distances(rows, n, d) {
    const width = Math.ceil(d / LANES) * LANES;
    const begin = n * width / 8;
    const values = numbers(begin + n * n).fill(0);
    const bytes = new Uint8Array(values.buffer);
    for (let i = 0; i < n; i += 1) bytes.set(rows.subarray(i * d, (i + 1) * d), i * width);
    measure(n, width);
    return values.slice(begin);
  }

  /** @param {Uint8Array} rows @param {number} n @param {number} d */
  function firstPlaces(rows, n, d) {
    const places = new Float64Array(2 * n);
    if (n < 2) return places;
    const sums = new Float64Array(d);
    for (let at = 0; at < n * d; at += 1) sums[at % d] += rows[at];
    const points = Float64Array.from({ length: n * d }, (_, at) => n * rows[at] - sums[at % d]);
    const covariance = new Float64Array(d * d);
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < d; k += 1) {
        for (let l = 0; l < d; l += 1) covariance[k * d + l] += points[i * d + k] * points[i * d + l];
      }
    }
    round(covariance, largest(covariance), COVARIANCE);
    const first = leading(covariance, d);
    let square = 0;
    for (const each of first.direction) square += each * each;
    for (let k = 0; k < d; k += 1) {
      for (let l = 0; l < d; l += 1) {
        covariance[k * d + l] -= first.direction[k] * (first.variance * first.direction[l] / (square || 1));
      }
    }
    round(covariance, 1, COVARIANCE);
    const second = leading(covariance, d);
    for (let i = 0; i < n; i += 1) {
      for (let k = 0; k < d; k += 1) {
        places[2 * i] += points[i * d + k] * first.direction[k];
        places[2 * i + 1] += points[i * d + k] * second.direction[k];
      }
    }
    const reach = largest(places);
    for (let at = 0; at < 2 * n; at += 1) places[at] = SPREAD * (places[at] / reach);
    round(places, 1, PLACE);
    return places;
  }

  /** The direction of most variance. @param {Float64Array} covariance @param {number} d */
  function leading(covariance, d) {
    let most = 0;
    for (let k = 1; k < d; k += 1) if (covariance[k * d + k] > covariance[most * d + most]) most = k;
    let direction = covariance.slice(most * d, (most + 1) * d);
    round(direction, largest(direction), DIRECTION);
    let variance = 0;
    for (let power = 0; power < POWERS; power += 1) {
      const product = new Float64Array(d);
      for (let k = 0; k < d; k += 1) for (let l = 0; l < d; l += 1) product[k] += covariance[k * d + l] * direction[l];
      let far = 0;
      for (let k = 1; k < d; k += 1) if (Math.abs(direction[k]) > Math.abs(direction[far])) far = k;
      variance = product[far] / (direction[far] || 1);
      round(product, largest(product), DIRECTION);
      direction = product;
    }
    return { direction, variance };
  }

  /** The largest size of a number; 1 where all are 0. @param {Float64Array} values */
  function largest(values) {
    let most = 0;
    for (const value of values) most = Math.max(most, Math.abs(value));
    return most || 1;
  }

  /** Divides and rounds to the grid of a shift. @param {Float64Array} values @param {number} by @param {number} shift */
  function round(values, by, shift) {
    for (let at = 0; at < values.length; at += 1) values[at] = values[at] / by + shift - shift;
  }

  /** Places after so many iterations of descent with momentum.
   * @param {Float64Array} attraction @param {number} times @param {Float64Array} begin @param {number} n
   * @param {number} iterations */
  function settled(attraction, times, begin, n, iterations) {
    const values = numbers(6 * n + 2 * attraction.length).fill(0, 2 * n, 4 * n);
    begin.forEach((place, at) => values[(at % 2) * n + (at >> 1)] = place);
    attraction.forEach((each, pair) => values[6 * n + pair] = times * each);
    descend(n, iterations);
    return Float64Array.from(begin, (_, at) => values[(at % 2) * n + (at >> 1)]);
  }

  /** The first numbers of the memory of the loops. @param {number} count */
  function numbers(count) {
    const missing = Math.ceil((8 * count - memory.buffer.byteLength) / PAGE);
    if (missing > 0) memory.grow(missing);
    return new Float64Array(memory.buffer, 0, count);
  }

  return placesOf;
}

/** Places that fill a square from -1 to 1. @param {Float64Array} places */
export function filling(places) {
  const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
  places.forEach((value, at) => {
    low[at % 2] = Math.min(low[at % 2], value);
    high[at % 2] = Math.max(high[at % 2], value);
  });
  const half = Math.max(high[0] - low[0], high[1] - low[1]) / 2 || 1;
  return places.map((value, at) => (value - (low[at % 2] + high[at % 2]) / 2) / half);
}
