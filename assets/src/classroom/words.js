// What the surfaces say.

import { plainWords } from "../draw/marked.js";
import { apart } from "../draw/words.js";

const DECIMALS = 9; // of a number, at most

/** A number as precise as the marks of its scale. @param {number} value @param {{low: number, step: number}} scale */
export function precise(value, { low, step }) {
  return value.toFixed(Math.max(decimals(low), decimals(step)));
}

/** @param {number} value */ function decimals(value) {
  let count = 0;
  while (count < DECIMALS && Number(value.toFixed(count)) !== value) count += 1;
  return count;
}

/** An answer in words. @param {Question["by"]} by @param {number} value */
export function wordsOf(by, value) {
  if ("options" in by) return `“${apart(plainWords(by.options[value] ?? ""))}”`;
  if (by.kind === "drag") return `${Math.round(((value % 360) + 360) % 360)}°`;
  return (by.kind === "mark" ? precise(value, by) : String(Number(value.toPrecision(9)))) + by.unit;
}

/** What the truth of a question is called: a teacher's own has no `name`. @param {string} name */
export function truthCalled(name) {
  return name ? "Computed" : "Said to be right";
}

/** The truth of a question in a sentence; `right` are its words, where it has any of its own.
 * @param {Pick<Question, "name" | "by">} question @param {number} truth @param {string} right */
export function truthInWords({ name, by }, truth, right) {
  return `${truthCalled(name)}: ${plainWords(right) || wordsOf(by, truth)}.`;
}

/** How many have answered, of these and of those who are there and have not. @param {CountMessage} count */
export function answeredOf({ answered, silent }) {
  return `${answered} of ${answered + silent} answered`;
}

/** The verdict on an answer, by the truth that was revealed: "right", "close" or "wrong"; "" without a truth.
 * @param {Question["by"]} by @param {number} value @param {{truth: number | null, exact: number, tolerance: number}} reveal */
export function verdictOf(by, value, { truth, exact, tolerance }) {
  if (truth === null) return "";
  if (by.kind === "choice" || by.kind === "panel") {
    return value === truth ? "right" : "wrong";
  }
  const apart = by.kind === "drag" ? Math.abs((((value - truth + 180) % 360) + 360) % 360 - 180) : Math.abs(
    value - (by.kind === "mark" ? Number(precise(truth, by)) : truth),
  );
  const right = by.kind === "mark" ? precise(value, by) === precise(truth, by) : apart <= exact;
  return right ? "right" : apart <= tolerance + 1e-9 ? "close" : "wrong";
}

/** What the console says of each state, of each act, and of what it suggests. */
export const STATES = {
  idle: "No question",
  "open 1": "First vote is open",
  "closed 1": "First vote is closed",
  "open 2": "Second vote is open",
  "closed 2": "Second vote is closed",
  revealed: "Revealed",
};
/** @type {Record<Action, string>} */
export const ACTS = {
  open: "Open",
  close: "Close the vote",
  again: "Vote again",
  show: "Show the first vote now",
  reveal: "Reveal",
  next: "Next",
};
export const COST = "Who has seen the first vote follows the most in the second.";

/** What the console suggests; "" for nothing. @param {StateMessage} state */
export function adviceOf({ suggestion, votes, question }) {
  const right = question && "options" in question.by ? "right" : "right or close";
  const talked = votes.length > 1;
  return {
    "": "",
    explain: talked
      ? `Few were ${right}, even after they had talked: reveal, and explain again.`
      : `Few were ${right}: explain again, then ask again.`,
    talk: talked
      ? `Some were ${right} after they had talked: reveal, and explain.`
      : `Some were ${right}: let them talk with their neighbours, then vote again.`,
    "go on": `Most were ${right}: reveal, and go on.`,
  }[suggestion ?? ""];
}
