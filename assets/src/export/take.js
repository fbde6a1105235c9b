import { needed } from "../host/attempt.js";
import { checksum } from "./checksum.js";
import { pictures } from "./menu.js";
import { AS_SEEN } from "./recipe.js";
import { renderForExport } from "./svg.js";

const DATA = /(<script type="application\/json" id="dml-viz-data">)(.*?)(<\/script>)/s; // as dml_viz/export/lesson_file.py writes it
const SUM = /(id="dml-viz-end" data-sum=")\d+/;
const REFUSED = 400; // status of a link that cannot be taken along
const SETTLED = 15_000; // ms in which a figure of the page is drawn

/** The file at an address, with the figures that it cannot compute as this page has them. @param {string} address */
export async function takenFile(address) {
  const { ok, text } = await needed((_failures, signal) => answered(new URL(address, document.baseURI), signal));
  if (!ok) throw new Error(text);
  const [whole, begin, data, end] = DATA.exec(text) ?? [];
  if (!whole) throw new Error("the server sent no file");
  /** @type {Pick<LessonData, "stations">} */ const lesson = JSON.parse(data);
  for (const station of lesson.stations) {
    for (const figure of station.figures) {
      figure.svg ||= await drawn(figure.name);
      figure.words ||= pictures().get(figure.name)?.about().words ?? "";
    }
    station.figures = station.figures.filter(({ svg }) => svg);
  }
  const written = JSON.stringify(lesson).replace(/</g, "\\u003c");
  const sum = checksum(new TextEncoder().encode(written));
  return text.replace(whole, () => `${begin}${written}${end}`).replace(SUM, (_, before) => `${before}${sum}`);
}

/** What the server says: the file, or in words why there is none. @param {URL} address @param {AbortSignal} signal */
async function answered(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok && answer.status !== REFUSED) throw new Error(`the server answered ${answer.status}`);
  return { ok: answer.ok, text: await answer.text() };
}

/** A figure of the page as SVG without fonts, which the file has; "" where the page has none of that name. @param {string} name */
async function drawn(name) {
  const picture = pictures().get(name);
  const late = performance.now() + SETTLED;
  while (picture?.isDrawn && !picture.isDrawn() && performance.now() < late) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (!picture) return "";
  const made = await (picture.renderForExport?.(AS_SEEN) ?? renderForExport(picture, { ...AS_SEEN, palette: "light" }));
  try {
    return new XMLSerializer().serializeToString(made.svg);
  } finally {
    made.close();
  }
}
