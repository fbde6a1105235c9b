import { element } from "../draw/panel.js";
import { checksum } from "../export/checksum.js";
import { lossesOf, roomsOf } from "./rooms.js";
import { Lesson } from "./start.js";
import { hold, holds, unpacked } from "./store.js";

// The beginning of a file's script: what the file holds is read and checked before anything is drawn.

/** The script that Python has written of the rooms in the file; files of a folder have it in their common script. */
const CODE = "rooms.js.gz";
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
  const changed = String(checksum(new TextEncoder().encode(content))) !== end.dataset.sum;
  try {
    const { files, ...data } = JSON.parse(content);
    hold({ files });
    const text = async (/** @type {string} */ base64) => new TextDecoder().decode(await unpacked(base64));
    for (const figure of data.stations.flatMap((/** @type {LessonStation} */ { figures }) => figures)) {
      if (figure.svg && !figure.svg.startsWith("<")) figure.svg = await text(figure.svg);
    }
    if (holds(CODE)) run(await text(files[CODE]));
    const { components, rooms } = given;
    const losses = given.losses ?? (rooms ? lossesOf(rooms.LOSSES) : null);
    hold({ losses });
    const parts = { components, rooms: roomsOf(rooms?.ROOMS ?? {}) };
    const root = document.createElement("div");
    here.replaceChildren(root);
    new Lesson(data, parts, root);
  } catch (error) {
    console.error(error);
    const words = changed
      ? "What this file holds was changed after it was written, and cannot be read any more"
      : "This file could not be opened";
    return fault(here, `${words} (${error.message}). Save it again.`);
  }
  if (changed) {
    const note = Object.assign(document.createElement("p"), {
      className: "dml-changed",
      textContent: "This file was changed by hand after it was written: what it shows may not be what was saved.",
    });
    note.setAttribute("role", "alert");
    here.prepend(note);
  }
}

/** Runs a script, which the policy of the file allows by its hash. @param {string} code */ function run(code) {
  const script = element("script");
  script.textContent = code;
  document.head.append(script);
}

/** @param {HTMLElement} here @param {string} words */ function fault(here, words) {
  const note = Object.assign(document.createElement("p"), { className: "dml-broken", textContent: words });
  note.setAttribute("role", "alert");
  here.replaceChildren(note);
}
