// What a room says, read bit by bit, or as it was saved.

const PARTS = /** @type {const} */ (["controls", "drawn", "figures", "presets", "questions"]);
const SENTENCES = /** @type {const} */ (["claim", "line", "lookFor", "misleads", "formulas"]);

/** Reads what a room says, one part after another. @param {RoomHere} here @returns {Generator<void, RoomHere>} */
export function* partsOf(here) {
  const { none } = here;
  yield;
  const parts = /** @type {RoomHere} */ ({ none, says: (label) => here.says(label) });
  for (const name of none ? PARTS : /** @type {const} */ ([...PARTS, ...SENTENCES])) {
    Object.assign(parts, { [name]: here[name] });
    yield;
  }
  return parts;
}

/** A station as it was saved. @param {LessonStation} station @returns {RoomHere} */
export function saved({ notes }) {
  return { ...notes, none: "", controls: [], drawn: null, figures: {}, presets: [], questions: [], says: () => null };
}
