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

/** The nodes of `text`. @param {string} text @returns {(string | Node)[]} */
export function markup(text) {
  /** @type {(string | Node)[]} */ const nodes = [];
  let from = 0;
  for (const found of text.matchAll(PARTS)) {
    const [whole, escaped, tex, bold, italic] = found;
    if (found.index > from) nodes.push(text.slice(from, found.index));
    from = found.index + whole.length;
    if (escaped) nodes.push(escaped);
    else if (tex) nodes.push(element("span", { class: "dml-tex" }, ...formula(tex)));
    else nodes.push(element(bold ? "b" : "i", {}, ...markup(bold ?? italic)));
  }
  if (from < text.length) nodes.push(text.slice(from));
  return nodes;
}

/** The words of `text` without its marks. @param {string} text */
export function plainWords(text) {
  return markup(text).map((node) => (typeof node === "string" ? node : node.textContent)).join("");
}

/** @param {string} tex @returns {(string | Node)[]} */
function formula(tex) {
  const tokens = [...tex.matchAll(TEX)];
  let at = 0;
  /** The next sign or group. @returns {(string | Node)[]} */ const next = () => {
    const [, command, escaped, raised, brace, prime, space, sign] = tokens[at++] ?? [];
    if (command === "frac") {
      const [above, below] = [next(), next()];
      return [...above, "⁄", ...below];
    }
    if (command === "sqrt") return ["√", element("span", { class: "dml-root" }, ...next())];
    if (NOTHING.includes(command)) return [];
    if (UPRIGHT.includes(command)) return [element("span", { class: "dml-upright" }, command)];
    if (command) return [SIGNS[command] ?? command];
    if (escaped) return [",;:! ".includes(escaped) ? "\u2009" : escaped];
    if (raised) return [element(raised === "^" ? "sup" : "sub", {}, ...next())];
    if (brace === "{") {
      /** @type {(string | Node)[]} */ const group = [];
      while (at < tokens.length && tokens[at][4] !== "}") group.push(...next());
      at += 1;
      return group;
    }
    if (prime) return ["′".repeat(prime.length)];
    if (space || brace) return [];
    return sign ? [/[A-Za-z]/.test(sign) ? element("i", {}, sign) : sign === "-" ? "−" : sign] : [];
  };
  /** @type {(string | Node)[]} */ const nodes = [];
  while (at < tokens.length) nodes.push(...next());
  return nodes;
}
