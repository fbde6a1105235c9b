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
  const [, height, width] = shown ? images.shape : [0, SIGN, SIGN];
  Object.assign(canvas, { width, height });
  canvas.style.imageRendering = shown ? "" : "auto";
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (!shown) {
    pen.fillStyle = colour;
    pen.fill(new Path2D(mark(marker, SIGN / 2, SIGN / 2, SIGN / 5)));
    return;
  }
  const pixels = new ImageData(width, height);
  const image = images.subarray(point * width * height, (point + 1) * width * height);
  image.forEach((value, k) => pixels.data.set([...look.grey[value], 255], 4 * k));
  pen.putImageData(pixels, 0, 0);
}
