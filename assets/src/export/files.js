import { csv } from "./csv.js";
import { html } from "./html.js";
import { pdf } from "./pdf.js";
import { png } from "./png.js";
import { aboutOf, AS_SEEN } from "./recipe.js";
import { script } from "./script.js";
import { textOf } from "../host/assets.js";
import { renderForExport, svgText } from "./svg.js";

/** "formats" of the menus or the "palette", which Python sends once for a page (dml_viz/app/page.py); null on a page that was
 * left.
 * @template {"formats" | "palette"} K @param {K} name @returns {K extends "formats" ? FileFormat[] : Palette} */
export function shared(name) {
  return JSON.parse(document.querySelector("[data-formats]")?.dataset[name] ?? "null");
}

// Each gives the content of a file; `drawing` is rendered on demand, `about` is the metadata of the file.
/** @type {Record<string, (job: WriterJob) => BlobPart | Promise<BlobPart>>} */ const WRITERS = {
  svg: async ({ drawing, about }) => svgText(await drawing(), about),
  pdf: async ({ drawing, about }) => {
    const { svg, inches, faces } = await drawing();
    return pdf(svg, inches, faces, about);
  },
  png: async ({ drawing, about, scale }) => {
    const engraving = await drawing();
    return png(svgText(engraving, about), engraving.inches, scale, about.recipe);
  },
  html: async ({ picture, drawing, about }) => {
    const figure = picture.chart();
    if (figure) return html({ figure, library: await textOf("plotly.min.js") }, about);
    return html({ svg: svgText(await drawing(), about) }, about);
  },
  table: async ({ picture, about, format }) => csv(await picture.table(), about, format.separator),
  script: ({ picture, about, format }) => script(format.name, picture.name, picture.seen(), about),
  movie: async ({ picture, about, format, film }) => (await import("./movie.js")).movie(picture, format.name, about, film),
  json: ({ about }) => `${JSON.stringify(JSON.parse(about.recipe), null, 2)}\n`,
};

/** A picture as a Blob in a `format` as Python declares it (dml_viz/figure_files/formats); `remarks` takes up what is to be said of
 * it, {words: its sizes, notes}; `film` has the options of a film.
 * @param {AnyPicture} picture @param {FileFormat} format @param {FileRemarks} remarks @param {FilmSettings} film */
export async function make(picture, format, options = AS_SEEN, scale = 1, remarks = {}, film = {}) {
  await picture.ready?.();
  const about = aboutOf(picture, options);
  /** @type {Engraving | null} */ let engraving = null;
  // A PDF has its fonts, and words that can be searched.
  const look = format.writer === "pdf" ? { ...options, letters: "words" } : options;
  const drawing = async () => (engraving = await (picture.renderForExport?.(look) ?? renderForExport(picture, look)));
  try {
    const content = await WRITERS[format.writer]({ picture, drawing, about, format, scale, film });
    const points = new Set(engraving?.range?.map((size) => Number(size.toFixed(1))));
    const words = points.size ? `Words are ${[...points].join(" to ")} pt.` : "";
    Object.assign(remarks, { words, notes: engraving?.notes ?? [] });
    return new Blob([content], { type: format.type });
  } finally {
    engraving?.close();
  }
}
