import { bright, look, paint, rgb } from "../draw/look.js";

// The palette as Python sends it (dml_viz/plot/style.py), for the theme that the page shows now.

const CHOSEN = /^stActiveTheme-.*-v\d+$/;
const PAPER = "--st-background-color";

/** "light" or "dark": what the page around `node` shows; `otherwise` where the page does not say.
 * @param {Element} node @param {string} otherwise */
export function pageTheme(node, otherwise) {
  const paper = getComputedStyle(node).getPropertyValue(PAPER).trim();
  if (!rgb(paper).length) return otherwise;
  return bright(rgb(paper)) < 128 ? "dark" : "light";
}

/** Gives `part` ({host, root}) the look of the page's theme; returns whether the theme or the palette has changed.
 * @param {Themed} part @param {{palette: Palette, theme: string}} shown */
export function applyTheme(part, { palette, theme }) {
  const applied = JSON.stringify([palette, pageTheme(part.host, theme)]);
  if (part.appliedTheme === applied) return false;
  part.appliedTheme = applied;
  part.look = look(palette, pageTheme(part.host, theme));
  paint(part.root, part.look);
  part.root.dataset.theme = part.look.theme;
  return true;
}

/** A style by which figures take `colour` for that of the page behind them. @param {string} colour */
export function onPaper(colour) {
  return `${PAPER}:${colour}`;
}

/** "light" or "dark" where this visitor chose a theme, in the address or in Streamlit's menu; "" where the system decides. */
export function themeOfVisitor(search = location.search, storage = localStorage, path = location.pathname) {
  const options = new URLSearchParams(search).getAll("embed_options").map((option) => option.toLowerCase());
  for (const colours of ["light", "dark"]) if (options.includes(`${colours}_theme`)) return colours;
  const key = Object.keys(storage).find((name) => CHOSEN.test(name) && name.startsWith(`stActiveTheme-${path}-v`));
  const value = key ? String(storage[key]).toLowerCase() : "";
  return ["light", "dark"].find((colours) => value.includes(colours)) ?? "";
}
