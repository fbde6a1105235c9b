// Formulas as MathML, and as words. A lesson's file and a phone's page have to stay small, and their formulas use few commands: a
// library that knows all of TeX is larger than all else there. What is not known here is shown as it is written.

const MATHML = "http://www.w3.org/1998/Math/MathML";
/** @type {Record<string, string>} letters and signs by their names; those in `SIGNS` are operators */
const LETTERS = {
  ...named("alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ"),
  ...named("kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ"),
  ...named("sigma σ tau τ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Sigma Σ Phi Φ Psi Ψ Omega Ω"),
  ...named("ell ℓ infty ∞ partial ∂ nabla ∇ emptyset ∅ top ⊤ bot ⊥ dots … ldots … cdots ⋯ prime ′"),
};
const SIGNS = {
  ...named("le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ approx ≈ equiv ≡ sim ∼ in ∈ notin ∉ subset ⊂ cup ∪ cap ∩ setminus ∖ to → mapsto ↦"),
  ...named(
    "rightarrow → longrightarrow ⟶ leftarrow ← Rightarrow ⇒ cdot · times × pm ± mp ∓ ast ∗ circ ∘ odot ⊙ mid ∣ vert | Vert ‖",
  ),
  ...named("lVert ‖ rVert ‖ lvert | rvert | langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ | ‖ { { } } % % # # & & $ $ _ _"),
};
const LARGE = named("sum ∑ prod ∏ int ∫");
const UPRIGHT = "log exp max min sin cos tan arctan arcsin arccos arg det dim sup inf ln lim softplus".split(" ");
const UNDER = ["max", "min", "sup", "inf", "lim"]; // whose indices stand below
const ACCENTS = named("hat ^ bar ¯ tilde ~ vec → dot ˙ overline ¯");
/** @type {Record<string, string>} */
const SPACES = { " ": "0.3em", ...named(", 0.17em : 0.22em ; 0.28em ! -0.17em quad 1em qquad 2em") };
// The letters of other alphabets: the first of them, and those that have another place.
/** @type {Record<string, [number, Record<string, string>]>} */ const ALPHABETS = {
  mathcal: [0x1d49c, named("B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ")],
  mathbb: [0x1d538, named("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ")],
  mathbf: [0x1d400, {}],
};
const WORDS = "text mathrm textrm operatorname textit mathit textbf mbox".split(" ");
const SKIPPED = "displaystyle textstyle limits nolimits allowbreak bigl bigr Bigl Bigr big Big bigg Bigg middle".split(" ");
const UNSEEN = ["vphantom", "phantom", "label"]; // with what they are of
const BREAK = /,\\q?quad\s/; // where a formula may go on in the next line

/** An element of MathML. @typedef {{name: string, attributes: Record<string, string>, parts: Part[]}} Tree */
/** @typedef {Tree | string} Part */

/** A formula in parts that may stand below each other. @param {string} tex @param {boolean} display */
export function formula(tex, display = false) {
  return (tex.includes("\\begin") ? [tex] : tex.replace(/\\allowbreak\s*/g, "").split(BREAK)).map((part, k, all) => {
    const row = tree("mrow", {}, ...read(`${part}${k < all.length - 1 ? "," : ""}`));
    return mathml(tree("math", display ? { display: "block", displaystyle: "true" } : {}, row));
  });
}

/** A formula in words. @param {string} tex */
export function formulaWords(tex) {
  return read(tex).map(words).join("");
}

/** @param {string} tex */ function read(tex) {
  const reader = new Reader(tex);
  return reader.row(() => !reader.next);
}

/** Reads a formula from its beginning to its end. */
class Reader {
  /** @param {string} tex */ constructor(tex) {
    this.tokens = tex.match(/\\[A-Za-z]+|\\[^A-Za-z]|\d+(?:\.\d+)?|[^\s]|\s+/gu) ?? [];
    this.at = 0;
  }

  get next() {
    while (/^\s+$/.test(this.tokens[this.at] ?? "")) this.at += 1;
    return this.tokens[this.at];
  }

  take() {
    const token = this.next;
    this.at += 1;
    return token;
  }

  /** The parts up to where it is `over`. @param {() => boolean} over */ row(over) {
    /** @type {Tree[]} */ const parts = [];
    while (this.next !== undefined && !over()) {
      const part = this.scripted();
      if (part) parts.push(part);
    }
    return parts;
  }

  /** A part with its indices. */ scripted() {
    const token = this.next;
    const base = this.part();
    /** @type {Record<string, Tree | null>} */ const script = { _: null, "^": null };
    while (this.next === "_" || this.next === "^" || this.next === "'") {
      const sign = this.take();
      if (sign === "'") script["^"] = tree("mo", {}, "′");
      else script[sign] = this.argument();
    }
    const { _: low, "^": high } = script;
    if (!low && !high) return base;
    const under = token?.slice(1) in LARGE || UNDER.includes(token?.slice(1) ?? "");
    const kind = low && high ? (under ? "munderover" : "msubsup") : low ? (under ? "munder" : "msub") : under ? "mover" : "msup";
    return tree(kind, {}, base ?? tree("mrow", {}), ...[low, high].filter((part) => part !== null));
  }

  /** What stands in braces, or the next sign. */ argument() {
    return this.part() ?? tree("mrow", {});
  }

  /** What stands behind an opening brace, up to the closing one. */ braces() {
    const parts = this.row(() => this.next === "}");
    this.take();
    return parts.length === 1 ? parts[0] : tree("mrow", {}, ...parts);
  }

  /** Words in braces, as they are written. */ words() {
    if (this.next !== "{") return this.take() ?? "";
    this.take();
    let [text, depth] = ["", 1];
    for (; this.at < this.tokens.length; this.at += 1) {
      const token = this.tokens[this.at];
      depth += token === "{" ? 1 : token === "}" ? -1 : 0;
      if (!depth) break;
      if (!["{", "}"].includes(token) && !WORDS.includes(token.slice(1))) {
        text += token === "\\ " ? " " : token.replace(/^\\([^A-Za-z])$/, "$1");
      }
    }
    this.at += 1;
    return text;
  }

  /** @returns {Tree | null} */ part() {
    const token = this.take();
    if (token === "{") return this.braces();
    if (token === "}" || token === "&" || token === "~") return token === "~" ? space("0.3em") : null;
    if (/^\d/.test(token)) return tree("mn", {}, token);
    if (/^\p{L}$/u.test(token)) return tree("mi", {}, token);
    if (!token.startsWith("\\")) return tree("mo", stretch(token), token.replace("-", "−").replace("*", "∗"));
    return this.command(token.slice(1));
  }

  /** @param {string} name @returns {Tree | null} */ command(name) {
    if (name in LETTERS) return tree("mi", {}, LETTERS[name]);
    if (name in LARGE) return tree("mo", { largeop: "true" }, LARGE[name]);
    if (Object.hasOwn(SIGNS, name)) return tree("mo", stretch(SIGNS[/** @type {keyof typeof SIGNS} */ (name)]), SIGNS[name]);
    if (UPRIGHT.includes(name)) return tree("mi", { mathvariant: "normal" }, name);
    if (name in SPACES) return space(SPACES[name]);
    if (SKIPPED.includes(name)) return null;
    if (name in ALPHABETS) return tree("mi", { mathvariant: "normal" }, lettersOf(name, this.words()));
    if (name in ACCENTS) {
      const accent = tree("mo", { stretchy: String(name === "overline") }, ACCENTS[name]);
      return tree("mover", { accent: "true" }, this.argument(), accent);
    }
    if (WORDS.includes(name)) {
      const words = this.words();
      return tree("mtext", /it$/.test(name) ? { style: "font-style:italic" } : {}, words.replace(/^ | $/g, "\u00a0"));
    }
    if (/^[td]?frac$/.test(name)) return tree("mfrac", {}, this.argument(), this.argument());
    if (name === "sqrt") return tree("msqrt", {}, this.argument());
    if (UNSEEN.includes(name)) {
      this.words();
      return null;
    }
    if (name === "underset" || name === "overset") {
      const [script, base] = [this.argument(), this.argument()];
      return tree(name === "underset" ? "munder" : "mover", {}, base, script);
    }
    if (name === "left") return this.fenced();
    if (name === "begin") return this.table();
    return tree("mtext", {}, `\\${name}`);
  }

  /** What stands between \left and \right. */ fenced() {
    const fence = () => {
      const token = this.take() ?? ".";
      const sign = token.startsWith("\\") ? SIGNS[/** @type {keyof typeof SIGNS} */ (token.slice(1))] ?? token : token;
      return sign === "." ? [] : [tree("mo", { stretchy: "true", fence: "true" }, sign)];
    };
    const open = fence();
    const inside = this.row(() => this.next === "\\right");
    this.take();
    return tree("mrow", {}, ...open, ...inside, ...fence());
  }

  /** A new line of cells, behind the space that it leaves: [4pt]. @returns {Tree[]} */ #line() {
    if (this.next === "[") { while (this.next !== undefined) if (this.take() === "]") break; }
    return [];
  }

  /** Lines of cells between \begin and \end; of cases, behind a brace. */ table() {
    const kind = this.words();
    if (kind === "array") this.words();
    /** @type {Tree[][]} */ const lines = [[]];
    while (this.next !== undefined && this.next !== "\\end") {
      if (this.next === "&" || this.next === "\\\\") {
        if (this.take() === "\\\\") lines.push(this.#line());
        continue;
      }
      const cell = this.row(() => ["&", "\\\\", "\\end"].includes(this.next));
      lines.at(-1)?.push(tree("mtd", { style: "text-align:left" }, tree("mrow", {}, ...cell)));
    }
    this.take();
    this.words();
    const made = tree("mtable", {}, ...lines.filter((line) => line.length).map((line) => tree("mtr", {}, ...line)));
    return kind === "cases" ? tree("mrow", {}, tree("mo", { stretchy: "true", fence: "true" }, "{"), made) : made;
  }
}

/** @param {string} text "name sign name sign" @returns {Record<string, string>} */ function named(text) {
  const words = text.split(" ");
  return Object.fromEntries(Array.from({ length: words.length / 2 }, (_, k) => [words[2 * k], words[2 * k + 1]]));
}

/** Signs that would grow with what they enclose do so only where \left says so.
 * @param {string} sign @returns {Record<string, string>} */
function stretch(sign) {
  return "()[]{}|‖⟨⟩⌊⌋⌈⌉".includes(sign) ? { stretchy: "false" } : {};
}

/** @param {string} alphabet @param {string} words */ function lettersOf(alphabet, words) {
  const [first, others] = ALPHABETS[alphabet];
  return [...words].map((letter) => {
    const code = letter.charCodeAt(0);
    if (others[letter]) return others[letter];
    // Small letters come after the capitals.
    if (/[A-Z]/.test(letter)) return String.fromCodePoint(first + code - 65);
    return /[a-z]/.test(letter) ? String.fromCodePoint(first + 26 + code - 97) : letter;
  }).join("");
}

/** @param {string} width */ function space(width) {
  return tree("mspace", { width });
}

/** @param {string} name @param {Record<string, string>} attributes @param {...Part} parts @returns {Tree} */
const tree = (name, attributes, ...parts) => ({ name, attributes, parts });

/** @param {Tree} part */ function mathml({ name, attributes, parts }) {
  const made = document.createElementNS(MATHML, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") /** @type {MathMLElement} */ (made).style.cssText = value;
    else made.setAttribute(key, value);
  }
  made.append(...parts.map((part) => typeof part === "string" ? part : mathml(part)));
  return made;
}

/** @param {Part} part @returns {string} */ function words(part) {
  if (typeof part === "string") return part;
  const inner = part.parts.map(words);
  if (part.name === "mspace") return "\u2009";
  return part.name === "mfrac" ? inner.join("⁄") : part.name === "msqrt" ? `√${inner[0]}` : inner.join("");
}
