// A question's aggregates as a file: a row for each option, guess or quantile of each vote; nothing of who answered.

import { plainWords } from "../draw/marked.js";
import { save } from "../draw/save.js";
import { precise } from "./words.js";

/** @param {string | number} value */ const cell = (value) => {
  const text = String(value);
  // A spreadsheet computes what begins with these signs.
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** The lines of the file, with the date of the teacher's place: two years' files have the same columns.
 * @param {Question} question @param {RevealMessage} reveal */
export function csvOf({ name, text, by }, { votes, truth, switched }, date = new Date()) {
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => `${part}`.padStart(2, "0")).join("-");
  const [words, truthWords] = [plainWords(text), truth === null ? "" : answerOf(by, truth)];
  /** @type {(string | number)[][]} */ const rows = ["date question text vote answer count answered truth".split(" ")];
  votes.forEach((vote, k) => {
    if (!vote) return rows.push([day, name, words, k + 1, "fewer than five answered", "", "", truthWords]);
    /** @type {[string | number, number][]} */
    const answers = "options" in by
      ? by.options.map((option, index) => [plainWords(option), vote.counts[index]])
      : [...counts(vote.guesses)];
    for (const [answer, count] of answers) rows.push([day, name, words, k + 1, answer, count, vote.answered, truthWords]);
  });
  if (switched) rows.push([day, name, words, "switched", switched.changed, switched.changed, switched.both, truthWords]);
  return `${rows.map((row) => row.map(cell).join(",")).join("\n")}\n`;
}

/** The truth as the answers are written, so that it is found among them. @param {Question["by"]} by @param {number} truth */
function answerOf(by, truth) {
  if ("options" in by) return plainWords(by.options[truth]);
  return by.kind === "drag" ? ((Math.round(truth) % 360) + 360) % 360 : by.kind === "mark" ? Number(precise(truth, by)) : truth;
}

/** @param {readonly number[]} guesses */ function counts(guesses) {
  /** @type {Map<number, number>} */ const many = new Map();
  for (const guess of guesses) many.set(guess, (many.get(guess) ?? 0) + 1);
  return many;
}

/** The page that draws the votes as a figure, with its recipe. @param {Question} question @param {RevealMessage} reveal */
export function linkOfFigure({ text, by }, { truth, votes }) {
  const { points: _, ...asked } = /** @type {AskedChoices} */ (by);
  const answers = votes.map((vote) => (vote ? (vote.counts.length ? vote.counts : vote.guesses) : []));
  const bytes = new TextEncoder().encode(JSON.stringify({ text, by: asked, truth, votes: answers }));
  const code = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `votes?votes.of=${code}`;
}

/** Saves the file. @param {string} code @param {Question} question @param {RevealMessage} reveal */
export function saveCsv(code, question, reveal) {
  save(new Blob([csvOf(question, reveal)], { type: "text/csv" }), `classroom-${code}-${question.name || "question"}.csv`);
}
