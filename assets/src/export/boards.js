// Exports of the boards of the Gradients page: their cells, their key, and their data.

import { ExportMenu } from "./menu.js";
import { row as rowOf } from "../draw/rows.js";
import { axesOf, classKey } from "./pictures.js";
import { SheetPicture } from "./sheet.js";
import { svgNode } from "../draw/svg.js";
import { short } from "../draw/words.js";
import { inlineStyles } from "./svg.js";
/** @template H @typedef {{drawn: BoardContent[], message: {header: H}}} BoardOf */

const LEAST = 172; // px of a panel
const MOST = 340;

/** The menu of a board; `rows()` gives its data as a table. @param {PanelBoard} board @param {() => TableData} rows */
export function offerBoard(board, rows) {
  const about = () => {
    const { palette, recipe } = board.message.header;
    const seen = { ...recipe, link: board.link(recipe) };
    const key = [...marksOf(board), ...(board.signs ?? [])];
    return { palette, theme: board.look.theme, recipe: seen, words: wordsOf(board), key, table: rows };
  };
  const cells = () => board.grid.panels.map((panel) => cellOf(panel, board.look));
  const sheet = () => ({ width: board.grid.root.clientWidth, least: LEAST, most: MOST, cells });
  const picture = new SheetPicture(sheet, about);
  picture.moving = board.moving ?? null;
  picture.isDrawn = () => board.drawn && board.grid.size && board.settled;
  return new ExportMenu(board.root, picture);
}

/** The points of every panel: where they are, and the gradient there. @param {BoardOf<PanelsData>} board */
export function gradientRows({ drawn, message: { header } }) {
  const views = /** @type {PanelContent[]} */ (drawn);
  const [{ dim, zoom, middle }] = views;
  /** @param {Numbers} rows @param {number} i */
  const position = (rows, i) => rowOf(rows, i, dim).map((x, k) => (zoom > 1 ? x / zoom + middle[k] : x));
  const axes = axesOf(dim);
  const columns = ["loss", "point", "class", ...axes, ...axes.map((axis) => `d/d${axis}`), "|g|"];
  const rows = views.flatMap(({ title, z, y, arrows, lengths, proxies, owners }) => {
    /** @param {string | number} name @param {number} label @param {Numbers} at @param {number} i @param {Cell[]} gradient */
    const row = (name, label, at, i, gradient) => [title, name, header.names[label], ...position(at, i), ...gradient];
    return [
      ...Array.from(y, (label, i) => row(i, label, z, i, [...rowOf(arrows, i, dim), lengths[i]])),
      ...Array.from(owners, (label, p) => row(`proxy ${p}`, label, proxies, p, [...axes.map(() => ""), ""])),
    ];
  });
  return { columns, rows };
}

/** Every flow's curves, and its points at every step up to the one that is shown. @param {BoardOf<FlowData>} board */
export function flowRows({ drawn, message: { header } }) {
  const views = /** @type {FlowContent[]} */ (drawn);
  const [{ dim }] = views;
  const axes = axesOf(dim);
  const curves = ["value", "map", "within", "between"];
  const columns = ["loss", "step", "point", "class", ...axes, ...curves];
  /** @param {string[]} names */ const none = (names) => names.map(() => "");
  const rows = views.flatMap(({ title, n, y, flow, step, steps }) => {
    /** @param {number} t @param {number} i */
    const point = (t, i) => [title, t, i, header.names[y[i]], ...rowOf(flow.points, t * n + i, dim), ...none(curves)];
    return Array.from({ length: steps + 1 }, (_, t) => [
      [title, t, "", "", ...none(axes), ...curves.map((name) => flow.curve(name)[t])],
      ...Array.from({ length: t > step ? 0 : n }, (_, i) => point(t, i)),
    ]).flat();
  });
  return { columns, rows };
}

/** @param {SmallPanel & {chart?: SVGSVGElement}} panel @param {Look} look */
function cellOf({ title, svg, chart, texts, brief }, { quiet }) {
  /** @param {SVGSVGElement} live */ const drawing = (live) => {
    const [width, height] = ["width", "height"].map((name) => Number(live.getAttribute(name)));
    /** @param {string} family */ const node = (family) => {
      const group = svgNode("g", {}, ...inlineStyles(live).children);
      for (const word of group.querySelectorAll("text")) word.style.fontFamily = family;
      return group;
    };
    return { node, width, height };
  };
  return {
    head: [{ text: title.textContent, bold: true }],
    drawings: [svg, ...(chart ? [chart] : [])].map(drawing),
    lines: texts.map((text) => ({ text, colour: quiet })),
    brief: brief && [{ text: brief, colour: quiet }],
  };
}

/** The words for the drawing, with its numbers; a flow has its own. @param {PanelBoard} board */
function wordsOf({ drawn: views, grid, message: { header } }) {
  const [{ n, dim }] = views;
  if (!("norm" in views[0])) {
    return [header.recipe.title, ...grid.panels.map(({ svg }) => svg.getAttribute("aria-label"))].join(". ");
  }
  const where = dim === 2 ? "a circle" : "a sphere";
  const each = /** @type {PanelContent[]} */ (views).map(({ title, value, norm, lengths, y }) => {
    const far = Math.max(...lengths);
    const longest = Array.from(lengths).indexOf(far);
    const some = Array.from(lengths).filter((length) => length > 0).length;
    const arrows = far > 0
      ? `${some} points have a gradient, the longest #${longest} of ${header.names[y[longest]]}`
      : "no point has a gradient";
    return `${title}: loss ${short(value)}, length of the whole gradient ${short(norm)}; ${arrows}`;
  });
  return `The same ${n} points on ${where} under ${views.length} losses, with an arrow down each gradient. ${each.join(". ")}.`;
}

/** The classes of all panels, and a star where one has proxies. @param {PanelBoard} board */
function marksOf({ drawn: views, look, message: { header } }) {
  const present = [...new Set(views.flatMap(({ y, owners }) => [...y, ...owners]))].sort((a, b) => a - b);
  const named = present.map((label) => /** @type {[number, string]} */ ([label, header.names[label]]));
  return classKey(named, look, views.some(({ owners }) => owners.length));
}
