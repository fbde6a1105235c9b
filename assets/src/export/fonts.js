import { needed, oncePromised } from "../host/attempt.js";
import { bytesOf, hasFile } from "../host/assets.js";

// The fonts that ship with the app (fonts/LICENSE.txt), so that an export looks alike everywhere.

const SYMBOLS = "DML Symbols";
/** @type {Record<string, string>} */ const FAMILIES = { sans: "DML Sans", serif: "DML Serif", modern: "DML Modern" };
const TIMES = "Times, 'Times New Roman', serif";
/** @type {Record<string, string>} */
const ELSE = { sans: "Helvetica, Arial, sans-serif", serif: TIMES, modern: `'DML Serif', 'DML Symbols', ${TIMES}` };
const STYLES = [
  { style: "regular", weight: "400", slant: "normal" },
  { style: "bold", weight: "600 900", slant: "normal" },
  { style: "italic", weight: "400", slant: "italic" },
];

// The signs that a text may need of the symbols: what is neither Latin, Greek nor punctuation.
const SIGN = /[^\0-\u03ff\u2000-\u206f]/;

const PLAIN = /^[\0-\u03ff]*$/;

/** What to write as font-family for "sans", "serif" or "modern", whose signs the serif has. @param {string} kind */
export function family(kind) {
  return `'${FAMILIES[kind]}', ${kind === "modern" ? "" : `'${SYMBOLS}', `}${ELSE[kind]}`;
}

/** The promise of all faces, known to the document from then on; the last one has the symbols. */
export const faces = oncePromised(() => {
  const files = Object.entries(FAMILIES).flatMap(([kind, name]) =>
    STYLES.map(({ style, weight, slant }) => ({ name, weight, slant, file: `${kind}-${style}` }))
  );
  files.push({ name: SYMBOLS, weight: "400", slant: "normal", file: "symbols-regular" });
  return Promise.all(files.filter(({ file }) => hasFile(`fonts/${file}.woff2`)).map(loadFace));
});

/** The face of a text whose computed style is `style`, but for its symbols. @param {FontFile[]} all @param {FontStyle} style */
export function faceOf(all, { fontFamily, fontWeight, fontStyle }) {
  const kind = ["modern", "serif"].find((name) => fontFamily.includes(FAMILIES[name])) ?? "sans";
  const name = FAMILIES[kind];
  const [regular, bold, italic] = all.filter((face) => face.name === name);
  return Number(fontWeight) >= 600 ? bold : fontStyle === "italic" ? italic ?? regular : regular;
}

/** The faces that draw `words` where a text's computed style is `style`.
 * @param {FontFile[]} all @param {FontStyle} style @param {string} words */
export function facesOf(all, style, words) {
  const main = faceOf(all, style);
  return [
    main,
    ...(main.name === FAMILIES.modern && !PLAIN.test(words) ? [serif(all)] : []),
    ...(SIGN.test(words) ? [all.at(-1)] : []),
  ];
}

/** The upright serif, with signs that Computer Modern does not have. @param {FontFile[]} all */
export function serif(all) {
  return all.find(({ name }) => name === FAMILIES.serif);
}

/** @param {FontFile} face */ async function loadFace(face) {
  const bytes = await fontFile(`${face.file}.woff2`);
  const { name, weight, slant: style } = face;
  document.fonts.add(await new FontFace(name, bytes, { weight, style }).load());
  return { ...face, bytes };
}

/** The promise of the bytes of a font. @param {string} name */
export function fontFile(name) {
  return needed(() => bytesOf(`fonts/${name}`));
}

/** Bytes as the characters of those codes. @param {Uint8Array<ArrayBuffer>} bytes */
export function characters(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return text;
}
