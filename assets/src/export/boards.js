// What the boards of the Gradients page give to exports: their cells, their key, and their data.

import { ExportMenu } from "./menu.js";
import { sign } from "./pictures.js";
import { SheetPicture } from "./sheet.js";
import { svgNode } from "../kit/svg.js";
import { frozen } from "./svg.js";
import { SHAPES } from "../kit/marker.js";

const AXES = ["x", "y", "z"];
const LEAST = 172; // px of a panel
const MOST = 340;

/** The menu of a board; `rows()` gives its data as a table. */
export function offerBoard(board, rows) {
  const about = () => {
    const { header } = board.message;
    const { recipe } = header;
    return {
      name: recipe.figure,
      palette: header.palette,
      theme: board.look.theme,
      title: recipe.title,
      recipe: { ...recipe, link: board.link(recipe) },
      words: wordsOf(board, recipe),
      key: [...marksOf(board), ...(board.signs ?? [])],
      table: rows,
    };
  };
  const sheet = () => ({
    width: board.grid.root.clientWidth,
    least: LEAST,
    most: MOST,
    cells: () => board.grid.panels.map((panel) => cellOf(panel, board.look)),
  });
  const picture = new SheetPicture(sheet, about);
  picture.drawn = () => board.drawn && board.grid.size && board.settled;
  return new ExportMenu(board.root, picture);
}

/** The points of every panel: where they are, and the gradient there. */
export function gradientRows({ drawn, message: { header } }) {
  const [{ dim, zoom, middle }] = drawn;
  const place = (rows, i) => cut(rows, i, dim).map((x, k) => (zoom > 1 ? x / zoom + middle[k] : x));
  const axes = AXES.slice(0, dim);
  const columns = ["loss", "point", "class", ...axes, ...axes.map((axis) => `d/d${axis}`), "|g|"];
  const rows = drawn.flatMap(({ title, n, z, y, arrows, lengths, stars, owners }) => [
    ...Array.from({ length: n }, (_, i) => [
      title,
      i,
      header.names[y[i]],
      ...place(z, i),
      ...cut(arrows, i, dim),
      lengths[i],
    ]),
    ...Array.from(
      owners,
      (label, p) => [title, `proxy ${p}`, header.names[label], ...place(stars, p), ...axes.map(() => ""), ""],
    ),
  ]);
  return { columns, rows };
}

/** Every flow's curves, and its points at every step up to the one that is shown. */
export function flowRows({ drawn, message: { header } }) {
  const [{ dim }] = drawn;
  const axes = AXES.slice(0, dim);
  const curves = ["value", "map", "within", "between"];
  const columns = ["loss", "step", "point", "class", ...axes, ...curves];
  const rows = drawn.flatMap(({ title, n, y, flow, step, steps }) =>
    Array.from({ length: steps + 1 }, (_, t) => [
      [title, t, "", "", ...axes.map(() => ""), ...curves.map((name) => flow.curve(name)[t])],
      ...(t > step ? [] : Array.from({ length: n }, (_, i) => [
        title,
        t,
        i,
        header.names[y[i]],
        ...cut(flow.points, t * n + i, dim),
        ...curves.map(() => ""),
      ])),
    ]).flat()
  );
  return { columns, rows };
}

function cut(rows, i, dim) {
  return Array.from(rows.subarray(i * dim, (i + 1) * dim));
}

function cellOf({ title, svg, chart, texts }, { quiet }) {
  const drawing = (own) => {
    const [width, height] = ["width", "height"].map((name) => Number(own.getAttribute(name)));
    const node = (family) => {
      const group = svgNode("g", {}, ...frozen(own).children);
      for (const word of group.querySelectorAll("text")) word.style.fontFamily = family;
      return group;
    };
    return { node, width, height };
  };
  return {
    head: [{ text: title.textContent, bold: true }],
    drawings: [svg, ...(chart ? [chart] : [])].map(drawing),
    lines: texts.map((text) => ({ text, colour: quiet })),
  };
}

// The classes of all panels, and a star where one has proxies.
function marksOf({ drawn, look, message: { header } }) {
  const present = [...new Set(drawn.flatMap(({ y, owners }) => [...y, ...owners]))].sort((a, b) => a - b);
  const classes = present.map((label) => {
    const { colour, marker } = look.ofClass(label);
    return { text: header.names[label], sign: sign(SHAPES[marker] ?? SHAPES.circle, colour) };
  });
  const starred = drawn.some(({ owners }) => owners.length);
  return starred ? [...classes, { text: "proxy", sign: sign(SHAPES.star, look.quiet) }] : classes;
}

function wordsOf({ grid }, { title }) {
  return [title, ...grid.panels.map(({ svg }) => svg.getAttribute("aria-label"))].join(". ");
}
