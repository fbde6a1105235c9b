const SIZE = 20; // px of an image
const PRINTED = 2; // pixels of a file for each on the page

/** @typedef {{at: Places, behind: (point: number) => boolean}} Drawn */
/** @typedef {{subject: Subject, group: Group, look: Look, coloured?: number[] | null}} ImagesOf */

/** The images in place of the points' markers, each in the colour of its class, those in front last. */
export class Thumbnails {
  /** @type {Map<number, HTMLCanvasElement>} */ #tiles = new Map();

  /** @param {HTMLElement} stage */ constructor(stage) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "dml-thumbnails";
    stage.append(this.canvas);
    this.shown = false;
    this.canvas.hidden = true;
  }

  /** Forgets the images of another subject, group or look. */
  open() {
    this.#tiles.clear();
  }

  /** @param {Drawn} placed @param {ImagesOf} desk @param {(x: number, y: number) => Place} pixel */
  draw(placed, desk, pixel) {
    this.canvas.hidden = !this.shown;
    if (!this.shown) return;
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.#paint(this.canvas, { width, height, sharp: devicePixelRatio || 1 }, placed, desk, pixel);
  }

  /** All images as one, as an address, of a panel of `width` times `height` px.
   * @param {number} width @param {number} height @param {Drawn} placed @param {ImagesOf} desk
   * @param {(x: number, y: number) => Place} pixel */
  whole(width, height, placed, desk, pixel) {
    const canvas = document.createElement("canvas");
    this.#paint(canvas, { width, height, sharp: PRINTED }, placed, desk, pixel);
    return canvas.toDataURL();
  }

  /** @param {HTMLCanvasElement} canvas @param {{width: number, height: number, sharp: number}} size @param {Drawn} embedding
   * @param {ImagesOf} shown @param {(x: number, y: number) => Place} pixel */
  #paint(canvas, { width, height, sharp }, embedding, { subject, group, look, coloured }, pixel) {
    Object.assign(canvas, { width: width * sharp, height: height * sharp });
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    /** @param {number} i */ const pale = (i) => Boolean(coloured) && !coloured.includes(group.kindOf[i]);
    const points = group.points.map((i) => ({
      i,
      back: embedding.behind(i),
      depth: 2 * Number(embedding.behind(i)) + Number(pale(i)),
    }));
    points.sort((a, b) => b.depth - a.depth);
    for (const { i, back } of points) {
      const { x, y } = pixel(embedding.at.x[i], embedding.at.y[i]);
      const tile = this.#tile(i, subject, look.ofClass(group.kindOf[i]).colour);
      pen.globalAlpha = back ? 0.3 : 1;
      pen.drawImage(tile, x - SIZE / 2, y - SIZE / 2, SIZE, SIZE);
    }
  }

  /** @param {number} i @param {Subject} subject @param {string} colour */
  #tile(i, subject, colour) {
    if (!this.#tiles.has(i)) this.#tiles.set(i, tinted(subject, i, colour));
    return this.#tiles.get(i);
  }
}

// The ink of an image in a colour, nothing where it is paper.
/** @param {Subject} subject @param {number} point @param {string} colour */
function tinted(subject, point, colour) {
  const [, height, width] = subject.arrays.images.shape;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, width, height);
  const pixels = pen.getImageData(0, 0, width, height);
  const image = subject.arrays.images.subarray(point * width * height, (point + 1) * width * height);
  image.forEach((ink, k) => (pixels.data[4 * k + 3] = ink));
  pen.putImageData(pixels, 0, 0);
  return canvas;
}
