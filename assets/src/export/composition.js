// Several pictures as the panels of one: in columns of one width and rows of one height, in one style, each with its letter.

import { family } from "./fonts.js";
import { outlineWords } from "./outlines.js";
import { Picture } from "./pictures.js";
import { addGround, renderForExport } from "./svg.js";
import { taller } from "./sizes.js";
import { panelName, SIGNS } from "./tray.js";
import { SVG, svgNode } from "../draw/svg.js";
import declared from "./declared.js";
import { counted } from "../draw/words.js";

const [PIXELS, POINTS] = [96, 72]; // to the inch
const [GAP, WIDTH, WORDS] = [0.14, 6.9, 10]; // inches between panels, inches of a page that names no width, points
const STRIP = 1.7; // times as high as its letters: the line of a panel's letter
const [NARROWEST] = declared.inches; // of a panel
const [SAME, LOWEST, STRETCHED] = [0.01, 0.5, 1.5]; // of a height: a smaller difference is ignored; inches; times as high at most

/** `state()` gives {panels: pictures, columns, letters} as they are now. */
export class Composition extends Picture {
  /** @param {() => {panels: AnyPicture[], columns: number, letters: string}} state @param {() => PictureAbout} about */
  constructor(state, about) {
    super(about);
    this.state = state;
  }

  size() {
    return { width: WIDTH * PIXELS, height: WIDTH * PIXELS };
  }

  /** @returns {TableData} */ table() {
    throw new Error("the data of each panel are saved from its own figure");
  }

  /** Draws the panels as `options` says. @param {ExportOptions} options @returns {Promise<Engraving>} */
  async renderForExport(options) {
    const { panels, columns: limit, letters } = this.state();
    const columns = Math.max(1, Math.min(limit, panels.length));
    const points = options.points || WORDS;
    const width = options.width ?? WIDTH;
    const wide = (width - (columns - 1) * GAP) / columns;
    if (wide < NARROWEST) {
      const least = columns * NARROWEST + (columns - 1) * GAP;
      throw new Error(
        `${width.toFixed(1)} in are too narrow for ${counted(columns, "column", "columns")}: give ${least.toFixed(2)} in ` +
          `(${Math.ceil(25.4 * least)} mm) or more${columns > 1 ? ", or fewer columns" : ""}.`,
      );
    }
    const strip = letters === "none" ? 0 : (STRIP * points) / POINTS;
    /** @type {ExportOptions} */ const panelOptions = { ...options, width: wide, height: null, ground: "none" };
    /** @type {Engraving[]} */ const drawings = [];
    for (const panel of panels) drawings.push(await renderForExport(panel, panelOptions));
    const rows = Array.from({ length: Math.ceil(panels.length / columns) }, (_, r) => r * columns);
    const heights = () => rows.map((at) => Math.max(...drawings.slice(at, at + columns).map(({ inches }) => inches.height)));
    const natural = heights();
    const between = rows.length * strip + (rows.length - 1) * GAP;
    const total = natural.reduce((sum, height) => sum + height, 0);
    const share = options.height ? Math.max(0.1, options.height - between) / total : 1;
    /** @param {number} k */ const heightOf = (k) => {
      const row = share * natural[Math.floor(k / columns)];
      return Math.max(LOWEST, Math.min(row, (panels[k].flexible ? STRETCHED : 1) * first[k]));
    };
    const first = drawings.map(({ inches }) => inches.height);
    /** @param {number} k @param {Partial<ExportOptions>} [more] */ const redraw = async (k, more) => {
      drawings[k].close();
      drawings[k] = await renderForExport(panels[k], { ...panelOptions, height: heightOf(k), ...more });
    };
    for (const k of panels.keys()) if (Math.abs(first[k] / heightOf(k) - 1) >= SAME) await redraw(k);
    // Words that have to shrink in one panel shrink in all.
    const least = Math.min(...drawings.map(({ like }) => like[0]));
    for (const k of panels.keys()) if (drawings[k].like[0] > least) await redraw(k, { points: least * points });
    const tall = heights();
    const inches = { width, height: tall.reduce((sum, height) => sum + height, between) };
    if (options.height) inches.height = Math.max(inches.height, options.height);
    /** @param {number} k */ const cornerOf = (k) => {
      const row = Math.floor(k / columns);
      const top = tall.slice(0, row).reduce((sum, height) => sum + height + strip + GAP, strip);
      return { x: (k % columns) * (wide + GAP), y: top };
    };
    const viewBox = `0 0 ${round(width * PIXELS)} ${round(inches.height * PIXELS)}`;
    const page = { xmlns: SVG, width: `${round(width)}in`, height: `${round(inches.height)}in` };
    const svg = svgNode("svg", { viewBox, ...page });
    const ink = this.about().palette.ink[options.palette === "dark" ? "dark" : "light"];
    const style =
      `font-family:${family(options.font)};font-size:${round((least * points * PIXELS) / POINTS)}px;font-weight:600;` +
      `fill:${ink};stroke:none`;
    const signs = drawings.map((panel, k) => {
      const { x, y } = cornerOf(k);
      const scale = (wide * PIXELS) / panel.svg.viewBox.baseVal.width;
      const transform = `translate(${round(x * PIXELS)} ${round(y * PIXELS)}) scale(${round(scale)})`;
      svg.append(svgNode("g", { transform }, ...withOwnIds(panel.svg, k).children));
      const line = (y - 0.35 * strip) * PIXELS;
      return svgNode("text", { x: round(x * PIXELS), y: round(line), style }, SIGNS[letters](k));
    });
    if (strip) svg.append(...signs);
    const holder = drawings[0].svg.parentElement;
    holder.replaceChildren(svg);
    for (const panel of drawings.slice(1)) panel.close();
    const [{ faces }] = drawings;
    if (options.letters === "outlines") await outlineWords(svg, faces);
    if (options.ground !== "none") addGround(svg, width * PIXELS, inches.height * PIXELS, options, this);
    const each = drawings.flatMap(({ notes }, k) => notes.map((note) => `${panelName(letters, k)} ${note}`));
    const notes = [...taller(inches, { ...options, points }), ...each];
    const ranges = drawings.flatMap(({ range }) => range ?? []);
    const range = ranges.length ? [Math.min(...ranges), Math.max(...ranges)] : null;
    return { svg, inches, faces, notes, range, like: null, close: () => holder.remove() };
  }
}

/** The panel at `k` with its own ids in the references between its parts. @param {SVGSVGElement} svg @param {number} k */
function withOwnIds(svg, k) {
  for (const node of svg.querySelectorAll("*")) {
    for (const { name, value } of [...node.attributes]) {
      if (name === "id") node.id = `p${k}-${value}`;
      else if (value.includes("url(")) {
        node.setAttribute(name, value.replace(/url\(["']?#([^"')]+)["']?\)/g, `url(#p${k}-$1)`));
      } else if (/href$/.test(name) && value[0] === "#") node.setAttribute(name, `#p${k}-${value.slice(1)}`);
    }
  }
  return svg;
}

/** @param {number} value */ function round(value) {
  return Number(value.toFixed(5));
}
