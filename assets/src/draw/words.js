// Numbers and names as the pages write them.

/** `text` as a part of a line that runs from left to right, also where its letters run the other way. @param {string} text */
export function apart(text) {
  return /[\u0590-\u08ff]/.test(text) ? `\u2068${text}\u2069` : text;
}

/** A score with two decimals; a dash where there is none. @param {number | null} value */
export function score(value) {
  return isNumber(value) ? value.toFixed(2) : "–";
}

/** A difference of scores with its sign. @param {number | null} value */
export function difference(value) {
  return isNumber(value) ? `${value < -0.005 ? "−" : "+"}${Math.abs(value).toFixed(2)}` : "–";
}

/** A number with three significant digits. @param {number | null} value */
export function short(value) {
  if (!isNumber(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace("e+", "e").replace("-", "−");
  return (size >= 100 ? value.toFixed(0) : value.toPrecision(3)).replace("-", "−");
}

/** A number with three digits, zeros at its end included. @param {number} value */
export function precise(value) {
  return value === 0 ? "0" : value.toPrecision(3).replace("-", "−");
}

/** A number with `digits` significant digits at most. @param {number} value */
export function plain(value, digits = 3) {
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** A number with three decimals, and no sign before zeros. @param {number} value */
export function fixed(value) {
  return value.toFixed(3).replace(/^-(?=[0.]+$)/, "").replace("-", "−");
}

const THOUSANDS = new Intl.NumberFormat("en");

/** A count with thousands set apart. @param {number} value */
export function count(value) {
  return THOUSANDS.format(Math.round(value));
}

/** Whether there is a finite number. @param {unknown} value @returns {value is number} */
export function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

const LETTERS = 34; // of a broken line, at most

/** Words in lines that a narrow cell holds. @param {string} words @returns {string[]} */
export function broken(words) {
  return words.match(new RegExp(`\\S.{0,${LETTERS - 1}}(?=\\s|$)`, "g")) ?? [];
}

/** Explains in the title of a node the terms in its text; `terms` are meanings by a term's forms.
 * @param {EventTarget | null} node @param {Record<string, string>} terms */
export function explain(node, terms) {
  if (!(node instanceof HTMLElement) || node.title) return;
  const text = [...node.childNodes].map((child) => (child instanceof Text ? child.data : "")).join(" ");
  const used = Object.entries(terms).filter(([forms]) => new RegExp(`(?<![\\w@-])(?:${forms})s?(?![\\w@-])`).test(text));
  if (used.length) node.title = used.map(([forms, meaning]) => `${forms.split("|")[0]}: ${meaning}`).join("\n");
}

/** What a picture of more than three dimensions is called where it is no plane. */
export const MAP = "neighbour map";

/** What a coordinate in the `picture` of points of `dim` dimensions is. @param {string} picture @param {number} dim */
export function placeIn(picture, dim) {
  return dim <= 3 ? "coordinate of the embedding" : `place in the ${picture} drawn, of ${dim} dimensions`;
}

/** `count` of things. @param {number} count @param {string} one @param {string} many */
export function counted(count, one, many) {
  return `${count} ${count === 1 ? one : many}`;
}
