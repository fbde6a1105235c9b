import { ASSETS } from "../kit/plotly.js";
import { TrueType } from "./truetype.js";

// The fonts that ship with the app (fonts/LICENSE.txt), so that an export looks alike everywhere.

const SYMBOLS = "DML Symbols";
const FAMILIES = { sans: "DML Sans", serif: "DML Serif" };
const ELSE = { sans: "Helvetica, Arial, sans-serif", serif: "Times, 'Times New Roman', serif" };
const STYLES = [
  { style: "regular", weight: "400", slant: "normal" },
  { style: "bold", weight: "600 900", slant: "normal" },
  { style: "italic", weight: "400", slant: "italic" },
];

let loading = null;

/** What to write as font-family for "sans" or "serif". */
export function family(kind) {
  return `'${FAMILIES[kind]}', '${SYMBOLS}', ${ELSE[kind]}`;
}

/** The promise of all faces, known to the document from then on. */
export function faces() {
  const wanted = Object.entries(FAMILIES).flatMap(([kind, name]) =>
    STYLES.map(({ style, weight, slant }) => ({ name, weight, slant, file: `${kind}-${style}` }))
  );
  wanted.push({ name: SYMBOLS, weight: "400", slant: "normal", file: "symbols-regular" });
  loading ??= Promise.all(wanted.map(loaded)).catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
}

/** The face that draws a character where a text's computed style is `style`: its own if it has the character. */
export function faceOf(all, { fontFamily, fontWeight, fontStyle }, code) {
  const serif = fontFamily.includes(FAMILIES.serif);
  const own = all.filter(({ name }) => name === (serif ? FAMILIES.serif : FAMILIES.sans));
  const [regular, bold, italic] = own;
  const face = Number(fontWeight) >= 600 ? bold : fontStyle === "italic" ? italic : regular;
  if (face.font.glyph(code)) return face;
  const symbols = all.at(-1);
  return symbols.font.glyph(code) ? symbols : face;
}

async function loaded({ name, weight, slant, file }) {
  const bytes = await read(new URL(`fonts/${file}.ttf`, ASSETS));
  const face = new FontFace(name, bytes, { weight, style: slant });
  document.fonts.add(await face.load());
  return { name, weight, slant, file, font: new TrueType(bytes) };
}

// Not by fetch, which reads no file: on the server the page that prints is one.
function read(url) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("GET", url);
    request.responseType = "arraybuffer";
    const failed = () => reject(new Error(`the font ${url} could not be loaded`));
    request.onload = () => (request.response?.byteLength ? resolve(new Uint8Array(request.response)) : failed());
    request.onerror = failed;
    request.send();
  });
}
