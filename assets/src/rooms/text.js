// Text as Python's formats write it: rounding is exact, and a tie goes to the even digit.

const PLACES = 100; // the most decimals that JavaScript writes, in which a tie is told from what is near one
const SPEC = /^([+ ]?)(,?)(?:\.(\d+))?([a-z%]?)$/;

/** `x` by a format such as ".3f", ".1%", ",", "g" or "+.2f"; a text without one. @param {FromPython} x @param {string} spec */
export function format(x, spec) {
  if (!spec) return str(x);
  const match = SPEC.exec(spec);
  if (!match) throw new RangeError(`the format ${spec} is not known`);
  const [, sign, comma, digits, kind] = match;
  if (typeof x === "string") return x;
  const places = digits === undefined ? 6 : Number(digits);
  const value = Number(x);
  const size = Math.abs(value);
  const negative = value < 0 || Object.is(value, -0);
  let text = Number.isNaN(value) ? "nan" : size === Infinity ? "inf" : write(size, kind || (digits ? "n" : "d"), places);
  if (comma) text = text.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
  if (kind === "%") text += "%";
  return `${negative ? "-" : sign}${text}`;
}

/** @param {number} size @param {string} kind @param {number} places */
function write(size, kind, places) {
  if (kind === "d") return str(size);
  if (kind === "%") return fixed(size * 100, places);
  if (kind === "f") return fixed(size, places);
  if (kind === "e") return power(size, places);
  const digits = places || 1;
  const [mantissa, exponent] = power(size, digits - 1).split("e");
  const least = Number(exponent);
  if (least < -4 || least >= digits) return `${short(mantissa)}e${exponent}`;
  return short(fixed(size, digits - 1 - least));
}

/** @param {string} text */
const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

/** `size` with so many decimals. @param {number} size @param {number} places */
function fixed(size, places) {
  if (size >= 1e21) return BigInt(size).toString() + (places ? `.${"0".repeat(places)}` : "");
  return even(size.toFixed(places), size.toFixed(Math.min(PLACES, places + 1)), size.toFixed(PLACES), places);
}

/** `size` with a power of ten of two digits at least. @param {number} size @param {number} places */
function power(size, places) {
  const [digits, exponent] = size.toExponential(places).split("e");
  const longer = size.toExponential(Math.min(PLACES, places + 1)).split("e");
  const whole = size.toExponential(PLACES).split("e");
  const settled = longer[1] === exponent ? even(digits, longer[0], whole[0], places) : digits;
  return `${settled}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

// JavaScript rounds a tie up: where the number is one, and its last digit is now odd, one less is even.
/** @param {string} text @param {string} longer @param {string} whole @param {number} places */
function even(text, longer, whole, places) {
  const decimals = (whole.split(".")[1] ?? "").slice(places);
  if (!/^50*$/.test(decimals) || !longer.endsWith("5") || Number(text.at(-1)) % 2 === 0) return text;
  return text.slice(0, -1) + (Number(text.at(-1)) - 1);
}

/** str(x) @param {FromPython} x @returns {string} */
export function str(x) {
  if (x === null || x === undefined) return "None";
  if (typeof x === "boolean") return x ? "True" : "False";
  if (typeof x !== "number") return String(x);
  if (Number.isNaN(x)) return "nan";
  if (!Number.isFinite(x)) return x > 0 ? "inf" : "-inf";
  const size = Math.abs(x);
  if (!size || (size >= 1e-4 && size < 1e16)) return Object.is(x, -0) ? "-0.0" : String(x);
  const [digits, exponent] = x.toExponential().split("e");
  return Number.isInteger(x) && size < 1e21 ? String(BigInt(x)) : `${digits}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

str.called = "str";

/** The text of parts, one behind the other. @param {...FromPython} parts */
export const text = (...parts) => parts.join("");

/** s.partition(mark) @param {string} s @param {string} mark */
export function partition(s, mark) {
  const place = s.indexOf(mark);
  return place < 0 ? [s, "", ""] : [s.slice(0, place), mark, s.slice(place + mark.length)];
}

/** re.sub(pattern, instead, s) @param {string} pattern @param {string} instead @param {string} s */
export const substituted = (pattern, instead, s) => s.replace(new RegExp(pattern, "gu"), instead);

/** s.translate(table) @param {string} s @param {Map<number, string>} table */
export const translated = (s, table) => [...s].map((letter) => table.get(letter.codePointAt(0) ?? 0) ?? letter).join("");

/** repr(x) @param {FromPython} x */ export const repr = (x) => (typeof x === "string" ? `'${x}'` : str(x));

/** A pattern of Python's re, as far as JavaScript writes it alike. */
export class Pattern {
  /** @param {string} source */ constructor(source) {
    this.source = source;
  }
  /** @param {string} s */ search(s) {
    const match = new RegExp(this.source, "u").exec(s);
    return match && new Match(match);
  }
}

/** What a pattern matches. */
class Match {
  /** @param {RegExpExecArray} parts */ constructor(parts) {
    this.parts = parts;
  }
  /** @param {number} k */ get(k) {
    return this.parts[k];
  }
  groups() {
    return this.parts.slice(1);
  }
}
