// Words of a question, in Markdown with TeX between dollars, as nodes. No text becomes HTML: a teacher's words are words.

import { element } from "../draw/panel.js";

const PARTS = /\\([\\`*_[\]<>$|~#:])|\$([^$\n]+)\$|\*\*(.+?)\*\*|\*(.+?)\*/gs;
const TEX = /\\([A-Za-z]+)\s?|\\(.)|([_^])|([{}])|('+)|(\s+)|(.)/gs;
/** @type {Record<string, string>} */ const SIGNS = {
  alpha: "α",
  beta: "β",
  gamma: "γ",
  delta: "δ",
  epsilon: "ε",
  theta: "θ",
  lambda: "λ",
  mu: "μ",
  sigma: "σ",
  tau: "τ",
  pi: "π",
  phi: "φ",
  Delta: "Δ",
  Sigma: "Σ",
  sum: "∑",
  cdot: "·",
  times: "×",
  le: "≤",
  leq: "≤",
  ge: "≥",
  geq: "≥",
  ne: "≠",
  neq: "≠",
  approx: "≈",
  to: "→",
  infty: "∞",
  pm: "±",
  ldots: "…",
  dots: "…",
  circ: "°",
  quad: " ",
  in: "∈",
};
const UPRIGHT = ["sin", "cos", "tan", "log", "exp", "max", "min", "arctan", "arccos"];
const NOTHING = ["text", "mathrm", "mathbf", "operatorname", "left", "right", "displaystyle"];

/** A word, or what stands in a tag: its name, its class, and its parts.
 * @typedef {string | {tag: "b" | "i" | "sup" | "sub" | "span", kind: string, parts: Part[]}} Part */

/** @param {"b" | "i" | "sup" | "sub" | "span"} tag @param {Part[]} parts @returns {Part} */
const tagged = (tag, parts, kind = "") => ({ tag, kind, parts });
/** @param {Part} part @returns {string | Node} */ const node = (part) =>
  typeof part === "string" ? part : element(
    part.tag,
    part.kind ? { class: part.kind } : {},
    ...part.parts.map(node),
  );
/** @param {Part} part @returns {string} */ const words = (part) =>
  typeof part === "string" ? part : part.parts.map(words).join("");

/** The nodes of `text`. @param {string} text @returns {(string | Node)[]} */
export function markup(text) {
  return read(text).map(node);
}

/** The words of `text` without its marks. @param {string} text */
export function plainWords(text) {
  return read(text).map(words).join("");
}

/** @param {string} text @returns {Part[]} */ function read(text) {
  /** @type {Part[]} */ const parts = [];
  let from = 0;
  for (const found of text.matchAll(PARTS)) {
    const [whole, escaped, tex, bold, italic] = found;
    if (found.index > from) parts.push(text.slice(from, found.index));
    from = found.index + whole.length;
    if (escaped) parts.push(escaped);
    else if (tex) parts.push(tagged("span", formula(tex), "dml-tex"));
    else parts.push(tagged(bold ? "b" : "i", read(bold ?? italic)));
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** @param {string} tex @returns {Part[]} */
function formula(tex) {
  const tokens = [...tex.matchAll(TEX)];
  let at = 0;
  /** The next sign or group. @returns {Part[]} */ const next = () => {
    const [, command, escaped, raised, brace, prime, space, sign] = tokens[at++] ?? [];
    if (command === "frac") {
      const [above, below] = [next(), next()];
      return [...above, "⁄", ...below];
    }
    if (command === "sqrt") return ["√", tagged("span", next(), "dml-root")];
    if (NOTHING.includes(command)) return [];
    if (UPRIGHT.includes(command)) return [command];
    if (command) return [SIGNS[command] ?? command];
    if (escaped) return [",;:! ".includes(escaped) ? "\u2009" : escaped];
    if (raised) return [tagged(raised === "^" ? "sup" : "sub", next())];
    if (brace === "{") {
      /** @type {Part[]} */ const group = [];
      while (at < tokens.length && tokens[at][4] !== "}") group.push(...next());
      at += 1;
      return group;
    }
    if (prime) return ["′".repeat(prime.length)];
    if (space || brace) return [];
    return sign
      ? [
        /[A-Za-z]/.test(sign) ? tagged("i", [sign]) : sign === "-" ? "−" : sign,
      ]
      : [];
  };
  /** @type {Part[]} */ const parts = [];
  while (at < tokens.length) parts.push(...next());
  return parts;
}
