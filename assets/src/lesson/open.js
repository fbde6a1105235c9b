import { checksum } from "../export/checksum.js";
import { Lesson } from "./start.js";
import { hold } from "./store.js";

// The beginning of a file's script: what the file holds is read and checked before anything is drawn.

/** Where a file computes no rooms, their sentences are as saved. @type {LessonRooms} */
const NO_ROOMS = {
  visit: () => null,
  stateOf: () => {
    throw new Error("this file computes no other states");
  },
  ask: () => {
    throw new Error("this file asks no other question");
  },
  reveal: () => ({ said: "", verdict: "", way: [] }),
};
const [DATA, END, HERE] = ["dml-viz-data", "dml-viz-end", "dml-viz-here"]; // ids, as dml_viz/lesson_file writes them
/** Opens the file once it is all there. @param {Omit<LessonParts, "rooms"> & {rooms?: LessonRooms}} given */
export function open(given) {
  const parts = { ...given, rooms: given.rooms ?? NO_ROOMS };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", () => begin(parts));
  else begin(parts);
}

/** @param {LessonParts} parts */ function begin(parts) {
  const here = /** @type {HTMLElement} */ (document.getElementById(HERE));
  const [text, end] = [document.getElementById(DATA)?.textContent ?? "", document.getElementById(END)];
  if (!end) return fault(here, "This file is cut short: its end is missing. Save or copy it again.");
  const changed = String(checksum(new TextEncoder().encode(text))) !== end.dataset.sum;
  try {
    const { files, ...data } = JSON.parse(text);
    hold({ files, losses: parts.losses });
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

/** @param {HTMLElement} here @param {string} words */ function fault(here, words) {
  const note = Object.assign(document.createElement("p"), { className: "dml-broken", textContent: words });
  note.setAttribute("role", "alert");
  here.replaceChildren(note);
}
