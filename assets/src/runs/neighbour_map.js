/** The places of points in a neighbour map, equal to those of dml_viz/embedding/neighbour_map.py to the last bit, which says how.
 * It names nothing outside itself: a worker is made of its text. */
export function kernel() {
  const PERPLEXITY = 8;
  const NEIGHBOURS = 24; // of each point, which attract it
  const [FIRST, LATER] = [800, 120]; // iterations of the first frame, and of each frame after it
  const [EXAGGERATED, EXAGGERATION] = [150, 4];
  const [AGAIN, LARGER] = [50, 2];
  const [RATE, MOMENTUM] = [0.4, 0.8];
  const HALVINGS = 50;
  const SPREAD = 0.03;
  const POWERS = 60;
  /** @param {number} power */ const shiftOf = (power) => 1.5 * 2 ** (52 - power);
  const [PLACE, NEARNESS, FORCE, DIRECTION, COVARIANCE] = [16, 32, 40, 20, 22].map(shiftOf);

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
    const distances = new Float64Array(n * n);
    let sum = 0;
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < i; j += 1) {
        let square = 0;
        for (let k = 0; k < d; k += 1) {
          const apart = rows[i * d + k] - rows[j * d + k];
          square += apart * apart;
        }
        distances[i * n + j] = distances[j * n + i] = square;
        sum += 2 * square;
      }
    }
    const scale = sum / (n * (n - 1)) || 1;
    const most = Math.min(NEIGHBOURS, n - 1);
    const target = Math.min(PERPLEXITY, Math.max((n - 1) / 3, 1));
    const [apart, shares] = [new Float64Array(most), new Float64Array(most)];
    const keys = new Float64Array(n); // a distance and then a number: whole, and each another
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) keys[j] = j === i ? Infinity : distances[i * n + j] * n + j;
      keys.sort();
      const nearest = Array.from(keys.subarray(0, most), (key) => key % n);
      const least = distances[i * n + nearest[0]];
      for (let k = 0; k < most; k += 1) apart[k] = (distances[i * n + nearest[k]] - least) / scale;
      let [low, high, precision] = [0, Infinity, 1];
      for (let halving = 0; halving < HALVINGS; halving += 1) {
        let [total, mean] = [0, 0];
        for (let k = 0; k < most; k += 1) {
          const share = expMinus(apart[k] * precision);
          total += share;
          mean += apart[k] * share;
        }
        mean /= total;
        if (total > target * expMinus(precision * mean)) low = precision;
        else high = precision;
        precision = high === Infinity ? 2 * precision : (low + high) / 2;
      }
      let total = 0;
      for (let k = 0; k < most; k += 1) total += shares[k] = expMinus(apart[k] * precision);
      for (let k = 0; k < most; k += 1) directed[i * n + nearest[k]] = shares[k] / total;
    }
    for (let i = 0, pair = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1, pair += 1) result[pair] = (directed[i * n + j] + directed[j * n + i]) / (2 * n);
    }
    return result;
  }

  /** exp(-x) by + * / alone. @param {number} x */
  function expMinus(x) {
    const y = x / 256;
    let result = 1 / (1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5)))));
    for (let k = 0; k < 8; k += 1) result *= result;
    return result;
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
    const [x, y] = [0, 1].map((axis) => Float64Array.from({ length: n }, (_, i) => begin[2 * i + axis]));
    const [velocityX, velocityY, forceX, forceY] = Array.from({ length: 4 }, () => new Float64Array(n));
    const pull = Float64Array.from(attraction, (each) => times * each);
    const near = new Float64Array(pull.length);
    const rate = RATE * n;
    for (let iteration = 0; iteration < iterations; iteration += 1) {
      let total = 0;
      for (let i = 0, pair = 0; i < n; i += 1) {
        const xi = x[i];
        const yi = y[i];
        for (let j = i + 1; j < n; j += 1, pair += 1) {
          const dx = xi - x[j];
          const dy = yi - y[j];
          const close = 1 / (1 + (dx * dx + dy * dy));
          near[pair] = close;
          total += close + NEARNESS - NEARNESS;
        }
      }
      const share = 1 / (2 * total || 1);
      forceX.fill(0);
      forceY.fill(0);
      for (let i = 0, pair = 0; i < n; i += 1) {
        const xi = x[i];
        const yi = y[i];
        let sumX = 0;
        let sumY = 0;
        for (let j = i + 1; j < n; j += 1, pair += 1) {
          const close = near[pair];
          const force = (pull[pair] - close * share) * close;
          const alongX = force * (xi - x[j]) + FORCE - FORCE;
          const alongY = force * (yi - y[j]) + FORCE - FORCE;
          sumX += alongX;
          sumY += alongY;
          forceX[j] -= alongX;
          forceY[j] -= alongY;
        }
        forceX[i] += sumX;
        forceY[i] += sumY;
      }
      for (let i = 0; i < n; i += 1) {
        velocityX[i] = MOMENTUM * velocityX[i] - rate * (4 * forceX[i]) + PLACE - PLACE;
        velocityY[i] = MOMENTUM * velocityY[i] - rate * (4 * forceY[i]) + PLACE - PLACE;
        x[i] += velocityX[i];
        y[i] += velocityY[i];
      }
    }
    return Float64Array.from({ length: 2 * n }, (_, at) => (at % 2 ? y : x)[at >> 1]);
  }

  /** Places that fill a square from -1 to 1. @param {Float64Array} places */
  function filling(places) {
    const [low, high] = [[Infinity, Infinity], [-Infinity, -Infinity]];
    places.forEach((value, at) => {
      low[at % 2] = Math.min(low[at % 2], value);
      high[at % 2] = Math.max(high[at % 2], value);
    });
    const half = Math.max(high[0] - low[0], high[1] - low[1]) / 2 || 1;
    return places.map((value, at) => (value - (low[at % 2] + high[at % 2]) / 2) / half);
  }

  return { placesOf, filling };
}
