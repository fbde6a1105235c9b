import { look, rgb } from "../draw/look.js";

// The palette as Python sends it (dml_viz/plot/style.py), for the theme that the page shows now.

/**
 * "light" or "dark": what the page around `node` shows; `otherwise` where the page does not say.
 *
 * @param {Element} node
 * @param {string} otherwise
 */
export function pageTheme(node, otherwise) {
  const paper = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const channels = rgb(paper);
  if (!channels) return otherwise;
  const [r, g, b] = channels;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 128 ? "dark" : "light";
}

/**
 * Gives `part` ({host, root}) the look of the page's theme; returns whether the theme or the palette has changed.
 *
 * @param {Themed} part
 * @param {{palette: Palette, theme: string}} shown
 */
export function applyTheme(part, { palette, theme }) {
  const applied = JSON.stringify([palette, pageTheme(part.host, theme)]);
  if (part.appliedTheme === applied) return false;
  part.appliedTheme = applied;
  part.look = look(palette, pageTheme(part.host, theme));
  // As custom properties, so that the style sheet names no colour.
  for (const name of /** @type {const} */ (["ink", "faint", "paper", "quiet", "positive", "negative", "query"])) {
    part.root.style.setProperty(`--dml-${name}`, part.look[name]);
  }
  part.root.dataset.theme = part.look.theme;
  return true;
}
