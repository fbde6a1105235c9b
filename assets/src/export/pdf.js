import { builtLibrary } from "../host/assets.js";
import { svgNode } from "../draw/svg.js";
import { characters, faceOf, fontFile, serif } from "./fonts.js";
import { opacityWithin, runs } from "./measure.js";

const POINTS = 72; // to the inch
const LEVEL = 0.01; // px by which characters of one line may lie apart
const ASTRAY = 0.01; // of a font's size: by how much the browser may place a character elsewhere than its font does
const FINE = 8; // pixels to a px of a letter that is drawn as a picture
const PAINT = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-linejoin", "stroke-linecap"];

/** The promise of what writes PDF, which is large. */
export const library = () => builtLibrary("pdf_library");

/** A drawing as a PDF of one page of exactly its size, in vectors, with its text as text.
 *
 * `svg` is in the document, so that its words have places, and is taken out of it; `inches` is {width, height} of the page;
 * `faces` are those of export/fonts.js; `about` has title, words and recipe (a string), which the file carries in its metadata.
 * @param {SVGSVGElement} svg @param {Size} inches @param {FontFile[]} faces @param {FileAbout} about */
export async function pdf(svg, inches, faces, about) {
  const { jsPDF, svg2pdf } = await library();
  const format = [inches.width * POINTS, inches.height * POINTS];
  const orientation = format[0] > format[1] ? "landscape" : "portrait";
  const file = new jsPDF({ unit: "pt", format, orientation, compress: true, putOnlyUsedFonts: true, precision: 4 });
  file.__private__.setPdfVersion("1.5");
  const texts = [...svg.querySelectorAll("text")];
  const textRuns = texts.map(runs);
  const faceOfEach = textRuns.flat().map(({ style }) => faceOf(faces, style));
  const inUse = [...new Set([...faceOfEach, serif(faces), faces.at(-1)])];
  await Promise.all(inUse.map(async (face) => face.outlines ??= characters(await fontFile(`${face.file}.ttf`))));
  const fonts = new Map(inUse.map((face) => {
    file.addFileToVFS(face.file, face.outlines);
    file.addFont(face.file, nameOf(face), "normal", "400", "Identity-H");
    return [face, file.getFont(nameOf(face), "normal").metadata];
  }));
  const made = texts.map((text, k) => pieces(text, textRuns[k], faces, fonts));
  texts.forEach((text, k) => text.replaceWith(...made[k]));
  svg.remove();
  file.setDocumentProperties({ title: about.title, subject: about.words, creator: "dml-viz" });
  file.setLanguage("en").addMetadata(packet(about), true);
  addStructure(file, format, about.words);
  file.internal.write("/Figure << /MCID 0 >> BDC");
  await svg2pdf(svg, file, { x: 0, y: 0, width: format[0], height: format[1] });
  file.internal.write("EMC");
  return file.output("arraybuffer");
}

// The structure of the page for screen readers: one figure, with its description.
/** @param {PdfFile} file @param {number[]} size @param {string} words */
function addStructure(file, size, words) {
  const { events, newObject, write } = file.internal;
  let [page, root] = [0, 0];
  events.subscribe("putPage", ({ objId }) => {
    page = objId;
    write("/StructParents 0");
  });
  events.subscribe("postPutResources", () => {
    root = newObject();
    write(`<< /Type /StructTreeRoot /K ${root + 1} 0 R /ParentTree << /Nums [0 [${root + 1} 0 R]] >> >>`, "endobj");
    newObject();
    const units = Array.from(words, (_, k) => words.charCodeAt(k).toString(16).padStart(4, "0")).join("");
    write(
      `<< /Type /StructElem /S /Figure /P ${root} 0 R /Pg ${page} 0 R /K 0 /Alt <feff${units}>`,
      `/A << /O /Layout /Placement /Block /BBox [0 0 ${size.map((side) => side.toFixed(2)).join(" ")}] >> >>`,
      "endobj",
    );
  });
  events.subscribe("putCatalog", () => {
    write(`/MarkInfo << /Marked true >> /StructTreeRoot ${root} 0 R /ViewerPreferences << /DisplayDocTitle true >>`);
  });
}

/** @param {FontFile} face */ function nameOf({ name, file }) {
  return `${name.replace(/ /g, "")}-${file.split("-")[1]}`;
}

// A text as pieces, each of one look and one font, where the browser has placed it.
/** @param {SVGTextElement} text @param {TextRun[]} ownRuns @param {FontFile[]} faces @param {Map<FontFile, PdfFont>} fonts */
function pieces(text, ownRuns, faces, fonts) {
  return ownRuns.flatMap(({ parent, style, letters }) => {
    const size = parseFloat(style.fontSize);
    const look = Object.fromEntries(PAINT.map((name) => [name, style.getPropertyValue(name)]));
    const halo = style.stroke !== "none" && parseFloat(style.strokeWidth) > 0;
    const opacity = opacityWithin(parent, text.ownerSVGElement); // the library takes a word's own for that of its groups
    return lines(text, letters, style, size, faces, fonts).flatMap(({ x, y, turn, face, words }) => {
      const turned = turn ? `rotate(${turn} ${x} ${y})` : "";
      const position = { x, y, transform: `${text.getAttribute("transform") ?? ""} ${turned}`.trim(), opacity };
      /** @type {(SVGTextElement | SVGImageElement)[]} */ const none = [];
      if (!face) return style.fill === "none" ? none : [letterImage(words, size, style, position)];
      const attributes = { ...position, "font-family": nameOf(face), "font-size": size, "xml:space": "preserve", ...look };
      return [
        ...(halo ? [svgNode("text", { ...attributes, "stroke-linejoin": "round", fill: "none" }, words)] : []),
        ...(style.fill === "none" ? [] : [svgNode("text", { ...attributes, stroke: "none" }, words)]),
      ];
    });
  });
}

// A letter that no font of ours has, as the browser draws it: a font's empty box would be copied as another letter.
/** @param {string} letter @param {number} size @param {CSSStyleDeclaration} style @param {{x: number, y: number}} position */
function letterImage(letter, size, { fontFamily, fill }, position) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * FINE * size, height: 2 * FINE * size });
  const pen = canvas.getContext("2d");
  pen.font = `${FINE * size}px ${fontFamily}`;
  pen.fillStyle = fill;
  pen.fillText(letter, 0, 1.4 * FINE * size);
  const [y, side] = [position.y - 1.4 * size, 2 * size];
  return svgNode("image", { ...position, y, width: side, height: side, href: canvas.toDataURL() });
}

// Letters of one font that follow each other as the font has them, as one.
/** @param {SVGTextElement} text @param {Letter[]} letters @param {CSSStyleDeclaration} style @param {number} size
 * @param {FontFile[]} faces @param {Map<FontFile, PdfFont>} fonts */
function lines(text, letters, style, size, faces, fonts) {
  /** @type {{x: number, y: number, turn: number, face: FontFile | null, words: string}[]} */ const pieces = [];
  let pen = NaN;
  const choice = [faceOf(faces, style), serif(faces), faces.at(-1)];
  for (const { letter, index } of letters) {
    const [{ x, y }, turn] = [text.getStartPositionOfChar(index), text.getRotationOfChar(index)];
    /** @param {FontFile} face */ const glyphOf = (face) => fonts.get(face).characterToGlyph(letter.codePointAt(0));
    const face = choice.find(glyphOf) ?? null;
    const line = pieces.at(-1);
    const goesOn = line?.face === face && !turn && !line.turn && Math.abs(line.y - y) < LEVEL &&
      Math.abs(x - pen) < ASTRAY * size;
    if (goesOn) line.words += letter;
    else pieces.push({ x, y, turn, face, words: letter });
    pen = face && x + (fonts.get(face).widthOfGlyph(glyphOf(face)) * size) / 1000;
  }
  return pieces;
}

/** Not compressed, so that a search in the file finds the recipe. @param {FileAbout} about */
function packet({ title, words, recipe }) {
  /** @param {string} text */ const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  /** @param {string} text */
  const alternatives = (text) => `<rdf:Alt><rdf:li xml:lang="x-default">${plain(text)}</rdf:li></rdf:Alt>`;
  return (
    '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/">' +
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" ' +
    'xmlns:dml="https://dml-viz.invalid/recipe">' +
    `<xmp:CreateDate>${new Date().toISOString()}</xmp:CreateDate><xmp:CreatorTool>dml-viz</xmp:CreatorTool>` +
    `<dc:title>${alternatives(title)}</dc:title><dc:description>${alternatives(words)}</dc:description>` +
    `<dml:recipe>${plain(recipe)}</dml:recipe></rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="r"?>`
  );
}
