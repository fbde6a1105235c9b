/** @typedef {{x: Numbers, y: Numbers}} XY */

/** The cosine and the sine, times a length, of the turn that brings points of one map nearest to those of another.
 * @param {XY} from @param {XY} towards @param {number[]} points @param {number} sign -1 where the first is mirrored */
function turn(from, towards, points, sign) {
  let [cosine, sine] = [0, 0];
  for (const i of points) {
    cosine += sign * from.x[i] * towards.x[i] + from.y[i] * towards.y[i];
    sine += sign * from.x[i] * towards.y[i] - from.y[i] * towards.x[i];
  }
  return { cosine, sine, length: Math.sqrt(cosine * cosine + sine * sine) };
}

/** Whether points of one map come nearer to those of another if they are mirrored first.
 * @param {XY} from @param {XY} towards @param {number[]} points */
export function mirrors(from, towards, points) {
  return turn(from, towards, points, -1).length > turn(from, towards, points, 1).length;
}

/** A map turned about its middle, or mirrored and turned, so that its points come near those of another: neither changes who is
 * near whom.
 * @param {XY} from @param {XY} towards @param {number[]} points @param {boolean} mirrored */
export function turned(from, towards, points, mirrored) {
  const sign = mirrored ? -1 : 1;
  const { cosine, sine, length } = turn(from, towards, points, sign);
  const [c, s] = length ? [cosine / length, sine / length] : [1, 0];
  return {
    x: Float32Array.from(from.x, (x, i) => c * sign * x - s * from.y[i]),
    y: Float32Array.from(from.x, (x, i) => s * sign * x + c * from.y[i]),
    front: new Uint8Array(from.x.length).fill(1),
  };
}
