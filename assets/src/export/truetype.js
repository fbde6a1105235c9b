// What exports need of a TrueType font: which glyph a character has, how wide it is, and the font cut down to some glyphs.

const [WORDS, SCALED, BOTH, TWO_BY_TWO, MORE] = [1, 8, 64, 128, 32]; // flags of a part of a composite glyph

/** A TrueType font with outlines in a glyf table. */
export class TrueType {
  /** `bytes` is the font file. */
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.tables = new Map();
    for (let k = 0; k < this.view.getUint16(4); k += 1) {
      const at = 12 + 16 * k;
      const tag = String.fromCharCode(...bytes.subarray(at, at + 4));
      this.tables.set(tag, { at: this.view.getUint32(at + 8), length: this.view.getUint32(at + 12) });
    }
    const [head, hhea] = ["head", "hhea"].map((tag) => this.tables.get(tag).at);
    this.em = this.view.getUint16(head + 18);
    this.long = this.view.getInt16(head + 50) === 1;
    this.ascent = this.#thousandths(this.view.getInt16(hhea + 4));
    this.descent = this.#thousandths(this.view.getInt16(hhea + 6));
    this.measured = this.view.getUint16(hhea + 34);
    this.count = this.view.getUint16(this.tables.get("maxp").at + 4);
    this.glyphs = this.#characters();
  }

  /** The glyph of a character's code; 0 where the font has none. */
  glyph(code) {
    return this.glyphs.get(code) ?? 0;
  }

  /** How wide a glyph is, in thousandths of the font's size. */
  width(glyph) {
    const at = this.tables.get("hmtx").at + 4 * Math.min(glyph, this.measured - 1);
    return this.#thousandths(this.view.getUint16(at));
  }

  /** The font file with the outlines of `glyphs` (a Set) alone; every glyph keeps its number. */
  cut(glyphs) {
    const used = this.#closed(glyphs);
    const places = new Uint32Array(this.count + 1);
    const parts = [];
    let length = 0;
    for (let glyph = 0; glyph < this.count; glyph += 1) {
      places[glyph] = length;
      if (!used.has(glyph)) continue;
      const outline = this.#outline(glyph);
      const padded = new Uint8Array(Math.ceil(outline.length / 4) * 4);
      padded.set(outline);
      parts.push(padded);
      length += padded.length;
    }
    places[this.count] = length;
    const loca = new DataView(new ArrayBuffer(4 * places.length));
    places.forEach((place, k) => loca.setUint32(4 * k, place));
    const head = this.#table("head").slice();
    new DataView(head.buffer).setInt16(50, 1); // long places
    return file(
      new Map([...this.tables.keys()].map((tag) => [tag, this.#table(tag)])).set("head", head).set(
        "glyf",
        joined(parts),
      ).set("loca", new Uint8Array(loca.buffer)),
    );
  }

  #thousandths(units) {
    return Math.round((1000 * units) / this.em);
  }

  #table(tag) {
    const { at, length } = this.tables.get(tag);
    return this.bytes.subarray(at, at + length);
  }

  #outline(glyph) {
    const [loca, glyf] = ["loca", "glyf"].map((tag) => this.tables.get(tag).at);
    const place = (k) => (this.long ? this.view.getUint32(loca + 4 * k) : 2 * this.view.getUint16(loca + 2 * k));
    return this.bytes.subarray(glyf + place(glyph), glyf + place(glyph + 1));
  }

  // The glyphs and all that they are made of.
  #closed(glyphs) {
    const used = new Set([0, ...glyphs]);
    for (const glyph of used) {
      const outline = this.#outline(glyph);
      const view = new DataView(outline.buffer, outline.byteOffset, outline.byteLength);
      if (!outline.length || view.getInt16(0) >= 0) continue;
      for (let [at, flags] = [10, MORE]; flags & MORE;) {
        flags = view.getUint16(at);
        used.add(view.getUint16(at + 2));
        at += 4 + (flags & WORDS ? 4 : 2) + (flags & SCALED ? 2 : flags & BOTH ? 4 : flags & TWO_BY_TWO ? 8 : 0);
      }
    }
    return used;
  }

  // By code, of the first table of characters of format 4; our fonts have no character beyond its reach.
  #characters() {
    const { view } = this;
    const cmap = this.tables.get("cmap").at;
    const found = new Map();
    for (let k = 0; k < view.getUint16(cmap + 2); k += 1) {
      const at = cmap + view.getUint32(cmap + 4 + 8 * k + 4);
      if (view.getUint16(at) !== 4) continue;
      const segments = view.getUint16(at + 6) / 2;
      const column = (n, j) => at + 14 + 2 * (n * segments + j) + (n > 0 ? 2 : 0);
      for (let j = 0; j < segments; j += 1) {
        const [last, first] = [view.getUint16(column(0, j)), view.getUint16(column(1, j))];
        const [shift, far] = [view.getUint16(column(2, j)), view.getUint16(column(3, j))];
        for (let code = first; code <= last && code < 0xffff; code += 1) {
          const own = far ? view.getUint16(column(3, j) + far + 2 * (code - first)) : code;
          if (own) found.set(code, (own + shift) & 0xffff);
        }
      }
      break;
    }
    return found;
  }
}

// A font file of tables by tag.
function file(tables) {
  const tags = [...tables.keys()].sort();
  const start = 12 + 16 * tags.length;
  let at = start;
  const head = new DataView(new ArrayBuffer(start));
  const power = Math.floor(Math.log2(tags.length));
  head.setUint32(0, 0x00010000);
  head.setUint16(4, tags.length);
  head.setUint16(6, 16 * 2 ** power);
  head.setUint16(8, power);
  head.setUint16(10, 16 * (tags.length - 2 ** power));
  const parts = [new Uint8Array(head.buffer)];
  tags.forEach((tag, k) => {
    const table = tables.get(tag);
    const padded = new Uint8Array(Math.ceil(table.length / 4) * 4);
    padded.set(table);
    [...tag].forEach((letter, j) => head.setUint8(12 + 16 * k + j, letter.charCodeAt(0)));
    head.setUint32(12 + 16 * k + 4, checksum(padded));
    head.setUint32(12 + 16 * k + 8, at);
    head.setUint32(12 + 16 * k + 12, table.length);
    parts.push(padded);
    at += padded.length;
  });
  return joined(parts);
}

function checksum(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}

/** Arrays of bytes one after the other. */
export function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
