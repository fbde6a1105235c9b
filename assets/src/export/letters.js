// The words of a drawing in a form that every reader of SVG understands: one text a line, at its place, with sizes in px.

import { faded, middle, runs } from "./measure.js";
import { svgNode } from "../kit/svg.js";

const LOOK = ["font-family", "font-size", "font-weight", "font-style", "fill", "fill-opacity"];
const HALO = ["stroke", "stroke-width", "stroke-opacity"];

/** Rewrites every text of `svg`, which is in the document. */
export function plainWords(svg) {
  for (const text of svg.querySelectorAll("text")) {
    const made = plain(text);
    if (made.length) text.replaceWith(...made);
    else text.remove();
  }
}

// A halo is a text of its own below: not every reader paints the outline first.
function plain(text) {
  const transform = text.getAttribute("transform");
  const lines = new Map();
  for (const run of placed(text)) {
    const line = run.parent.closest("tspan.line") ?? text;
    lines.set(line, [...(lines.get(line) ?? []), run]);
  }
  return [...lines.values()].flatMap((own) => {
    const halo = own.some(({ style }) => style.stroke !== "none" && parseFloat(style.strokeWidth) > 0);
    return (halo ? [true, false] : [false]).map((outline) => {
      const [{ style, x, end, y }] = own;
      const anchor = own.length > 1 ? "start" : style.textAnchor;
      const at = { start: x, middle: (x + end) / 2, end }[anchor];
      // The first for readers of the file, the second for the page, on which a PDF is written.
      const place = { ...(transform && { transform }), "xml:space": "preserve", style: "white-space:pre" };
      if (outline) place["aria-hidden"] = "true";
      if (own.length === 1) return node("text", { ...place, x: at, y }, own[0], text, outline, anchor);
      const parts = own.map((run) => node("tspan", { x: run.x, y: run.y }, run, text, outline, "start"));
      return svgNode("text", place, ...parts);
    });
  });
}

function node(kind, place, { style, words, parent }, text, outline, anchor) {
  const made = svgNode(kind, place, words);
  for (const name of ["x", "y"]) made.setAttribute(name, Number(place[name].toFixed(3)));
  for (const name of LOOK) made.style.setProperty(name, style.getPropertyValue(name));
  if (outline) {
    for (const name of HALO) made.style.setProperty(name, style.getPropertyValue(name));
    made.style.fill = "none";
    made.style.strokeLinejoin = "round";
  } else made.style.stroke = "none";
  made.style.textAnchor = anchor;
  const opacity = faded(parent, text.parentNode);
  if (opacity < 1) made.style.opacity = opacity;
  return made;
}

// Words of one look, and where the browser has them: from x to `end` on the line y.
function placed(text) {
  return runs(text).flatMap(({ parent, style, letters }) => {
    const words = letters.map(({ letter }) => letter).join("");
    if (!words.trim()) return [];
    const { index, letter } = letters.at(-1);
    const { x, y } = text.getStartPositionOfChar(letters[0].index);
    const { x: end } = text.getEndPositionOfChar(index + letter.length - 1);
    const central = style.dominantBaseline === "central";
    const lower = central ? middle(parseFloat(style.fontSize), style.fontFamily, style.fontWeight) : 0;
    return [{ parent, style, words, x, y: y + lower, end }];
  });
}
