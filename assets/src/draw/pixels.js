// Many points, pixel by pixel: four times as fast as WebGL that a browser computes without a processor for graphics.

import { mark } from "./marker.js";
import { LIMB } from "./sphere.js";

const [PARTS, ROOM] = [4, 1.2]; // of a pixel, to which a mark is put; of its size, that a mark takes on each side
const BEYOND = 9; // px around a picture, in which marks at its edge end
const STEPS = 8; // in a pixel of a mark's size
const [OUTER, GREEN, COLOUR] = [0xff00ff, 0xff00, 0xffffff]; // bytes of a pixel: red and blue; all but its opacity

/** Points (n, 3), pale ones first, with their colours (n, 4) and the numbers (n,) of their marks.
 * @typedef {{at: Float32Array, colours: Uint8Array, signs: Uint8Array}} PointArrays */

/** The pixels of each mark at each part of a pixel: `offsets` in the picture and `covers` (1 to 255), those of a mark from `first`.
 * @typedef {{half: number, first: Uint32Array, offsets: Int32Array, covers: Uint8Array}} Stamps */

/** A picture of points in pixels. */
export class Pixels {
  #image = new ImageData(1, 1);
  #words = new Int32Array(1); // the pixels of the image
  /** @type {Uint8Array | null} */ signs = null; // of the points drawn last
  used = new Set(); // the numbers among the signs
  #made = "";
  #stamps = /** @type {Stamps} */ ({});

  /** `names` are the marks that points are numbered by. @param {string[]} names */
  constructor(names) {
    this.names = names;
    this.pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  }

  /** Draws points on `pen`, those on the far side `faint` times as opaque.
   * @param {CanvasRenderingContext2D} pen @param {PointArrays} points @param {Omit<PointsFrame, "width" | "height">} frame
   * @param {number} faint */
  draw(pen, { at, colours, signs }, { sharp, camera, left, top, unit, size }, faint) {
    const edge = Math.ceil(BEYOND * sharp);
    const [wide, high] = [pen.canvas.width + 2 * edge, pen.canvas.height + 2 * edge];
    if (this.#image.width !== wide || this.#image.height !== high) {
      this.#image = new ImageData(wide, high);
      this.#words = new Int32Array(this.#image.data.buffer);
    }
    const words = this.#words.fill(0);
    const { half, first, offsets, covers } = this.#stampsOf(signs, Math.round(STEPS * size * sharp) / STEPS, wide);
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = camera ? camera.matrix : [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const [across, down, scale] = [PARTS * (edge + sharp * left), PARTS * (edge + sharp * top), PARTS * sharp * unit];
    const [least, right, bottom] = [half, wide - half - 1, high - half - 1].map((pixels) => PARTS * pixels);
    const inks = new Int32Array(colours.buffer);
    for (const front of camera ? [false, true] : [true]) {
      const strength = front ? 256 / 255 : faint * 256 / 255;
      // No arrays in what is done for each point.
      for (let i = 0, a = 0; i < signs.length; i += 1, a += 3) {
        const x = at[a], y = at[a + 1], z = at[a + 2];
        if ((az * x + bz * y + cz * z >= LIMB) !== front) continue;
        const column = across + scale * (ax * x + bx * y + cx * z) | 0;
        const row = down - scale * (ay * x + by * y + cy * z) | 0;
        if (column < least || row < least || column >= right || row >= bottom) continue;
        const start = (row / PARTS | 0) * wide + (column / PARTS | 0);
        const stamp = (signs[i] * PARTS + row % PARTS) * PARTS + column % PARTS;
        const ink = inks[i] & COLOUR;
        const opacity = (inks[i] >>> 24) * strength | 0;
        for (let k = first[stamp], end = first[stamp + 1]; k < end; k += 1) {
          const p = start + offsets[k];
          const under = words[p];
          const over = covers[k] * opacity >> 8;
          if (under === 0 || over === 255) words[p] = ink | over << 24;
          else {
            const below = under >>> 24;
            const whole = over + below - (over * below / 255 | 0);
            const share = (over << 8) / whole | 0, rest = 256 - share;
            const outer = (Math.imul(ink & OUTER, share) + Math.imul(under & OUTER, rest)) >>> 8;
            const green = (Math.imul(ink & GREEN, share) + Math.imul(under & GREEN, rest)) >>> 8;
            words[p] = outer & OUTER | green & GREEN | whole << 24;
          }
        }
      }
    }
    pen.putImageData(this.#image, -edge, -edge);
  }

  // The stamps of marks of `size` pixels in a picture so `wide`, made anew only where one of them has changed.
  /** @param {Uint8Array} signs @param {number} size @param {number} wide */ #stampsOf(signs, size, wide) {
    if (this.signs !== signs) Object.assign(this, { used: new Set(signs), signs });
    const { pen, names, used } = this;
    const made = [...used, size, wide].join(" ");
    if (this.#made === made || !pen) return this.#stamps;
    this.#made = made;
    const half = Math.ceil(ROOM * size);
    const side = 2 * half + 1;
    const parts = PARTS * PARTS;
    const first = new Uint32Array(names.length * parts + 1);
    const offsets = new Int32Array(used.size * parts * side * side);
    const covers = new Uint8Array(offsets.length);
    Object.assign(pen.canvas, { width: parts * side, height: side });
    for (let sign = 0, k = 0; sign < names.length; sign += 1) {
      const data = used.has(sign) ? this.#drawn(names[sign], size, half) : null;
      for (let part = 0; part < parts; part += 1) {
        for (let pixel = 0; data && pixel < side * side; pixel += 1) {
          const x = pixel % side, y = pixel / side | 0;
          const cover = data[4 * ((y * parts + part) * side + x) + 3];
          if (!cover) continue;
          offsets[k] = (y - half) * wide + x - half;
          covers[k] = cover;
          k += 1;
        }
        first[sign * parts + part + 1] = k;
      }
    }
    return (this.#stamps = { half, first, offsets, covers });
  }

  // A mark at all parts of a pixel, side by side, as bytes.
  /** @param {string} name @param {number} size @param {number} half */ #drawn(name, size, half) {
    const pen = /** @type {CanvasRenderingContext2D} */ (this.pen);
    const { width, height } = pen.canvas;
    const marks = Array.from({ length: PARTS * PARTS }, (_, part) => {
      const [x, y] = [part % PARTS, Math.floor(part / PARTS)].map((offset) => half + (offset + 0.5) / PARTS);
      return mark(name, part * height + x, y, size);
    });
    pen.clearRect(0, 0, width, height);
    pen.fill(new Path2D(marks.join("")));
    return pen.getImageData(0, 0, width, height).data;
  }
}
