import { svgNode } from "../draw/svg.js";
import { racerLine, racerStyle } from "./style.js";

/** @typedef {{anchor?: string, fill?: string, weight?: number}} WordStyle */

const [ROW, SMALL] = [24, 13]; // pixels of a row, and of its letters
const SIGN = 54; // pixels of the column of line and letter
const LETTER = 0.54; // of its size: a letter's width, about
const EDGE = 8; // pixels from the sides of a page of its own
const APART = 14; // pixels between two columns

/** A table of racers as one cell of an exported sheet: `rows` are [name, ...numbers], one for each, under `columns`. Where the
 * frame asks for letters of a size, columns that its width has no room for go on below, beside the names again.
 * @param {string[]} columns @param {string[][]} rows @param {Look} look @param {SubjectRacer[]} racers
 * @param {{width?: number, letters?: number}} frame */
export function tableCell(columns, rows, look, racers, { width: whole = Infinity, letters = 0 }) {
  const edge = letters ? EDGE : 0;
  const width = whole - 2 * edge;
  /** @param {string} words */ const wide = (words) => LETTER * Math.max(SMALL, letters) * words.length;
  const [first, ...each] = columns.map((title, c) => Math.max(...[title, ...rows.map((row) => row[c])].map(wide)) + APART);
  /** @type {number[][]} */ const blocks = [[]];
  for (const [k, one] of each.entries()) {
    const taken = blocks.at(-1).reduce((sum, c) => sum + each[c - 1], SIGN + first);
    if (letters && blocks.at(-1).length && taken + one > width) blocks.push([]);
    blocks.at(-1).push(k + 1);
  }
  const own = Math.max(...blocks.map((block) => block.reduce((sum, c) => sum + each[c - 1], SIGN + first)));
  const across = letters ? Math.max(own, width) : own;
  const spare = (across - own) / Math.max(...blocks.map(({ length }) => length));
  const tall = ROW * (rows.length + 1) + 4;
  /** @param {number} x @param {number} y @param {string} words */
  const text = (x, y, words, { anchor = "end", fill = look.ink, weight = 400 } = {}) => {
    const style = `font-size:${Math.max(SMALL, letters)}px;font-weight:${weight};text-anchor:${anchor};fill:${fill}`;
    return svgNode("text", { x, y: y + 17, style }, words);
  };
  /** @param {number} y */
  const line = (y) => svgNode("path", { d: `M0 ${y}H${across}`, stroke: look.faint, fill: "none", "stroke-width": 1 });
  /** @param {string[]} words @param {number[]} block @param {number} y @param {WordStyle} [more] */
  const cells = (words, block, y, more) => {
    let x = SIGN + first;
    const numbers = block.map((c) => text(x += each[c - 1] + spare, y, words[c], more));
    return [text(SIGN, y, words[0], { ...more, anchor: "start" }), ...numbers];
  };
  /** @param {string[]} words @param {number} k @param {number[]} block @param {number} top */
  const body = (words, k, block, top) => {
    const y = top + ROW * (k + 1);
    const sign = svgNode("g", { transform: `translate(0 ${y + 12.5})` }, racerLine(look, k, 0, 26));
    const letter = text(40, y, racers[k].letter, { anchor: "middle", fill: racerStyle(look, k).tone, weight: 700 });
    return [line(y), sign, letter, ...cells(words, block, y)];
  };
  /** @param {string} family */ const node = (family) => {
    const parts = blocks.flatMap((block, b) => [
      ...cells(columns, block, b * tall, { fill: look.quiet }),
      ...rows.flatMap((words, k) => body(words, k, block, b * tall)),
    ]);
    const drawn = svgNode("g", { transform: `translate(${edge} 0)` }, ...parts);
    for (const words of drawn.querySelectorAll("text")) words.style.fontFamily = family;
    return drawn;
  };
  return { drawings: [{ node, width: across + 2 * edge, height: blocks.length * tall }] };
}
