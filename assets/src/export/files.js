import { csv } from "./csv.js";
import { html } from "./html.js";
import { pdf } from "./pdf.js";
import { png } from "./png.js";
import { ASSETS } from "../kit/plotly.js";
import { engraved, written } from "./svg.js";

/** What the screen shows, as a wish (export/svg.js). */
export const AS_SEEN = {
  width: null,
  height: null,
  font: "sans",
  points: 0,
  line: 1,
  palette: "screen",
  title: false,
  legend: true,
};
const TYPES = {
  svg: "image/svg+xml",
  pdf: "application/pdf",
  png: "image/png",
  html: "text/html",
  csv: "text/csv",
  json: "application/json",
};

/** The recipe of a picture as text: with its address, and how it is drawn where that is not as the screen has it. */
export function recipeOf(picture, wish = AS_SEEN) {
  const told = picture.recipe();
  const { width, height } = picture.size();
  const size = { width: Math.round(width), height: Math.round(height) };
  return {
    ...told,
    address: addressOf(told.link),
    size: told.size?.width ? told.size : size,
    write_up: wish === AS_SEEN ? null : wish,
  };
}

/** The address of a link below this app, with the page's own host. */
export function addressOf(link) {
  return new URL(link, window.dmlBase || document.baseURI).href;
}

/** A link with a setting at another value; null leaves it out. */
export function withSetting(link, name, value) {
  const [path, query = ""] = link.split("?");
  const settings = new URLSearchParams(query);
  if (value === null) settings.delete(name);
  else settings.set(name, value);
  settings.sort();
  return `${path}${settings.size ? "?" : ""}${settings}`;
}

/** A caption: what is seen, and all that is needed to see it again. */
export function captionOf(picture) {
  const { caption, link } = picture.recipe();
  return [picture.words(), caption, addressOf(link)].filter(Boolean).join("\n");
}

/** A picture as a Blob in `format`: "svg", "pdf", "png", "html", "csv" or "json". */
export async function make(picture, format, wish = AS_SEEN, scale = 1) {
  const recipe = JSON.stringify(recipeOf(picture, wish));
  const told = { title: picture.title(), words: picture.words(), caption: captionOf(picture), recipe };
  const blob = (part) => new Blob([part], { type: TYPES[format] });
  if (format === "json") return blob(`${JSON.stringify(JSON.parse(recipe), null, 2)}\n`);
  if (format === "csv") return blob(csv(picture.table(), told));
  const figure = format === "html" ? picture.chart() : null;
  if (figure) return blob(html({ figure, library: await libraryText() }, told));
  const engraving = await engraved(picture, wish);
  try {
    if (format === "pdf") return blob(await pdf(engraving.svg, engraving.inches, engraving.faces, told));
    const text = written(engraving, told);
    if (format === "svg") return blob(text);
    if (format === "html") return blob(html({ svg: text }, told));
    return blob(await png(text, engraving.inches, scale, recipe));
  } finally {
    engraving.close();
  }
}

/** Hands a Blob to the visitor as a file. */
export function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function libraryText() {
  const answer = await fetch(new URL("plotly.min.js", ASSETS));
  if (!answer.ok) throw new Error("Plotly's library could not be loaded");
  return answer.text();
}
