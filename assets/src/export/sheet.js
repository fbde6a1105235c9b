import { columnsFor } from "../draw/columns.js";
import { textWidth as long } from "./measure.js";
import { Picture } from "./pictures.js";
import { svgNode } from "../draw/svg.js";

const [ACROSS, DOWN] = [8, 14]; // px between cells
const [HEAD, LINE] = [22, 16]; // px of a cell's title, and of a line below its drawings
const [TITLE, SMALL] = [14, 12]; // px of their letters
const SHRINK = 0.7; // the least scale of words that do not fit; below that they are cut short
const COMFORTABLE = 84; // px of a drawing's width, below which a cell has its brief lines
const LEGIBLE = 9; // px of the words inside of a drawing, of which those of a page have 13
const LEAST = 64; // px of a drawing's width, where height is short
const APART = " · "; // between words of a line that may be broken there

/** Many drawings of one kind as one picture: cells side by side, as many in a row as fit.
 *
 * `about` as for any picture; `sheet` gives, as they are now, {width, least, most, columns, worded, cells(frame)}: the width on
 * the page, the least and the greatest width of a cell (px), how many lie in a row where that is wanted, whether drawings hold
 * words, and the cells. A cell has head and lines, rows of words {text, colour, bold}, perhaps brief lines for where room is
 * short, and drawings {node(family), width, height}, which make SVG nodes with their corner at the origin. Words inside of a
 * drawing that come out smaller than the least are left out; `notes` say so. */
export class SheetPicture extends Picture {
  /** @type {string[]} */ notes = [];

  /** @param {() => Sheet} sheet @param {() => PictureAbout} about */ constructor(sheet, about) {
    super(about);
    this.sheet = sheet;
  }

  size() {
    const width = this.about().recipe.size?.width ?? this.sheet().width;
    return { width, height: this.heightAt({ width }) };
  }

  /** How tall it is in a frame of that width (px). @param {ExportFrame} frame */
  heightAt(frame) {
    const { width } = frame;
    const sheet = this.sheet();
    const cells = sheet.cells({ theme: this.about().theme, ...frame });
    const shape = shapeOf(cells);
    const limit = sheet.columns ?? columnsFor(width, shape.many, sheet.least, ACROSS);
    const columns = columnsThatFit(cells, limit, frame);
    return Math.ceil(sheetHeight(shape, columns, Math.min(cellWidth(width, columns), sheet.most ?? Infinity)));
  }

  /** How tall it is with the smallest drawings, or with drawings as they are where they hold words. @param {ExportFrame} frame */
  leastAt(frame) {
    const sheet = this.sheet();
    const each = candidates(frame, sheet.cells({ theme: this.about().theme, ...frame }), sheet).map(({ shape, columns }) => {
      const size = Math.min(cellWidth(frame.width, columns), sheet.worded ? sheet.most ?? Infinity : LEAST);
      return Math.ceil(sheetHeight(shape, columns, size));
    });
    return Math.min(...each);
  }

  /** @param {ExportFrame} frame */ async draw(frame) {
    const { width, height, family, letters = 0 } = frame;
    const sheet = this.sheet();
    const { cells, shape, columns, size } = withLargestCells(frame, candidates(frame, sheet.cells(frame), sheet));
    this.notes = [];
    const top = Math.max(0, (height - sheetHeight(shape, columns, size)) / 2);
    const made = cells.map((cell, k) => {
      const x = (k % columns) * (cellWidth(width, columns) + ACROSS) + (cellWidth(width, columns) - size) / 2;
      const y = top + Math.floor(k / columns) * (cellHeight(shape, size) + DOWN);
      return cellNode(cell, shape, { x, y, size, room: cellWidth(width, columns), family, ink: this.paper.ink, letters });
    });
    if (made.some(({ dropped }) => dropped)) {
      this.notes.push("The words of the axes inside the panels are left out: they would be too small to be read.");
    }
    return made.map(({ group }) => group);
  }
}

// As many columns as wanted, or fewer, so that no words of a cell are cut short.
/** @param {SheetCell[]} cells @param {number} limit @param {ExportFrame} frame */
function columnsThatFit(cells, limit, { width, family, letters = 0 }) {
  if (!letters) return limit;
  /** @type {[string, number, boolean][]} */
  const each = cells.flatMap(({ head = [], lines = [] }) => /** @type {[string, number, boolean][]} */ ([
    [head.map(({ text }) => text).join(" "), TITLE, true],
    ...lines.map((line) => [[line].flat().map(({ text }) => text).join(" "), SMALL, false]),
  ]));
  /** @param {[string, number, boolean]} line */
  const longOf = ([text, size, bold]) => long(text, Math.max(letters, SHRINK * size), family, bold);
  const most = Math.max(0, ...each.map(longOf));
  let columns = limit;
  while (columns > 1 && 0.98 * cellWidth(width, columns) < most) columns -= 1;
  return Math.ceil(cells.length / Math.ceil(cells.length / columns));
}

// The common measures of all cells, for even rows: the height of their drawings for a width of 1, and of their words.
/** @param {SheetCell[]} cells */ function shapeOf(cells) {
  /** @param {(cell: SheetCell) => number} of */ const most = (of) => cells.reduce((most, cell) => Math.max(most, of(cell)), 0);
  return {
    many: cells.length,
    head: most(({ head }) => head?.length ?? 0) ? HEAD : 0,
    lines: most(({ lines }) => lines?.length ?? 0) * LINE,
    share: most(({ drawings: list }) => list.reduce((sum, { width, height }) => sum + height / widest(list, width), 0)),
  };
}

/** @param {SheetDrawing[]} drawings @param {number} width */ function widest(drawings, width) {
  return drawings.reduce((most, drawing) => Math.max(most, drawing.width), width);
}

/** @param {SheetShape} shape @param {number} size */
function cellHeight({ head, lines, share }, size) {
  return head + share * size + lines;
}

/** How tall all rows of cells are together. @param {SheetShape} shape @param {number} columns @param {number} size */
function sheetHeight(shape, columns, size) {
  const rows = Math.ceil(shape.many / columns);
  return rows * cellHeight(shape, size) + (rows - 1) * DOWN;
}

/** @param {number} width @param {number} columns */ function cellWidth(width, columns) {
  return (width - ACROSS * (columns - 1)) / columns;
}

// How cells can lie in a frame: in how many columns, with lines as they are or broken.
/** @param {ExportFrame} frame @param {SheetCell[]} cells @param {Sheet} sheet */
function candidates(frame, cells, { columns: given }) {
  /** @param {SheetCell[]} cells */ const laid = (cells) => {
    const shape = shapeOf(cells);
    const limit = Math.max(1, columnsThatFit(cells, given ?? shape.many, frame));
    const choices = given ? [limit] : Array.from({ length: limit }, (_, k) => k + 1);
    return choices.map((columns) => ({ cells, shape, columns }));
  };
  if (!frame.letters) return laid(cells);
  const each = [...laid(cells), ...laid(cells.map(withBrokenLines))];
  if (!cells.some((cell) => cell.brief)) return each;
  const brief = laid(cells.map((cell) => ({ ...cell, lines: cell.brief })));
  if (!frame.height) return [...each, ...brief];
  return withLargestCells(frame, each).size < COMFORTABLE ? brief : each;
}

/** A cell with lines broken where they may be. @param {SheetCell} cell */
function withBrokenLines(cell) {
  /** @param {SheetLine} line */
  const pieces = (line) => Array.isArray(line) ? [line] : line.text.split(APART).map((text) => ({ ...line, text }));
  return { ...cell, lines: cell.lines?.flatMap(pieces) };
}

/** The way in which drawings are largest. @param {ExportFrame} frame @param {SheetLayout[]} each */
function withLargestCells({ width, height }, each) {
  const sized = each.map((way) => {
    const { shape, columns } = way;
    const rows = Math.ceil(shape.many / columns);
    const room = (height - (rows - 1) * DOWN) / rows - shape.head - shape.lines;
    return { ...way, size: Math.max(1, Math.min(cellWidth(width, columns), room / shape.share)) };
  });
  return sized.reduce((best, way) => (way.size > best.size ? way : best));
}

/** @param {SheetCell} cell @param {SheetShape} shape @param {CellPlace} place */
function cellNode({ head = [], drawings, lines = [] }, shape, { x, y, size, room, family, ink, letters }) {
  const group = svgNode("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` });
  const middle = size / 2;
  /** @param {SheetWords[]} parts @param {number} y @param {number} size */
  const say = (parts, y, size) => group.append(words(parts, { x: middle, y, room, size, family, ink, letters }));
  let [at, dropped] = [shape.head, 0];
  if (shape.head) say(head, TITLE, TITLE);
  for (const { node, width, height } of drawings) {
    const scale = size / widest(drawings, width);
    const transform = `translate(0 ${at.toFixed(2)}) scale(${Number(scale.toFixed(5))})`;
    const content = node(family);
    for (const text of letters ? content.querySelectorAll("text") : []) {
      const size = parseFloat(text.style.fontSize || text.getAttribute("font-size")); // where the drawing says one
      if (!(scale * size < LEGIBLE)) continue;
      text.remove();
      dropped += 1;
    }
    group.append(svgNode("g", { transform }, content));
    at += scale * height;
  }
  lines.forEach((line, k) => say([line].flat(), at + k * LINE + SMALL, SMALL));
  return { group, dropped };
}

/** A line of words around x, made to fit. @param {SheetWords[]} parts @param {CellPlace} place */
function words(parts, { x, y, room, size, family, ink, letters }) {
  const whole = parts.map(({ text }) => text).join(" ");
  const fits = (0.98 * room) / Math.max(1, long(whole, size, family, parts.some(({ bold }) => bold)));
  const shrink = Math.max(SHRINK, letters / size);
  const small = size * Math.max(shrink, Math.min(1, fits));
  const most = fits < shrink ? Math.max(1, Math.floor((whole.length * fits) / shrink) - 1) : Infinity;
  const style = `font-family:${family};font-size:${small.toFixed(2)}px;text-anchor:middle`;
  const node = svgNode("text", { x: x.toFixed(2), y: y.toFixed(2), style });
  let left = most;
  parts.forEach(({ text, colour, bold: heavy }, k) => {
    if (left <= 0) return;
    const whole = `${k ? " " : ""}${text}`;
    const piece = whole.length > left ? `${whole.slice(0, left)}…` : whole;
    left -= whole.length;
    const style = `fill:${colour ?? ink};font-weight:${heavy ? 600 : 400};font-family:${family}`;
    node.append(svgNode("tspan", { style }, piece));
  });
  return node;
}
