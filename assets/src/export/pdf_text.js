import { numbers } from "./pdf_path.js";

const LEVEL = 0.01; // px by which characters of one line may lie apart
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u; // such as what Plotly puts around a subscript; fonts draw a box for it

/** Says the words of an SVG text as the browser has placed them, each run of one look in one piece. */
export function text(node, opacity, pen) {
  for (const { style, letters } of runs(node)) {
    const clear = opacity * faded(style.parent, node);
    const size = parseFloat(style.fontSize);
    const outlined = style.stroke !== "none" && parseFloat(style.strokeWidth) > 0;
    const first = /^stroke/.test(style.paintOrder) ? ["stroke", "fill"] : ["fill", "stroke"];
    for (const kind of first) {
      if (kind === "stroke" && !(outlined && pen.stroke(style))) continue;
      if (kind === "fill" && style.fill === "none") continue;
      if (!pen.paint(kind, style, clear)) continue;
      pen.say(`BT ${kind === "stroke" ? 1 : 0} Tr`);
      for (const line of lines(letters)) pen.say(set(line, style, size, pen.page.fonts));
      pen.say("ET");
    }
  }
}

// How faint the parts between a text and its words make them.
function faded(part, whole) {
  let opacity = 1;
  for (let at = part; at !== whole; at = at.parentNode) opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

function runs(node) {
  const found = [];
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const count = node.getNumberOfChars();
  let index = 0;
  for (let part = walker.nextNode(); part; part = walker.nextNode()) {
    const computed = getComputedStyle(part.parentNode);
    const style = { parent: part.parentNode };
    for (const name of NAMES) style[name] = computed[name];
    const letters = [];
    for (const letter of part.data) {
      if (index >= count) break;
      const { x, y } = node.getStartPositionOfChar(index);
      if (!UNSEEN.test(letter)) {
        letters.push({ code: letter.codePointAt(0), x, y, turn: node.getRotationOfChar(index) });
      }
      index += letter.length;
    }
    if (style.visibility === "visible" && letters.length) found.push({ style, letters });
  }
  return found;
}

const NAMES = [
  "fontFamily",
  "fontWeight",
  "fontStyle",
  "fontSize",
  "fill",
  "fillOpacity",
  "stroke",
  "strokeOpacity",
  "strokeWidth",
  "strokeDasharray",
  "strokeDashoffset",
  "strokeLinecap",
  "strokeLinejoin",
  "paintOrder",
  "visibility",
];

function lines(letters) {
  const found = [];
  for (const letter of letters) {
    const line = found.at(-1);
    const same = line && Math.abs(line[0].y - letter.y) < LEVEL && line[0].turn === letter.turn && !letter.turn;
    if (same) line.push(letter);
    else found.push([letter]);
  }
  return found;
}

// One line: glyphs of one font together, moved by what the browser's places differ from the font's own widths.
function set(line, style, size, fonts) {
  const out = [];
  let [font, glyphs] = [null, ""];
  const [{ x, y, turn }] = line;
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const finish = () => glyphs && out.push(`[${glyphs}] TJ`);
  let pen = x;
  for (const { code, x: place } of line) {
    const { name, glyph, width } = fonts.glyph(style, code);
    if (name !== font) {
      finish();
      out.push(`/${name} ${numbers(size)} Tf ${numbers(cos, sin, sin, -cos, place, y)} Tm`);
      [font, glyphs, pen] = [name, "", place];
    }
    const shift = ((pen - place) / size) * 1000;
    if (Math.abs(shift) > 0.5) glyphs += `${numbers(shift)} `;
    glyphs += `<${glyph.toString(16).padStart(4, "0")}>`;
    pen = place + (width * size) / 1000;
  }
  finish();
  return out.join(" ");
}
