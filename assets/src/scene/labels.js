import { tenths } from "../draw/marker.js";
import { renew, svgNode } from "../draw/svg.js";

/** @typedef {{left: number, top: number, width: number, height: number}} Box */
/** @typedef {Place & {r: number}} Disc */
/** @typedef {{colour: string, towards: number[] | null, bold: boolean, italic: boolean}} LabelLook */
/** @typedef {Place & {text: string} & LabelLook} Label */

const HEIGHT = 15; // px of a line of text
const LETTERS = 13; // px of the size of the letters
const BOLDER = 1.06; // times as wide as thin letters
const LOWER = 3; // px
const GAP = 13; // px from a place to its label
const DIRECTIONS = 12;
const DISTANCES = [1, 1.7, 2.6, 3.8];
const ON_A_POINT = 0.6; // of the cost of a label over another
const OUTSIDE = 4;
const ASTRAY = 6; // px² for each px that a label is moved away, so that it stays near where nothing is in its way

/** Words beside places: each goes where it covers no other, no point, and stays within the picture. */
export class Labels {
  /** @type {Label[]} */ #wanted = [];
  /** @type {(SVGTextElement & {dmlWords?: string})[]} */ #shown = [];

  /** `layer` is a group in pixels. @param {SVGElement} layer */
  constructor(layer) {
    this.layer = layer;
  }

  // Asks for `text` at x, y (px), best in the direction `towards` (px).
  /** @param {number} x @param {number} y @param {string} text @param {Partial<Label>} style */
  add(x, y, text, { colour = "", towards = null, bold = false, italic = false } = {}) {
    this.#wanted.push({ x, y, text, colour, towards, bold, italic });
  }

  // Draws the labels asked for within width and height; `taken` are places {x, y, r} of points (px).
  /** @param {number} width @param {number} height @param {Disc[]} taken */
  place(width, height, taken) {
    /** @type {Box[]} */ const boxes = [];
    this.#wanted.forEach((label, k) => {
      const box = best(label, boxes, taken, width, height);
      boxes.push(box);
      const { text, colour, bold, italic } = label;
      /** @type {SVGTextElement & {dmlWords?: string}} */ const node = this.#shown[k] ??= this.layer.appendChild(svgNode("text"));
      if (node.dmlWords !== text) node.replaceChildren(...spans(node.dmlWords = text));
      const letters = { "font-weight": bold ? 600 : 400, "font-style": italic ? "italic" : "normal", display: "inline" };
      renew(node, { x: tenths(box.left + box.width / 2), y: tenths(box.top + HEIGHT - 4), fill: colour, ...letters });
    });
    for (const node of this.#shown.slice(this.#wanted.length)) renew(node, { display: "none" });
    this.#wanted = [];
  }
}

/** What follows an underscore is set lower, and what follows that is back on the line. @param {string} text */
function spans(text) {
  return text.split(/_(\w)/).map((part, k) => {
    const span = svgNode("tspan", {}, part);
    if (k) span.setAttribute("dy", String(k % 2 ? LOWER : -LOWER));
    if (k % 2) span.setAttribute("font-size", "0.75rem");
    return span;
  });
}

/** The best box {left, top, width, height} for a label beside its place.
 * @param {Label} label @param {Box[]} boxes @param {Disc[]} taken @param {number} width @param {number} height @returns {Box} */
export function best({ x, y, text, towards, bold }, boxes, taken, width, height) {
  const wide = widthOf(text, bold) + 4;
  const first = towards ? Math.atan2(towards[1], towards[0]) : -Math.PI / 2;
  /** @type {Box | null} */ let found = null;
  let least = Infinity;
  for (const far of DISTANCES) {
    for (let k = 0; k < DIRECTIONS; k += 1) {
      // First in the direction asked for, then more and more to either side.
      const angle = first + (Math.ceil(k / 2) * (k % 2 ? 1 : -1) * 2 * Math.PI) / DIRECTIONS;
      const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
      const left = x + ux * (GAP * far + (Math.abs(ux) * wide) / 2) - wide / 2;
      const top = y + uy * (GAP * far + (Math.abs(uy) * HEIGHT) / 2) - HEIGHT / 2;
      const box = { left, top, width: wide, height: HEIGHT };
      const cost = covered(box, boxes, taken, width, height) + ASTRAY * (GAP * (far - 1) + k);
      if (cost < least) [found, least] = [box, cost];
    }
    if (least < ASTRAY * GAP * far) break;
  }
  return found;
}

/** @param {Box} box @param {Box[]} boxes @param {Disc[]} taken @param {number} width @param {number} height */
function covered(box, boxes, taken, width, height) {
  let cost = 0;
  for (const other of boxes) cost += 3 * shared(box, other);
  for (const { x, y, r } of taken) {
    cost += ON_A_POINT * 3 * shared(box, { left: x - r, top: y - r, width: 2 * r, height: 2 * r });
  }
  const inside = shared(box, { left: 0, top: 0, width, height });
  return cost + OUTSIDE * 3 * (box.width * box.height - inside);
}

/** @param {Box} a @param {Box} b */ function shared(a, b) {
  const across = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const down = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return across > 0 && down > 0 ? across * down : 0;
}

// About the px of a text. It is not measured, since the letters differ between a page before and after its font has come, a saved
// file and the command line, and words go to the same place in all of them.
/** @param {string} text @param {boolean} bold */ function widthOf(text, bold) {
  return LETTERS * (bold ? BOLDER : 1) * [...text].reduce((sum, letter) => sum + shareOf(letter), 0);
}

/** The width of a letter as a share of its font's size. @param {string} letter */
function shareOf(letter) {
  if (/[fijlrt.,:;'|()[\]\s-]/.test(letter)) return 0.28;
  return /[mw%]/i.test(letter) ? 0.8 : /\p{Lu}/u.test(letter) ? 0.6 : 0.52;
}
