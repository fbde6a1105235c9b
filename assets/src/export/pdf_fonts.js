import { faceOf } from "./fonts.js";

/** The fonts of one PDF: for each face the glyphs that are used, written as a font that has these alone. */
export class Fonts {
  #used = new Map(); // of each face: its name in the file, and the character of each glyph

  constructor(all) {
    this.all = all;
  }

  /** How a character is written in a text of computed `style`: {name, glyph, width} in thousandths of the size. */
  glyph(style, code) {
    const face = faceOf(this.all, style, code);
    const known = this.#used.get(face) ?? { name: `F${this.#used.size + 1}`, characters: new Map() };
    this.#used.set(face, known);
    const glyph = face.font.glyph(code);
    known.characters.set(glyph, code);
    return { name: known.name, glyph, width: face.font.width(glyph) };
  }

  /** Writes the fonts into `file`; their entries in the page's resources. */
  async written(file) {
    return Promise.all([...this.#used].map(async ([face, use]) => `/${use.name} ${await one(file, face, use)} 0 R`));
  }
}

async function one(file, { font, name, file: from, slant }, { characters }) {
  const glyphs = [...characters.keys()].sort((a, b) => a - b);
  const called = `DMLVIZ+${name.replace(/ /g, "")}-${from.split("-")[1]}`;
  const cut = font.cut(new Set(glyphs));
  const program = await file.packed(`/Length1 ${cut.length}`, cut);
  const descriptor = file.add(
    `<< /Type /FontDescriptor /FontName /${called} /Flags 4 /FontBBox [${font.box.join(" ")}] /ItalicAngle ` +
      `${slant === "italic" ? -12 : 0} /Ascent ${font.ascent} /Descent ${font.descent} /CapHeight 660 /StemV 80 ` +
      `/FontFile2 ${program} 0 R >>`,
  );
  const widths = glyphs.map((glyph) => `${glyph} [${font.width(glyph)}]`).join(" ");
  const descendant = file.add(
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${called} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) ` +
      `/Supplement 0 >> /FontDescriptor ${descriptor} 0 R /DW 0 /W [${widths}] /CIDToGIDMap /Identity >>`,
  );
  const unicode = await file.packed("", new TextEncoder().encode(reading(characters)));
  return file.add(
    `<< /Type /Font /Subtype /Type0 /BaseFont /${called} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] ` +
      `/ToUnicode ${unicode} 0 R >>`,
  );
}

// How readers turn glyphs back into characters.
function reading(characters) {
  const hex = (value) => value.toString(16).padStart(4, "0");
  const rows = [...characters].map(([glyph, code]) => `<${hex(glyph)}> <${hex(code)}>`);
  const blocks = [];
  for (let k = 0; k < rows.length; k += 100) {
    const some = rows.slice(k, k + 100);
    blocks.push(`${some.length} beginbfchar\n${some.join("\n")}\nendbfchar`);
  }
  return (
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) " +
    "/Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def 1 begincodespacerange <0000> <ffff> " +
    `endcodespacerange\n${blocks.join("\n")}\nendcmap CMapName currentdict /CMap defineresource pop end end`
  );
}
