import { svgNode } from "../kit/svg.js";
import { racerLine, racerStyle } from "./style.js";

const [ROW, SMALL] = [24, 13]; // pixels of a row, and of its letters
const [SIGN, NAME, NUMBER] = [54, 250, 92]; // pixels of columns: line and letter, racer, a number
const LETTER = 7; // pixels a letter of a long name takes, at most

/** A table of racers as one cell of an exported sheet: `rows` are [name, ...numbers], one for each, under `columns`. */
export function tableCell(columns, rows, look, racers) {
  const name = Math.max(NAME, ...rows.map(([title]) => LETTER * title.length));
  const width = SIGN + name + NUMBER * (columns.length - 1);
  const height = ROW * (rows.length + 1) + 4;
  const ends = columns.map((_, c) => SIGN + name + NUMBER * c);
  const text = (x, row, words, { anchor = "end", fill = look.ink, weight = 400 } = {}) => {
    const style = `font-size:${SMALL}px;font-weight:${weight};text-anchor:${anchor};fill:${fill}`;
    const made = svgNode("text", { x, y: ROW * row + 17, style });
    made.textContent = words;
    return made;
  };
  const line = (row) =>
    svgNode("path", { d: `M0 ${ROW * row}H${width}`, stroke: look.faint, fill: "none", "stroke-width": 1 });
  const cells = (words, row, more) =>
    words.map((word, c) => (c ? text(ends[c], row, word, more) : text(SIGN, row, word, { ...more, anchor: "start" })));
  const body = (words, k) => {
    const sign = svgNode("g", { transform: `translate(0 ${ROW * (k + 1) + 12.5})` }, racerLine(look, k, 0, 26));
    const letter = text(40, k + 1, racers[k].letter, { anchor: "middle", fill: racerStyle(look, k).tone, weight: 700 });
    return [line(k + 1), sign, letter, ...cells(words, k + 1)];
  };
  const node = (family) => {
    const drawn = svgNode("g", {}, ...cells(columns, 0, { fill: look.quiet }), ...rows.flatMap(body));
    for (const words of drawn.querySelectorAll("text")) words.style.fontFamily = family;
    return drawn;
  };
  return { drawings: [{ node, width, height }] };
}
