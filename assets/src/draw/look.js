// Colours, markers and sizes as pages show them.

const LETTERS = 16; // px

/** Colours of one theme, with the colour and marker of each class. @param {Palette} palette @param {string} theme */
export function look(palette, theme) {
  const { classes, ink, faint, paper, onDark, words, ...rest } = palette;
  /** @param {string} colour */ const drawn = (colour) => (theme === "dark" && onDark[colour]) || colour;
  for (const name of /** @type {const} */ (["positive", "negative", "query", "exact"])) rest[name] = drawn(rest[name]);
  return {
    ...rest,
    theme,
    /** A colour with enough contrast for words. @param {string} colour */
    ofWords: (colour) => (theme === "light" && words[colour]) || colour,
    ink: ink[theme],
    faint: faint[theme],
    paper: paper[theme],
    quiet: mix(ink[theme], paper[theme], 0.68),
    // Some class colours are dark: on dark paper a light edge keeps their markers visible.
    edge: theme === "dark" ? mix(ink[theme], paper[theme], 0.7) : paper[theme],
    greys: shades((value) => [...mixed(rgb(paper[theme]), rgb(ink[theme]), value / 255), 255]),
    /** @param {number} index */ ofClass(index) {
      const place = index % classes.length;
      const rounds = Math.floor(index / classes.length);
      return { colour: drawn(classes[place].colour), marker: classes[(place + rounds) % classes.length].marker };
    },
  };
}

/** Gives a node the colours as custom properties, so that the style sheet names none. @param {HTMLElement} node @param {Look} look */
export function paint(node, look) {
  for (const name of /** @type {const} */ (["ink", "faint", "paper", "quiet", "positive", "negative", "query"])) {
    node.style.setProperty(`--dml-${name}`, look[name]);
  }
}

/** How much larger the page's letters are than those of figures as Python has them: they grow on large screens. */
export function growth() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / LETTERS;
}

/** A mixture of two colours, `share` of the first. @param {string} first @param {string} second @param {number} share */
export function mix(first, second, share) {
  return `rgb(${mixed(rgb(second), rgb(first), share).join(",")})`;
}

/** A colour of some opacity. @param {string} colour @param {number} opacity */
export function clear(colour, opacity) {
  return `rgba(${rgb(colour).join(",")},${opacity})`;
}

/** @param {number[]} from @param {number[]} to @param {number} share */
function mixed(from, to, share) {
  return from.map((value, k) => Math.round(value + (to[k] - value) * share));
}

/** The pixels of the 256 values of an image, each a word of `ImageData`. @param {(value: number) => number[]} rgba */
export function shades(rgba) {
  const colours = Array.from({ length: 256 }, (_, value) => rgba(value));
  return new Uint32Array(Uint8Array.from(colours.flat()).buffer);
}

/** How bright a colour is, from 0 to 255. @param {number[]} colour */
export function bright([r, g, b]) {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The channels [r, g, b] of a CSS colour; empty for none. @param {string} text @returns {number[]} */
export function rgb(text) {
  return channels(text)?.slice(0, 3) ?? [];
}

/** The channels [r, g, b, alpha] of a CSS colour, alpha from 0 to 1; null for none.
 * @param {string} text @returns {number[] | null} */
export function channels(text) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text);
  if (hex) return [...hex.slice(1).map((pair) => parseInt(pair, 16)), 1];
  const found = /^rgba?\(([^)]+)\)/.exec(text);
  if (!found) return null;
  const [r, g, b, alpha = 1] = found[1].split(/[ ,/]+/).map(Number);
  return [r, g, b, alpha];
}
