// Axis ranges that stay put: an axis that follows every value makes a moving picture unreadable.

const ROOM = 0.04; // of the range, so that a line along its end is not cut in half
const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The least round number not below `value` > 0. */
function roundUp(value) {
  const unit = 10 ** Math.floor(Math.log10(value));
  return unit * STEPS.find((step) => step * unit >= value * (1 - 1e-9));
}

/** A range [0, top] for values up to `high`: the old one while they fit and fill a third of it. */
export function fromZero(range, high) {
  if (!(high > 0)) return range ?? [0, 1];
  if (range && high <= range[1] && high > range[1] / 3) return range;
  return [0, roundUp(high * 1.08)];
}

/** A range for values in [low, high] that may be negative, with a little room: the old one while they fit and fill a third. */
export function around(range, low, high) {
  if (low >= 0) {
    const [, top] = fromZero(range && range[0] > -ROOM * 2 * range[1] ? range : null, high);
    return [-ROOM * top, top];
  }
  const fits = range && low >= range[0] && high <= range[1] && high - low > (range[1] - range[0]) / 3;
  if (fits) return range;
  const top = roundUp(Math.max(-low, high, 1e-9) * 1.08);
  return [-top, high > 0 ? top : ROOM * top];
}

/** A range of whole powers of ten, in log10, for positive values in [low, high]. */
export function decades(range, low, high) {
  if (!(low > 0) || !(high > 0)) return range ?? [-2, 0];
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const wanted = [from, Math.max(to, from + 1)];
  if (range && wanted[0] >= range[0] && wanted[1] <= range[1] && wanted[1] - wanted[0] > (range[1] - range[0]) / 3) {
    return range;
  }
  return wanted;
}

/** The range of steps: up to the budget once half of it is done, before that up to the next round number. */
export function steps(latest, budget) {
  if (budget && latest > budget / 2) return [0, Math.max(budget, latest)];
  return [0, Math.max(roundUp(Math.max(latest, 1)), 10)];
}
