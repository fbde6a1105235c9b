import { fetched } from "../host/attempt.js";
import { shades } from "../draw/look.js";
import { shade } from "./image.js";
import { decode } from "./packing.js";

/** @typedef {{rows: number[], cosines: number[]}} Near */

/** Rows that are shown by their images, at most. */
export const PICTURED = 150;
const MOST = 5000; // images of a file
const PATIENCE = 10_000; // ms
const GREYS = shades((value) => [value, value, value, 255]);

/** What the server answers about rows of a file: nearest rows and images, each asked for once. */
export class RowAnswers {
  /** @type {Map<number, Near>} */ #near = new Map();
  /** @type {Map<number, string>} */ images = new Map(); // addresses by row
  source = "";
  file = 0;

  /** Asks at an address about the file of that number. @param {string | undefined} source @param {number} file */
  ask(source, file) {
    if (source === this.source) return;
    // The picture's address changes as more is found out, too: images are the same then, and other files have others.
    Object.assign(this, { source: source ?? "", file });
    this.#near.clear();
    this.images.clear();
  }

  /** The nearest rows of a row; null without an answer, as in a file that holds the picture.
   * @param {number} row @returns {Promise<Near | null>} */
  async nearest(row) {
    const known = this.#near.get(row);
    if (known) return known;
    const about = (await this.#answer(`near=${row}`))?.header;
    if (!about?.near || !about.cosines) return null;
    const near = { rows: [...about.near], cosines: [...about.cosines] };
    this.#near.set(row, near);
    return near;
  }

  /** Fetches the images of rows that are not here yet, as one sheet. @param {number[]} rows */
  async picture(rows) {
    const missing = rows.filter((row) => !this.images.has(row)).slice(0, PICTURED);
    const sheet = missing.length ? (await this.#answer(`images=${missing}`))?.arrays.images : null;
    if (!sheet) return;
    if (this.images.size > MOST) this.images.clear();
    missing.forEach((row, k) => this.images.set(row, addressOf(sheet, k)));
  }

  /** Those of `rows` whose images are here, with their addresses. @param {number[]} rows */
  of(rows) {
    return rows.filter((row) => this.images.has(row)).map((row) => ({ row, href: this.images.get(row) ?? "" }));
  }

  /** @param {string} about @returns {Promise<Message<RowsAnswer> | null>} */ async #answer(about) {
    if (!this.source) return null;
    try {
      const address = new URL(`${this.source}?file=${this.file}&${about}`, document.baseURI);
      return decode(await (await fetched(address, AbortSignal.timeout(PATIENCE))).arrayBuffer());
    } catch {
      return null; // the next row asks again
    }
  }
}

/** Image `k` of a sheet (n, H, W) of greys as an address. @param {Packed} sheet @param {number} k */
function addressOf(sheet, k) {
  const canvas = document.createElement("canvas");
  shade(canvas, sheet, k, GREYS);
  return canvas.toDataURL();
}
