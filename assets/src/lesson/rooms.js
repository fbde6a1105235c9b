import * as library from "../rooms/library.js";
import { reveal, stateOf, visit } from "../rooms/visit.js";

// The rooms that a lesson's file computes, translated from the Python that the pages run.

/** The code of a file's rooms: visited by the names of their pages. @param {Record<string, RoomCode>} rooms @returns {LessonRooms} */
export function roomsOf(rooms) {
  const known = (/** @type {string} */ page) => Object.hasOwn(rooms, page);
  return {
    visit: (page, state) => known(page) ? visit(rooms[page], state) : null,
    stateOf: (page, settings) => stateOf(rooms[page], settings),
    ask(page, name, state) {
      const { question, by, points } = visit(rooms[page], state).ask(name);
      const { label = "", allows = "", options = [], low = 0, high = 1, step = 1, unit = "", point = 0 } = by;
      const kind = by.options ? "choices" : by.high === undefined ? "drag" : "mark";
      const shown = allows ? `${label} (${allows})` : label;
      return { question, points: points ?? [], kind, options: [...options], label: shown, low, high, step, unit, point };
    },
    reveal(page, name, answer, before, after) {
      const [first, then] = [before, after].map((state) => visit(rooms[page], state));
      const found = reveal(first, then, name, answer);
      return { ...found, said: new first.shared.Round(first.ask(name), answer, found).verdict };
    },
  };
}

/** The gradients of losses by their names. @param {Record<string, LossCode>} losses @returns {LessonLosses} */
export function lossesOf(losses) {
  return { gradient: (name, scene, knobs) => library.gradient(new losses[name](knobs), scene) };
}
