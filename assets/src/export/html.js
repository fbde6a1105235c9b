// A figure as one page that needs nothing else: with Plotly's own library inside, or the drawing where there is no chart.

import { CHART, PAGE } from "./declared.js";

/** @type {Record<string, string>} */ const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The page; `figure` is {data, layout} with `library` Plotly's script, or `svg` the text of a drawing.
 * @param {HtmlContent} content @param {FileAbout} about */
export function html({ figure = null, library = "", svg = "" }, { title, words, caption, recipe }) {
  /** @param {string} text */ const escaped = (text) => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign]);
  /** @param {string} text */ const safe = (text) => text.replace(/</g, "\\u003c");
  /** @param {string} template @param {Record<string, string>} slots */
  const filled = (template, slots) => template.replace(/\{(\w+)\}/g, (_, name) => slots[name]);
  const chart = () =>
    filled(CHART, { words: escaped(words), library: library.replace(/<\/script/g, "<\\/script"), figure: safe(json(figure)) });
  return filled(PAGE, {
    title: escaped(title),
    recipe: safe(recipe),
    drawing: figure ? chart() : svg.replace(/^<\?xml[^>]*>\s*/, ""),
    caption: escaped(caption).replace(/\n/g, "<br>"),
  });
}

/** JSON in which arrays of numbers are lists, and what is no number is null. @param {unknown} value */
export function json(value) {
  return JSON.stringify(
    value,
    (_, part) => (ArrayBuffer.isView(part) ? Array.from(/** @type {ArrayLike<number>} */ (/** @type {unknown} */ (part))) : part),
  );
}
