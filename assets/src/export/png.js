import { bigEndian, checksum } from "./checksum.js";
import { withImage } from "./raster.js";

const HEAD = 33; // bytes of the signature and the first chunk
const PIXELS = 96; // to the inch
const INCH = 0.0254; // metres
const LOOKS = 3; // alike in a row, until the picture counts as complete
const BETWEEN = 30; // ms from look to look
const LONGEST = 3000; // ms

/** An SVG text as a PNG of `scale` times its size of `inches`, with the recipe in a text chunk.
 * @param {string} text @param {Size} inches @param {number} scale @param {string} recipe */
export function png(text, inches, scale, recipe) {
  return withImage(text, async (image) => {
    await whenComplete(image, inches);
    const canvas = drawImage(image, inches, scale);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
    if (!blob) throw tooLarge(canvas);
    const plain = new Uint8Array(await blob.arrayBuffer());
    const encoded = new TextEncoder().encode(`dml-viz recipe\0\0\0\0\0${recipe}`);
    const dense = new DataView(new ArrayBuffer(9));
    [0, 4].forEach((at) => dense.setUint32(at, Math.round((PIXELS * scale) / INCH)));
    dense.setUint8(8, 1);
    const more = [...chunk("pHYs", new Uint8Array(dense.buffer)), ...chunk("iTXt", encoded)];
    return new Blob([plain.subarray(0, HEAD), ...more, plain.subarray(HEAD)]);
  });
}

/** @param {HTMLImageElement} image @param {Size} inches @param {number} scale */
function drawImage(image, inches, scale) {
  const [width, height] = [inches.width, inches.height].map((side) => Math.round(side * PIXELS * scale));
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d");
  if (!pen) throw tooLarge(canvas);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/** A phone has less room for pixels than a computer. @param {HTMLCanvasElement} canvas */
function tooLarge({ width, height }) {
  return new Error(`this browser has no canvas of ${width} × ${height} pixels`);
}

// A picture counts as decoded before the fonts in it have loaded, and nothing tells when they have.
/** @param {HTMLImageElement} image @param {Size} inches */
async function whenComplete(image, inches) {
  const until = performance.now() + LONGEST;
  let [last, alike] = ["", 1];
  while (alike < LOOKS && performance.now() < until) {
    const now = drawImage(image, inches, 1).toDataURL();
    alike = now === last ? alike + 1 : 1;
    last = now;
    if (alike < LOOKS) await new Promise((resolve) => setTimeout(resolve, BETWEEN));
  }
}

/** @param {string} kind @param {Uint8Array} data */ function chunk(kind, data) {
  const body = Uint8Array.of(...new TextEncoder().encode(kind), ...data);
  /** @param {number} value */ const word = (value) => Uint8Array.from(bigEndian(value));
  return [word(data.length), body, word(checksum(body))];
}
