import { columnsFor } from "../kit/columns.js";
import { Picture } from "./pictures.js";
import { svgNode } from "../kit/svg.js";

const [ACROSS, DOWN] = [8, 14]; // px between cells
const [HEAD, LINE] = [22, 16]; // px of a cell's title, and of a line below its drawings
const [TITLE, SMALL] = [14, 12]; // px of their letters
const SHRINK = 0.7; // what words that do not fit are made smaller by, at most; then they are cut short
let measuring = null;

/**
 * Many drawings of one kind as one picture: cells side by side, as many in a row as fit.
 *
 * `about` as for any picture; `sheet` gives, as they are now, {width, least, most, columns, cells(theme)}: the width on the page,
 * the least and the greatest width of a cell (px), how many stand in a row where that is fixed, and the cells. A cell has head
 * and lines, rows of words {text, colour, bold}, and drawings {node(family), width, height}, which make SVG
 * nodes with their corner at the origin.
 */
export class SheetPicture extends Picture {
  constructor(sheet, about) {
    super(about);
    this.sheet = sheet;
  }

  size() {
    const width = this.about().recipe.size?.width ?? this.sheet().width;
    return { width, height: this.heightAt(width) };
  }

  /** How tall it is where it is `width` wide (px). */
  heightAt(width) {
    const sheet = this.sheet();
    const shape = shapeOf(sheet.cells(this.about().theme));
    const columns = sheet.columns ?? columnsFor(width, shape.many, sheet.least, ACROSS);
    const rows = Math.ceil(shape.many / columns);
    return Math.ceil(rows * tall(shape, Math.min(wide(width, columns), sheet.most ?? Infinity)) + (rows - 1) * DOWN);
  }

  async draw({ width, height, family, theme }) {
    const sheet = this.sheet();
    const cells = sheet.cells(theme);
    const shape = shapeOf(cells);
    const { columns, size } = fitted(width, height, shape, sheet);
    const rows = Math.ceil(shape.many / columns);
    const top = Math.max(0, (height - rows * tall(shape, size) - (rows - 1) * DOWN) / 2);
    return cells.map((cell, k) => {
      const x = (k % columns) * (wide(width, columns) + ACROSS) + (wide(width, columns) - size) / 2;
      const y = top + Math.floor(k / columns) * (tall(shape, size) + DOWN);
      return drawn(cell, shape, { x, y, size, room: wide(width, columns), family, ink: this.paper.ink });
    });
  }
}

// What all cells have in common, so that they stand in line: how tall their drawings are for a width of 1, and their words.
function shapeOf(cells) {
  const most = (of) => cells.reduce((found, cell) => Math.max(found, of(cell)), 0);
  return {
    many: cells.length,
    head: most(({ head }) => head?.length ?? 0) ? HEAD : 0,
    lines: most(({ lines }) => lines?.length ?? 0) * LINE,
    share: most(({ drawings }) =>
      drawings.reduce((sum, { width, height }) => sum + height / widest(drawings, width), 0)
    ),
  };
}

function widest(drawings, width) {
  return drawings.reduce((most, one) => Math.max(most, one.width), width);
}

function tall({ head, lines, share }, size) {
  return head + share * size + lines;
}

function wide(width, columns) {
  return (width - ACROSS * (columns - 1)) / columns;
}

// The number of columns of which the cells are largest.
function fitted(width, height, shape, { columns }) {
  const choices = columns ? [columns] : Array.from({ length: Math.max(1, shape.many) }, (_, k) => k + 1);
  const each = choices.map((count) => {
    const rows = Math.ceil(shape.many / count);
    const room = (height - (rows - 1) * DOWN) / rows - shape.head - shape.lines;
    return { columns: count, size: Math.max(1, Math.min(wide(width, count), room / shape.share)) };
  });
  return each.reduce((best, one) => (one.size > best.size ? one : best));
}

function drawn({ head = [], drawings, lines = [] }, shape, { x, y, size, room, family, ink }) {
  const group = svgNode("g", { transform: `translate(${x.toFixed(2)} ${y.toFixed(2)})` });
  let at = 0;
  if (shape.head) group.append(words(head, { x: size / 2, y: TITLE, room, size: TITLE, family, ink }));
  at += shape.head;
  for (const { node, width, height } of drawings) {
    const scale = size / widest(drawings, width);
    group.append(
      svgNode("g", { transform: `translate(0 ${at.toFixed(2)}) scale(${Number(scale.toFixed(5))})` }, node(family)),
    );
    at += scale * height;
  }
  lines.forEach((line, k) => {
    group.append(words([line].flat(), { x: size / 2, y: at + k * LINE + SMALL, room, size: SMALL, family, ink }));
  });
  return group;
}

// A line of words around x, made to fit.
function words(parts, { x, y, room, size, family, ink }) {
  const whole = parts.map(({ text }) => text).join(" ");
  const bold = parts.some((part) => part.bold);
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `${bold ? 600 : 400} ${size}px ${family}`;
  const fits = Math.min(1, (0.98 * room) / Math.max(1, measuring.measureText(whole).width));
  const small = size * Math.max(SHRINK, fits);
  const letters = fits < SHRINK ? Math.max(1, Math.floor((whole.length * fits) / SHRINK) - 1) : Infinity;
  const node = svgNode("text", {
    x: x.toFixed(2),
    y: y.toFixed(2),
    style: `font-family:${family};font-size:${small.toFixed(2)}px;text-anchor:middle`,
  });
  let left = letters;
  parts.forEach(({ text, colour, bold: heavy }, k) => {
    if (left <= 0) return;
    const whole = `${k ? " " : ""}${text}`;
    const shown = whole.length > left ? `${whole.slice(0, left)}…` : whole;
    left -= whole.length;
    const span = svgNode("tspan", {
      style: `fill:${colour ?? ink};font-weight:${heavy ? 600 : 400};font-family:${family}`,
    });
    span.textContent = shown;
    node.append(span);
  });
  return node;
}
