import { element } from "../draw/panel.js";
import { checksum } from "../export/checksum.js";
import { lossesOf, roomsOf } from "./rooms.js";
import { Lesson } from "./start.js";
import { hold, holds, unpacked } from "./store.js";

// The beginning of a file's script: what the file holds is read and checked before anything is drawn.

/** The script that Python has written of the rooms in the file; files of a folder have it in their common script. */
const CODE = "rooms.js.gz";
const LATER = 1000; // ms until what the first picture does not need is unpacked
const [DATA, END, HERE] = ["dml-viz-data", "dml-viz-end", "dml-viz-here"]; // ids, as dml_viz/lesson_file writes them
/** Opens the file once it is all there. `given` gets the code that the file holds. @param {LessonGiven} given */
export function open(given) {
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => begin(given));
  else begin(given);
}

/** @param {LessonGiven} given */ async function begin(given) {
  const here = /** @type {HTMLElement} */ (document.getElementById(HERE));
  const [content, end] = [document.getElementById(DATA)?.textContent ?? "", document.getElementById(END)];
  if (!end) return fault(here, "This file is cut short: its end is missing. Save or copy it again.");
  const changed = () => String(checksum(new TextEncoder().encode(content))) !== end.dataset.sum;
  try {
    const { files, ...data } = JSON.parse(content);
    hold({ files });
    const root = element("div");
    const lesson = new Lesson(data, { components: given.components, rooms: null }, root);
    if (lesson.first.scene) await unpack(given, lesson, files);
    here.replaceChildren(root);
    lesson.begin();
    await new Promise((/** @type {(_?: unknown) => void} */ done) => {
      lesson.need = done;
      setTimeout(done, LATER);
    });
    if (!lesson.parts.rooms) await unpack(given, lesson, files);
    if (lesson.waits !== null) lesson.go(lesson.waits);
  } catch (error) {
    console.error(error);
    const words = changed()
      ? "What this file holds was changed after it was written, and cannot be read any more"
      : "This file could not be opened";
    return fault(here, `${words} (${error.message}). Save it again.`);
  }
  if (changed()) {
    const words = "This file was changed by hand after it was written: what it shows may not be what was saved.";
    here.prepend(element("p", { class: "dml-changed", role: "alert" }, words));
  }
}

/** Unpacks what scenes need: their figures, and the code of their rooms.
 * @param {LessonGiven} given @param {Lesson} lesson @param {Record<string, string>} files */
async function unpack(given, { data, parts }, files) {
  const text = async (/** @type {string} */ base64) => new TextDecoder().decode(await unpacked(base64));
  const figures = data.stations.flatMap((station) => station.figures).filter(({ svg }) => svg && !svg.startsWith("<"));
  await Promise.all(figures.map(async (figure) => (figure.svg = await text(figure.svg))));
  if (holds(CODE)) run(await text(files[CODE]));
  const { rooms } = given;
  hold({ losses: given.losses ?? (rooms ? lossesOf(rooms.LOSSES) : null) });
  parts.rooms = roomsOf(rooms?.ROOMS ?? {});
}

/** Runs a script, which the policy of the file allows by its hash. @param {string} code */ function run(code) {
  const script = element("script");
  script.textContent = code;
  document.head.append(script);
}

/** @param {HTMLElement} here @param {string} words */ function fault(here, words) {
  here.replaceChildren(element("p", { class: "dml-broken", role: "alert" }, words));
}
