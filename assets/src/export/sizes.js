// The sizes of a drawing and of its words, and what is to be said of them.

import declared from "./declared.js";
import { count } from "../draw/words.js";

/** @type {Record<string, number>} */ export const UNITS = { mm: 25.4, in: 1 }; // to the inch
/** @type {Record<string, number>} */ const DIGITS = { mm: 2, in: 4 }; // behind the point of a length
const [PIXELS, POINTS] = [96, 72]; // to the inch
export const SMALLEST = 6; // points of a letter that is read in print
const HIGHEST = 9; // inches of a drawing on a page of print
const SAME = 0.99; // of a size: a smaller difference is not said

/** A length as it is typed in a `unit`. @param {number} inches @param {string} unit */
export function typed(inches, unit) {
  return Number((inches * UNITS[unit]).toFixed(DIGITS[unit]));
}

/** The number in a field called `name`, or the nearest one allowed, which `notes` say then.
 * @param {string} text @param {number[]} range @param {string} name @param {string[]} notes */
export function bounded(text, [least, most], name, notes) {
  const number = Number(text);
  const value = Math.min(most, Math.max(least, number || 0));
  if (value !== number) notes.push(`${name}: ${least} to ${most}; ${value} is taken.`);
  return value;
}

/** Width and height, in inches, of fields in a `unit`; without a height it is null. An error for too large an area.
 * @param {string} width @param {string} height @param {string} unit @param {string[]} notes */
export function sizeOf(width, height, unit, notes) {
  const range = declared.inches.map((/** @type {number} */ inches) => typed(inches, unit));
  /** @param {string} text @param {string} name */
  const side = (text, name) => bounded(text, range, `${name}, ${unit}`, notes) / UNITS[unit];
  const size = { width: side(width, "Width"), height: height === "" ? null : side(height, "Height") };
  const area = size.width * size.height;
  if (area > declared.widestArea) {
    const sides = `${typed(size.width, unit)} × ${typed(size.height, unit)} ${unit}`;
    throw new Error(`${sides} is ${count(area)} square inches; at most ${count(declared.widestArea)}`);
  }
  return size;
}

/** Of a drawing in the document: `range`, the points of its smallest and its largest words, null without any; and of its least
 * `indices`.
 * @param {SVGSVGElement} svg */
export function sizesOf(svg) {
  const sizes = [.../** @type {NodeListOf<SVGTextElement>} */ (svg.querySelectorAll("text:not([aria-hidden])"))].map((text) => {
    const { a, b, c, d } = text.getScreenCTM();
    const unit = (POINTS / PIXELS) * Math.sqrt(Math.abs(a * d - b * c));
    const each = [text, ...text.children].map((node) => unit * parseFloat(getComputedStyle(node).fontSize));
    const parts = text.children.length ? each.slice(1) : each;
    return { words: Math.max(...parts), indices: Math.min(...parts) };
  });
  const words = sizes.map(({ words }) => words);
  const range = words.length ? [Math.min(...words), Math.max(...words)] : null;
  return { range, indices: Math.min(Infinity, ...sizes.map(({ indices }) => indices)) };
}

/** Notes on words that are smaller than asked for, and on indices that are hardly read.
 * @param {number[] | null} range @param {number} indices @param {ExportOptions} options */
export function smaller(range, indices, { points }) {
  if (!range || !points) return [];
  /** @param {number} size */ const plain = (size) => Number(size.toFixed(1));
  const words = `The smallest words have ${plain(range[0])} pt; ${points} pt were asked for.`;
  const small = indices < SAME * Math.min(SMALLEST, range[0]);
  return [...(range[0] < SAME * points ? [words] : []), ...(small ? [`Indices have ${plain(indices)} pt.`] : [])];
}

/** A note on a drawing that is higher than a page, where no height was asked for.
 * @param {Size} inches @param {Pick<ExportOptions, "height" | "points">} options */
export function taller({ height }, options) {
  if (options.height || !options.points || height <= HIGHEST) return [];
  return [`It is ${height.toFixed(1)} in high; a page of print has about ${HIGHEST} in.`];
}
