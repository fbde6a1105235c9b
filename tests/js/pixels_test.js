// Points drawn pixel by pixel: where each of them is put, what covers what, and how colours mix.
import { deepEqual, equal, ok } from "node:assert/strict";
import { Pixels } from "../../assets/src/draw/pixels.js";
import { Camera } from "../../assets/src/draw/sphere.js";

const SIDE = 20; // px of a picture
globalThis.ImageData ??= class {
  constructor(width, height) {
    Object.assign(this, {
      width,
      height,
      data: new Uint8ClampedArray(4 * width * height),
    });
  }
};
globalThis.Path2D ??= class {};

/** The colour and opacity of a pixel of a picture of points (rows of three numbers), with marks that cover `cover` of 255. */
function picture(rows, colours, { cover = 255, camera = null } = {}) {
  const sheet = { canvas: {}, fill() {}, clearRect() {} };
  sheet.getImageData = (_x, _y, width, height) => ({
    data: new Uint8ClampedArray(4 * width * height).fill(cover),
  });
  const plain = globalThis.document;
  globalThis.document = { createElement: () => ({ getContext: () => sheet }) };
  const pixels = new Pixels(["square"]);
  globalThis.document = plain;
  let image, moved;
  const pen = {
    canvas: { width: SIDE, height: SIDE },
    putImageData: (...put) => [image, moved] = put,
  };
  const points = {
    at: Float32Array.from(rows.flat()),
    colours: Uint8Array.from(colours.flat()),
    signs: new Uint8Array(rows.length),
  };
  pixels.draw(pen, points, {
    sharp: 1,
    camera,
    left: SIDE / 2,
    top: SIDE / 2,
    unit: 8,
    size: 0.5,
  }, 0.5);
  return (
    x,
    y,
  ) => [
    ...image.data.slice(
      4 * ((y - moved) * image.width + x - moved),
      4 * ((y - moved) * image.width + x - moved) + 4,
    ),
  ];
}

const [RED, BLUE] = [[255, 0, 0, 255], [0, 0, 255, 255]];
const NOTHING = [0, 0, 0, 0];

Deno.test("a point is put where it is seen, and one that is drawn later covers it", () => {
  const at = picture([[0.5, 0.5, 0], [0.5, 0.5, 0]], [BLUE, RED]);
  deepEqual(at(14, 6), RED);
  deepEqual(
    [at(12, 6), at(16, 6), at(14, 4), at(14, 8)],
    Array(4).fill(NOTHING),
  );
});

Deno.test("a mark that covers half of a pixel mixes its colour with what is there, and is half of it where nothing is", () => {
  deepEqual(picture([[0, 0, 0]], [RED], { cover: 128 })(10, 10), [
    255,
    0,
    0,
    128,
  ]);
  const [red, green, blue, opacity] = picture([[0, 0, 0], [0, 0, 0]], [
    BLUE,
    RED,
  ], { cover: 128 })(10, 10);
  equal(green, 0);
  ok(
    Math.abs(opacity - 192) <= 1 && Math.abs(red - 170) <= 2 &&
      Math.abs(blue - 85) <= 2,
  ); // over, of Porter and Duff
});

Deno.test("a point in front covers one on the far side, whichever comes first, and the far side is fainter", () => {
  const camera = Object.assign(new Camera(), { turn: 0, tilt: 0 });
  const [front, behind] = [[0, -1, 0], [0, 1, 0]];
  for (const rows of [[front, behind], [behind, front]]) {
    deepEqual(
      picture(rows, rows.map((row) => row === front ? RED : BLUE), { camera })(
        10,
        10,
      ),
      RED,
    );
  }
  deepEqual(picture([behind], [BLUE], { camera })(10, 10), [0, 0, 255, 127]);
});

Deno.test("a point beside the picture, or one without a place, is not drawn and harms nothing", () => {
  const at = picture([[9, 0, 0], [-99, 0, 0], [NaN, 0, 0], [0, 1e6, 0], [
    1.25,
    0,
    0,
  ]], Array(5).fill(RED));
  deepEqual([at(0, 10), at(10, 0), at(10, 10)], Array(3).fill(NOTHING));
  deepEqual(at(19, 10), RED); // of a mark that ends beside it
});
