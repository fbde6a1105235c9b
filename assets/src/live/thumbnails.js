import { rgb, shades } from "../draw/look.js";
import { svgNode } from "../draw/svg.js";
import { shade } from "../runs/image.js";

/** @import { Disc } from "../draw/disc.js" */

const SIZE = 20; // px of an image
const PRINTED = 2; // pixels of a file for each on the page

/** @typedef {{subject: Subject, group: Group, look: Look, coloured?: number[] | null}} ImagesOf */

/** The images in place of the points' markers, each in the colour of its class, those in front last. */
export class Thumbnails {
  /** @type {Map<string, HTMLCanvasElement>} */ #tiles = new Map();
  /** @type {Map<string, Uint32Array>} */ #tints = new Map(); // pixels of a colour by how much ink an image has

  /** @param {HTMLElement} picture */ constructor(picture) {
    this.canvas = document.createElement("canvas");
    this.canvas.className = "dml-thumbnails";
    picture.append(this.canvas);
    this.shown = false;
    this.canvas.hidden = true;
  }

  /** Forgets the images of another subject, group or look. */
  open() {
    this.#tiles.clear();
  }

  /** Draws them where a disc has its points; `single` is the kind that is shown alone.
   * @param {Disc} disc @param {ImagesOf} desk @param {number | null} single */
  draw(disc, desk, single) {
    this.canvas.hidden = !this.shown;
    if (this.shown) this.#paint(this.canvas, devicePixelRatio || 1, disc, desk, single);
  }

  /** All of them as one image of the disc, for a file that has `tone` of each colour.
   * @param {Disc} disc @param {ImagesOf} desk @param {number | null} single @param {(colour: string) => string} tone */
  whole(disc, desk, single, tone) {
    const canvas = document.createElement("canvas");
    this.#paint(canvas, PRINTED, disc, desk, single, tone);
    const { width, height } = disc;
    return Object.assign(svgNode("image", { width, height, href: canvas.toDataURL() }), { dmlStays: true });
  }

  /** @param {HTMLCanvasElement} canvas @param {number} sharp @param {Disc} disc @param {ImagesOf} desk
   * @param {number | null} single @param {(colour: string) => string} tone */
  #paint(canvas, sharp, disc, { subject, group, look, coloured }, single, tone = (colour) => colour) {
    const { width, height } = disc;
    Object.assign(canvas, { width: width * sharp, height: height * sharp });
    const pen = canvas.getContext("2d");
    pen.scale(sharp, sharp);
    /** @param {number} i */ const depth = (i) => {
      const kind = group.kindOf[i];
      const pale = Boolean(coloured) && !coloured.includes(kind);
      return 4 * Number(!disc.seen.front[i]) + 2 * Number(single !== null && kind !== single) + Number(pale);
    };
    const points = group.points.map((i) => ({ i, depth: depth(i) })).sort((a, b) => b.depth - a.depth);
    for (const { i, depth } of points) {
      const { x, y } = disc.pixel(i);
      const tile = this.#tile(i, subject, tone(look.ofClass(group.kindOf[i]).colour));
      pen.globalAlpha = (depth & 4 ? 0.3 : 1) * (depth & 2 ? 0.12 : 1);
      pen.drawImage(tile, x - SIZE / 2, y - SIZE / 2, SIZE, SIZE);
    }
  }

  // The ink of an image in a colour, nothing where it is paper.
  /** @param {number} i @param {Subject} subject @param {string} colour */
  #tile(i, subject, colour) {
    const key = `${colour} ${i}`;
    if (!this.#tiles.has(key)) {
      const tile = document.createElement("canvas");
      if (!this.#tints.has(colour)) this.#tints.set(colour, shades((ink) => [...rgb(colour), ink]));
      shade(tile, subject.arrays.images, i, this.#tints.get(colour));
      this.#tiles.set(key, tile);
    }
    return this.#tiles.get(key);
  }
}
