// The tray: figures collected on several pages, stored by this tab. It holds the recipe of each, never its data.

import declared from "./declared.js";
import { recipeOf } from "./recipe.js";

const KEY = "dml-tray";
const FIELDS = /** @type {const} */ (["figure", "page", "link", "title", "step", "last_step", "changes", "view", "size"]);
export const MOST = declared.mostPanels;
/** @type {TrayData} */
export const EMPTY = { panels: [], columns: 2, letters: "(a)", options: null };
const LETTERS = "abcdefghijkl";
/** The letter above the panel at `k`, by the tray's name for the style. */
export const SIGNS = /** @type {Record<string, (k: number) => string>} */ ({
  "(a)": (k) => `(${LETTERS[k]})`,
  a: (k) => LETTERS[k],
  A: (k) => LETTERS[k].toUpperCase(),
  none: () => "",
});

/** What names the panel at `k` in words; one without a letter is counted. @param {string} letters @param {number} k */
export function panelName(letters, k) {
  if (letters === "none") return `Panel ${k + 1}:`;
  return SIGNS[letters](k) + (letters === "(a)" ? "" : ":");
}

/** What is in the tray: {panels, columns, letters, options}. @returns {TrayData} */
export function tray() {
  try {
    window.dmlTray ??= JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    // A frame in another site may have no storage; then the tray lasts as long as the page.
  }
  return window.dmlTray ?? EMPTY;
}

/** Stores `state`, and shows on the page's link to the tray how many figures it has. @param {TrayData} state */
export function keep(state) {
  window.dmlTray = state;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(state));
  } catch {
    // as above
  }
  count();
}

/** Shows how many figures the tray has. */
export function count() {
  const { dataset, style } = document.documentElement;
  const many = tray().panels.length;
  if (many) dataset.dmlTray = String(many);
  else delete dataset.dmlTray;
  style.setProperty("--dml-tray", `"${many}"`);
}

/** Adds a picture to the tray as it is seen; returns the number of pictures. @param {AnyPicture} picture */
export function collect(picture) {
  const state = tray();
  if (state.panels.length >= MOST) throw new Error(`the tray holds at most ${MOST} figures`);
  const recipe = recipeOf(picture);
  const panel =
    /** @type {TrayPanel} */ (/** @type {unknown} */ (Object.fromEntries(FIELDS.map((name) => [name, recipe[name]]))));
  // The link of a run says everything except whether it is a recording.
  panel.run = recipe.run && (recipe.run.recorded ? { recorded: true } : {});
  keep({ ...state, panels: [...state.panels, panel] });
  return state.panels.length + 1;
}

/** The address of a page of this app; undefined for any other address, which a tray in a link could hold. @param {string} link */
export function ownAddress(link) {
  const url = URL.canParse(link, document.baseURI) ? new URL(link, document.baseURI) : null;
  const local = url?.protocol.startsWith("http") && url.origin === new URL(document.baseURI).origin;
  return local ? url.href : undefined;
}
