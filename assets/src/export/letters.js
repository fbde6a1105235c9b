// The words of a drawing in a form that every reader of SVG understands: one text a line, at its place, with sizes in px.

import { middleHeight, opacityWithin, runs } from "./measure.js";
import { svgNode } from "../draw/svg.js";

const LOOK = ["font-family", "font-size", "font-weight", "font-style", "fill", "fill-opacity"];
const HALO = ["stroke", "stroke-width", "stroke-opacity"];

/** Rewrites every text of `svg`, which is in the document. @param {SVGSVGElement} svg */
export function plainWords(svg) {
  const texts = [...svg.querySelectorAll("text")];
  const made = texts.map(plainTexts); // read all before replacing any: one layout
  texts.forEach((text, k) => text.replaceWith(...made[k]));
}

/** A halo is a text of its own below: not every reader paints the outline first. @param {SVGTextElement} text */
function plainTexts(text) {
  const transform = text.getAttribute("transform");
  /** @type {Map<Element, PlacedRun[]>} */ const lines = new Map();
  for (const run of lettersWithPlaces(text)) {
    const line = run.parent.closest("tspan.line") ?? text;
    lines.set(line, [...(lines.get(line) ?? []), run]);
  }
  return [...lines.values()].flatMap((line) => {
    const halo = line.some(({ style }) => style.stroke !== "none" && parseFloat(style.strokeWidth) > 0);
    return (halo ? [true, false] : [false]).map((outline) => {
      const [{ style, x, end, y }] = line;
      const anchor = line.length > 1 ? "start" : style.textAnchor;
      const at = { start: x, middle: (x + end) / 2, end }[/** @type {"start" | "middle" | "end"} */ (anchor)];
      // The first for readers of the file, the second for the page, on which a PDF is written.
      /** @type {Record<string, string | number>} */
      const attributes = { ...(transform && { transform }), "xml:space": "preserve", style: "white-space:pre" };
      if (outline) attributes["aria-hidden"] = "true";
      if (line.length === 1) return node("text", { ...attributes, x: at, y }, line[0], text, outline, anchor);
      const parts = line.map((run) => node("tspan", { x: run.x, y: run.y }, run, text, outline, "start"));
      return svgNode("text", attributes, ...parts);
    });
  });
}

/** @param {"text" | "tspan"} kind @param {Record<string, string | number>} attributes @param {PlacedRun} run
 * @param {SVGTextElement} text @param {boolean} outline @param {string} anchor */
function node(kind, attributes, { style, words, parent }, text, outline, anchor) {
  const look = Object.fromEntries([...LOOK, ...(outline ? HALO : [])].map((name) => [name, style.getPropertyValue(name)]));
  Object.assign(look, outline ? { fill: "none", "stroke-linejoin": "round" } : { stroke: "none" });
  look["text-anchor"] = anchor;
  const opacity = opacityWithin(parent, text.parentNode);
  if (opacity < 1) look.opacity = String(opacity);
  const [x, y] = [attributes.x, attributes.y].map((value) => Number(Number(value).toFixed(3)));
  const css = [attributes.style, ...Object.entries(look).map((declaration) => declaration.join(":"))].filter(Boolean).join(";");
  return svgNode(kind, { ...attributes, x, y, style: css }, words);
}

/** Words of one look, and where the browser has them: from x to `end` on the line y. @param {SVGTextElement} text */
function lettersWithPlaces(text) {
  return runs(text).flatMap(({ parent, style, letters }) => {
    const words = letters.map(({ letter }) => letter).join("");
    if (!words.trim()) return [];
    const { index, letter } = letters.at(-1);
    const { x, y } = text.getStartPositionOfChar(letters[0].index);
    const { x: end } = text.getEndPositionOfChar(index + letter.length - 1);
    const central = style.dominantBaseline === "central";
    const lower = central ? middleHeight(parseFloat(style.fontSize), style.fontFamily, style.fontWeight) : 0;
    return [{ parent, style, words, x, y: y + lower, end }];
  });
}
