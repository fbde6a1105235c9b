// The words of a drawing as every reader of SVG understands them: one text a line, at its place, with sizes in px.

import { middle } from "./measure.js";
import { svgNode } from "../kit/svg.js";

const UNSEEN = /\p{Default_Ignorable_Code_Point}/u; // such as what Plotly puts around a subscript; fonts draw a box for it
const LOOK = ["font-family", "font-size", "font-weight", "font-style", "fill", "fill-opacity"];
const HALO = ["stroke", "stroke-width", "stroke-opacity"];

/** Writes every text of `svg`, which stands in the document, anew. */
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
  for (const run of runs(text)) {
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
      return svgNode(
        "text",
        place,
        ...own.map((run) => node("tspan", { x: run.x, y: run.y }, run, text, outline, "start")),
      );
    });
  });
}

function node(kind, place, { style, words, parent }, text, outline, anchor) {
  const rounded = Object.entries(place).map((
    [name, value],
  ) => [name, typeof value === "number" ? Number(value.toFixed(3)) : value]);
  const made = svgNode(kind, Object.fromEntries(rounded), words);
  for (const name of LOOK) made.style.setProperty(name, style.getPropertyValue(name));
  if (outline) {
    for (const name of HALO) made.style.setProperty(name, style.getPropertyValue(name));
    made.style.fill = "none";
    made.style.strokeLinejoin = "round";
  } else made.style.stroke = "none";
  made.style.textAnchor = anchor;
  const opacity = faded(parent, text);
  if (opacity < 1) made.style.opacity = opacity;
  return made;
}

// Words of one look, and where the browser has them: from x to `end` on the line y.
function runs(text) {
  const found = [];
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const count = text.getNumberOfChars();
  let index = 0;
  for (let part = walker.nextNode(); part; part = walker.nextNode()) {
    const style = getComputedStyle(part.parentElement);
    let [words, first, last] = ["", -1, -1];
    for (const letter of part.data) {
      if (index >= count) break;
      if (!UNSEEN.test(letter)) {
        words += letter;
        if (first < 0) first = index;
        last = index + letter.length - 1;
      }
      index += letter.length;
    }
    if (!words.trim() || style.visibility !== "visible") continue;
    const { x, y } = text.getStartPositionOfChar(first);
    const lower = style.dominantBaseline === "central"
      ? middle(parseFloat(style.fontSize), style.fontFamily, style.fontWeight)
      : 0;
    found.push({ parent: part.parentElement, style, words, x, y: y + lower, end: text.getEndPositionOfChar(last).x });
  }
  return found;
}

// How faint the parts between a text and its words make them.
function faded(part, whole) {
  let opacity = Number(getComputedStyle(whole).opacity);
  for (let at = part; at !== whole; at = at.parentNode) opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}
