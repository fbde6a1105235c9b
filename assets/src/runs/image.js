import { mark } from "../draw/marker.js";

const SIGN = 176; // px of the sign of a class, large enough for any screen

/** Whether points have images. @param {Subject} subject */
export const pictured = (subject) => subject.arrays.images.length > 0;

/** What one of the points is called. @param {Subject} subject */
export const noun = (subject) => (pictured(subject) ? "image" : "point");

/** Paints an evaluated image on a canvas, from paper (0) to ink (255), or without images the sign of the point's class; nothing
 * where it is there already.
 * @param {HTMLCanvasElement & {dmlShown?: string}} canvas @param {Subject} subject @param {number} point @param {Look} look */
export function paint(canvas, subject, point, look) {
  const { images, y } = subject.arrays;
  const { colour, marker } = look.ofClass(y[point]);
  const shown = pictured(subject);
  const content = shown ? `${subject.header.run}:${point}:${look.theme}` : `${marker}:${colour}`;
  if (canvas.dmlShown === content) return;
  canvas.dmlShown = content;
  canvas.style.imageRendering = shown ? "" : "auto";
  if (shown) return shade(canvas, images, point, look.greys);
  Object.assign(canvas, { width: SIGN, height: SIGN });
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = colour;
  pen.fill(new Path2D(mark(marker, SIGN / 2, SIGN / 2, SIGN / 5)));
}

/** Makes a canvas one of the images (n, H, W), with the pixel that `shades` has of each value.
 * @param {HTMLCanvasElement} canvas @param {Packed} images @param {number} k @param {Uint32Array} shades */
export function shade(canvas, images, k, shades) {
  const [, height, width] = images.shape;
  Object.assign(canvas, { width, height });
  const pixels = new ImageData(width, height);
  const words = new Uint32Array(pixels.data.buffer);
  for (let p = 0; p < words.length; p += 1) words[p] = shades[images[k * words.length + p]];
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.putImageData(pixels, 0, 0);
}
