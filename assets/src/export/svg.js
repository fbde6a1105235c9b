import { allowed } from "./allowed.js";
import { recolour } from "./colours.js";
import { characters, faces, facesOf, family } from "./fonts.js";
import { faults, inLines, textWidth } from "./measure.js";
import { plainWords } from "./letters.js";
import { outlineWords } from "./outlines.js";
import { vectorise } from "./raster.js";
import { sizesOf, smaller, SMALLEST, taller } from "./sizes.js";
import { SVG, svgNode } from "../draw/svg.js";

const PIXELS = 96; // to the inch
const DESIGNED = 13; // px of the words that pictures are designed with
const STYLED = [
  "fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-dashoffset stroke-linecap",
  "stroke-linejoin opacity font-family font-size font-weight font-style text-anchor dominant-baseline paint-order visibility",
  "display vector-effect",
].join(" ").split(" ");
const LEAST = 120; // px of a drawing's height
const [LINE, ROW, EDGE] = [20, 22, 10]; // px: of a line of the title, of a row of the key, and from the edge
const LONG = 24; // entries of a key: a longer key takes more room than it is worth
const CROWDED = "Words are cut or lie on each other: give the picture more width, or smaller words.";
const PADS = 3; // times that margins are widened for words that the page cuts
// The sizes to try until no word is cut or overlaps another: words times as large (0: the smallest), drawings times as high.
/** @type {LayoutTry[]} */ const FREE = [[1, 1], [1, 1.3], [0.87, 1.3], [0, 1.3], [0, 1.8], [0, 2.6]];
const STEPS = [1, 0.9, 0.8, 0.7, 0.6, 0.5].map((words) => /** @type {LayoutTry} */ ([words, 1]));
/** @type {LayoutTry[]} */ const FIXED = [...STEPS, [0, 1], [0, 1.25], [0, 1.6], [0, 2.1], [0, 3]];

/** A picture drawn as `options` says, in the document and out of sight: {svg, inches, faces, notes, range, close}; `range` are
 * the points of its smallest and its largest words, but for indices.
 *
 * Options has width and height (inches; null for the picture's own), font, points (the size of its words; 0 for what the screen
 * has), line (times as wide), palette ("screen", "light", "dark" or "grey"), ground ("paper" or "none"), letters ("words" or
 * "outlines"), title and legend (whether). Words are laid out at the size that the picture was designed for and the whole is then
 * scaled. Where words would be cut or overlap they shrink, to 6 points, and then the page grows; `notes` say so. `like` is the
 * layout that another picture of the same kind came to, for pictures of a film.
 * @param {AnyPicture} picture @param {ExportOptions} options @param {LayoutTry | null} like @returns {Promise<Engraving>} */
export async function renderForExport(picture, options, like = null) {
  const all = await faces();
  const smallest = options.points ? Math.min(1, SMALLEST / options.points) : 1;
  /** @type {LayoutTry[]} */ const tries = like ? [like] : !options.points ? [[1, 1]] : options.height ? FIXED : FREE;
  let best = null;
  for (const [words, higher] of tries) {
    const made = await layOut(picture, options, Math.max(words, smallest), higher, like?.[2]);
    if (best && made.weight >= best.weight) made.holder.remove();
    else {
      best?.holder.remove();
      best = made;
    }
    if (!best.weight) break;
  }
  const { svg, inches, holder, notes, width, tall, crowded } = best;
  const about = picture.about();
  await vectorise(svg);
  plainWords(svg);
  const { range, indices } = sizesOf(svg);
  notes.unshift(...(crowded ? [CROWDED] : []), ...smaller(range, indices, options), ...taller(inches, options));
  applyOptions(svg, options, recolour(options, about.palette, about.theme));
  if (options.letters === "outlines") await outlineWords(svg, all);
  if (options.ground !== "none") addGround(svg, width, tall, options, picture);
  return { svg, inches, faces: all, notes, range, like: best.like, close: () => holder.remove() };
}

// One try: margins are widened while words are cut. `weight` counts the faults left.
/** @param {AnyPicture} picture @param {ExportOptions} options @param {number} words @param {number} higher @param {Sides} like */
async function layOut(picture, options, words, higher, like = { l: 0, r: 0, t: 0, b: 0 }) {
  const pad = { ...like };
  let made = null;
  for (let k = 0; k < (options.points ? PADS : 1); k += 1) {
    made?.holder.remove();
    made = await tryLayout(picture, options, words, higher, pad);
    const { cut } = made;
    if (!Object.values(cut).some(Boolean)) break;
    for (const side of Object.keys(cut)) pad[side] += cut[side] && cut[side] + 2;
  }
  return { ...made, like: /** @type {LayoutTry} */ ([words, higher, pad]) };
}

/** @param {AnyPicture} picture @param {ExportOptions} options @param {number} words @param {number} higher @param {Sides} pad */
async function tryLayout(picture, options, words, higher, pad) {
  const about = picture.about();
  const seenSize = { ...picture.size(), ...about.recipe.size };
  const wordScale = options.points ? (words * options.points * PIXELS) / 72 / DESIGNED : 1;
  const width = Math.round(options.width ? (options.width * PIXELS) / wordScale : seenSize.width);
  // The page is exactly as wide as asked for; its words shrink by less than a hundredth.
  const scale = options.width ? (options.width * PIXELS) / width : wordScale;
  const letters = options.points ? (DESIGNED * SMALLEST) / (words * options.points) : 0;
  const notes = [];
  const font = family(options.font);
  /** @param {string} line */ const fits = (line) => textWidth(line, 15, font, true) <= width - 2 * EDGE;
  const title = options.title ? inLines(about.recipe.title.split(/\s+/), fits).filter(Boolean) : [];
  const entries = options.legend ? about.key ?? [] : [];
  if (entries.length > LONG && options.points) notes.push(`The legend has ${entries.length} entries and is left out.`);
  const key = keyRows(entries.length > LONG && options.points ? [] : entries, width, font);
  const head = (title.length ? title.length * LINE + EDGE : 0) + (key.length ? key.length * ROW + EDGE / 2 : 0);
  // Pixels cannot be recoloured once they are drawn.
  const theme = options.palette === "screen" ? about.theme : options.palette === "dark" ? "dark" : "light";
  const colour = recolour(options, about.palette, about.theme);
  const grey = options.palette === "grey";
  const frame = { width, family: font, legend: options.legend, theme, letters, pad, grey, colour };
  const room = options.height ? (options.height * PIXELS) / scale - head : null;
  const natural = options.points || !seenSize.height ? picture.heightAt?.(frame) ?? seenSize.height : seenSize.height;
  const least = options.points ? picture.leastAt?.(frame) ?? LEAST : 0;
  const height = Math.max(higher * (room ?? natural), least, 1);
  const drawing = await picture.draw({ ...frame, height });
  const tall = height + head;
  const inches = { width: (width * scale) / PIXELS, height: (tall * scale) / PIXELS };
  /** @param {number} value */
  const measure = (value) => (options.points ? `${Number(value.toFixed(4))}in` : `${Math.round(value * PIXELS)}`);
  const page = { xmlns: SVG, width: measure(inches.width), height: measure(inches.height) };
  const below = svgNode("g", head ? { transform: `translate(0 ${head})` } : {}, ...drawing);
  const svg = svgNode("svg", { viewBox: `0 0 ${width} ${tall}`, ...page }, below);
  const holder = document.createElement("div");
  holder.style.cssText = "position:fixed;left:-20000px;top:0;visibility:visible;pointer-events:none";
  holder.setAttribute("aria-hidden", "true");
  holder.append(svg);
  document.body.append(holder);
  addHead(svg, title, key, options, picture);
  const { cut, over } = options.points ? faults(svg) : { cut: {}, over: 0 };
  const bent = Object.values(cut).filter(Boolean).length;
  const grown = room !== null && height > 1.01 * room;
  notes.push(...(picture.notes ?? []));
  const [limit, tallness] = [options.height, inches.height].map((inch) => (inch * 25.4).toFixed(0));
  if (grown) notes.push(`There is more in it than ${limit} mm of height hold: it has ${tallness} mm.`);
  const weight = 4 * bent + over + (grown ? Math.min(0.9, height / room - 1) : 0);
  return { svg, inches, holder, notes, width, tall, cut, weight, crowded: bent + over > 0 };
}

/** A clone of an SVG on the page with its look written into it, without invisible elements and those that only the page needs.
 * @param {SVGSVGElement} live @param {string} [aids] */
export function inlineStyles(live, aids = "") {
  const clone = /** @type {SVGSVGElement} */ (live.cloneNode(true));
  const [from, to] = [live, clone].map((root) => /** @type {SVGElement[]} */ ([root, ...root.querySelectorAll("*")]));
  const helping = aids ? from.flatMap((node, k) => (node.matches(aids) ? [to[k]] : [])) : [];
  from.forEach((node, k) => {
    const style = getComputedStyle(node);
    for (const name of STYLED) to[k].style.setProperty(name, style.getPropertyValue(name));
    for (const name of ["class", "role", "tabindex"]) to[k].removeAttribute(name);
    for (const { name } of [...to[k].attributes]) if (/^(aria|data)-/.test(name)) to[k].removeAttribute(name);
  });
  const unseen = /** @type {SVGElement[]} */ ([...clone.querySelectorAll("*")]).filter(({ style, children }) => {
    if (style.display === "none") return true;
    return !children.length && style.stroke === "none" && /^(none|transparent|rgba\(.*, 0\))$/.test(style.fill);
  });
  for (const node of [...unseen, ...helping]) node.remove();
  return clone;
}

/** The SVG as a file: with the fonts that it uses, its words, and the recipe.
 * @param {Pick<Engraving, "svg" | "faces">} engraving @param {Pick<FileAbout, "title" | "words" | "recipe">} about */
export function svgText({ svg, faces: all }, { title, words, recipe }) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  for (const image of copy.querySelectorAll("[href]")) { // as readers older than SVG 2 look for it
    image.setAttributeNS("http://www.w3.org/1999/xlink", "xlink:href", image.getAttribute("href"));
    image.removeAttribute("href");
  }
  const recipeNode = document.createElementNS("https://dml-viz.invalid/recipe", "dml:recipe");
  recipeNode.textContent = recipe;
  const parts = { title, desc: words, metadata: recipeNode, style: fontFaceRules(svg, all) };
  copy.prepend(...Object.entries(parts).map(([name, content]) => svgNode(/** @type {"title" | "desc"} */ (name), {}, content)));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${allowed(new XMLSerializer().serializeToString(copy))}\n`;
}

/** The fonts in use, as rules that a style sheet inside the SVG has. @param {SVGSVGElement} svg @param {FontFile[]} all */
function fontFaceRules(svg, all) {
  const inUse = new Set();
  for (const node of svg.querySelectorAll("text, tspan")) {
    const text = [...node.childNodes].map((child) => (child instanceof Text ? child.data : "")).join("");
    if (text) facesOf(all, getComputedStyle(node), text).forEach((face) => inUse.add(face));
  }
  return [...inUse].map((face) => {
    const { name, weight, slant, bytes } = face;
    const source = face.source ??= `url(data:font/woff2;base64,${btoa(characters(bytes))}) format("woff2")`;
    return `@font-face{font-family:"${name}";font-weight:${weight};font-style:${slant};src:${source}}`;
  }).join("\n");
}

// Colours, widths of lines, and lines that ignore the scale of their group, in what every reader of SVG understands.
/** @param {SVGSVGElement} body @param {ExportOptions} options @param {(text: string) => string} colour */
function applyOptions(body, options, colour) {
  const root = body.getCTM().inverse();
  const nodes = /** @type {SVGGraphicsElement[]} */ ([...body.querySelectorAll("*")]);
  const looks = nodes.map((node) => stylesFor(node, root, options, colour)); // read all before changing any: one layout
  nodes.forEach((node, k) => {
    for (const [name, value] of Object.entries(looks[k])) {
      node.removeAttribute(name);
      node.style.setProperty(name, value);
    }
  });
}

/** @param {SVGGraphicsElement} node @param {DOMMatrix} root @param {ExportOptions} options
 * @param {(text: string) => string} colour */
function stylesFor(node, root, options, colour) {
  const style = getComputedStyle(node);
  /** @type {Record<string, string>} */
  const look = { "vector-effect": "", "stroke-dashoffset": "" };
  for (const name of ["opacity", "fill-opacity", "stroke-opacity"]) {
    if (style.getPropertyValue(name) === "1" && (name === "opacity" || node.hasAttribute(name))) look[name] = "";
  }
  for (const kind of ["fill", "stroke", "stop-color"]) {
    const value = node.style.getPropertyValue(kind) || node.getAttribute(kind);
    if (!value || value === "none" || value.startsWith("url")) continue;
    const other = colour(style.getPropertyValue(kind));
    const [, plain, alpha] = /^rgba\((.*), ([\d.]+)\)$/.exec(other) ?? [];
    look[kind] = plain ? `rgb(${plain})` : other;
    // Not every reader knows colours with their own opacity.
    const faint = `${kind.replace("-color", "")}-opacity`;
    if (plain) look[faint] = `${Number(style.getPropertyValue(faint) || 1) * Number(alpha)}`;
  }
  if (style.stroke === "none") return look;
  const fixed = style.vectorEffect === "non-scaling-stroke";
  const matrix = fixed ? root.multiply(node.getCTM()) : null;
  const factor = options.line / (matrix ? Math.sqrt(Math.abs(matrix.a * matrix.d - matrix.b * matrix.c)) : 1);
  if (factor !== 1) look["stroke-width"] = `${Number((parseFloat(style.strokeWidth) * factor).toPrecision(6))}`;
  if (style.strokeDasharray !== "none") { // in plain numbers: not every reader knows px here
    /** @param {string} dash */ const plain = (dash) => Number((parseFloat(dash) * (fixed ? factor : 1)).toPrecision(6));
    look["stroke-dasharray"] = style.strokeDasharray.split(/[ ,]+/).map(plain).join(" ");
    if (parseFloat(style.strokeDashoffset)) look["stroke-dashoffset"] = `${plain(style.strokeDashoffset)}`;
  }
  return look;
}

// The title and the key, above the drawing.
/** @param {SVGSVGElement} svg @param {string[]} title @param {KeyRow[]} key @param {ExportOptions} options
 * @param {AnyPicture} picture */
function addHead(svg, title, key, options, picture) {
  const style = `font-family:${family(options.font)};fill:${picture.paper.ink}`;
  /** @param {number} x @param {number} y @param {string} text @param {string} more */ const say = (x, y, text, more) => {
    svg.append(svgNode("text", { x, y, style: `${style};${more}` }, text));
  };
  title.forEach((line, k) => say(EDGE, LINE * (k + 1), line, "font-size:15px;font-weight:600"));
  const top = title.length ? title.length * LINE + EDGE : 0;
  key.forEach((row, k) => {
    const y = top + ROW * (k + 1) - 6;
    for (const { x, text, sign, aside } of row) {
      if (sign) {
        const made = sign();
        made.setAttribute("transform", `translate(${x + aside / 2 - 2} ${y - 5})`);
        svg.append(made);
      }
      say(x + aside, y, text, "font-size:13px");
    }
  });
}

/** Lays the colour of the page below a drawing of `width` by `height`.
 * @param {SVGSVGElement} svg @param {number} width @param {number} height @param {ExportOptions} options
 * @param {AnyPicture} picture */
export function addGround(svg, width, height, options, picture) {
  const { paper } = picture.about().palette;
  const other = paper[options.palette === "dark" ? "dark" : "light"];
  const fill = options.palette === "screen" ? picture.paper.paper : other;
  svg.prepend(svgNode("rect", { x: 0, y: 0, width, height, style: `fill:${fill}` }));
}

// The entries of a key in rows that fit, each with its place; one that is longer than a row is broken.
/** @param {KeyEntry[]} entries @param {number} width @param {string} font */
function keyRows(entries, width, font) {
  /** @type {KeyRow[]} */ const rows = [];
  let x = Infinity;
  const room = width - 2 * EDGE;
  /** @param {string} text */ const long = (text) => textWidth(text, 13, font);
  for (const entry of entries) {
    const words = long(entry.text) + 16 > room ? entry.text.split(" ") : [entry.text];
    inLines(words, (line) => long(line) + 16 <= room).forEach((text, k) => {
      const aside = entry.sign && !k ? (entry.wide ?? 12) + 4 : 0;
      const wide = long(text) + aside + 16;
      if (k || x + wide - 16 > width - EDGE) {
        rows.push([]);
        x = EDGE;
      }
      rows.at(-1).push({ text, sign: k ? null : entry.sign, aside, x });
      x += wide;
    });
  }
  return rows;
}
