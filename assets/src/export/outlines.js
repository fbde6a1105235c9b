import { oncePromised } from "../host/attempt.js";
import { builtLibrary } from "../host/assets.js";
import { faceOf, fontFile, serif } from "./fonts.js";
import { runs } from "./measure.js";
import { svgNode } from "../draw/svg.js";

const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-linejoin", "opacity"];

/** Draws the words of `svg`, which is in the document, as the outlines of their letters, for readers that lack the fonts.
 * @param {SVGSVGElement} svg @param {FontFile[]} faces */
export async function outlineWords(svg, faces) {
  const fonts = await fontsByFile(faces);
  for (const text of svg.querySelectorAll("text")) {
    const transform = text.getAttribute("transform");
    const group = svgNode("g", transform ? { transform } : {});
    for (const { style, letters } of runs(text)) {
      const path = svgNode("path", { d: pathOf(text, letters, style, faces, fonts) });
      for (const name of PAINT) path.style.setProperty(name, style.getPropertyValue(name));
      group.append(path);
    }
    text.replaceWith(group);
  }
}

const fontsByFile = oncePromised(async (/** @type {FontFile[]} */ faces) => {
  const { parse } = await builtLibrary("outline_library");
  /** @param {FontFile} face @returns {Promise<[string, OutlineFont]>} */
  const read = async (face) => [face.file, parse((await fontFile(`${face.file}.ttf`)).buffer)];
  return new Map(await Promise.all(faces.map(read)));
});

// Each letter where the browser has it; one that no font of ours has is left out, as there is no outline of it.
/** @param {SVGTextElement} text @param {Letter[]} letters @param {CSSStyleDeclaration} style @param {FontFile[]} faces
 * @param {Map<string, OutlineFont>} fonts */
function pathOf(text, letters, style, faces, fonts) {
  const size = parseFloat(style.fontSize);
  const choice = [faceOf(faces, style), serif(faces), faces.at(-1)].map(({ file }) => fonts.get(file));
  return letters.filter(({ letter }) => letter.trim()).map(({ letter, index }) => {
    const font = choice.find((candidate) => candidate.charToGlyphIndex(letter) > 0);
    const { x, y } = text.getStartPositionOfChar(index);
    return font ? commandsText(font.charToGlyph(letter).getPath(x, y, size).commands) : "";
  }).join("");
}

/** The library itself writes invalid text for numbers near 0. @param {PathCommand[]} commands */
function commandsText(commands) {
  const names = ["x1", "y1", "x2", "y2", "x", "y"];
  return commands.map((command) =>
    command.type + names.filter((name) => name in command).map((name) => Number(Number(command[name]).toFixed(3))).join(" ")
  ).join("");
}
