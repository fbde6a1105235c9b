import { groupName } from "../runs/group.js";
import { stroke } from "../draw/marker.js";
import { element, key, Panel, say } from "../draw/panel.js";
import { firstStep, nameOf, rowOf, SCORES, spread } from "./data.js";
import { racerStyle, setRacerColour } from "./style.js";
import { tableCell } from "./table_drawing.js";
import { count, score } from "../draw/words.js";

const COLUMNS = [...SCORES.map(({ label }) => label), "active", "mAP", "steps in all", "seconds in all"];
const REACHED = 4; // the column of the step at which a racer reached the mAP that half of them have
const LEVEL = 0.005; // of mAP: equal in two decimals
const APART = "Racers on different data are scored on different points: only scores on the same data compare.";
const LEAST = 480; // pixels of one that is exported

/** The race in numbers at the step shown: mean and spread over the seeds, steps, seconds, and their limits. */
export class RaceTable {
  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("race-table", "The race in numbers");
    this.panel.picture.removeAttribute("role");
    this.head = element("tr");
    this.body = element("tbody");
    const table = element("table", {}, element("thead", {}, this.head), this.body);
    this.caution = element("p", { class: "dml-caution" });
    this.note = element("p", { class: "dml-race-note" });
    this.panel.picture.replaceChildren(element("div", { class: "dml-table" }, table), this.caution, this.note);
  }

  open() {
    const { subject, look } = this.desk;
    const { members: racers } = subject.header;
    this.keys = key();
    this.panel.legend.replaceChildren(this.keys);
    this.heads = ["", "racer", ...COLUMNS].map((name) => element("th", { scope: "col" }, name));
    this.head.replaceChildren(...this.heads);
    this.rows = racers.map(({ letter }, k) => {
      const { tone, dash } = racerStyle(look, k);
      const cells = COLUMNS.map(() => element("td"));
      const chip = element("b", { class: "dml-letter" }, letter);
      const name = element("td", { class: "dml-racer-cell" }, stroke(tone, dash), chip);
      const root = element("tr", {}, name, element("th", { scope: "row" }, nameOf(racers, k)), ...cells);
      setRacerColour(root, look, k);
      return { root, cells };
    });
    say(this.caution, ""); // of the race before
    this.drawn = false;
    this.body.replaceChildren(...this.rows.map(({ root }) => root));
  }

  draw() {
    const { frame, subject, groupShown } = this.desk;
    const { members: racers, seeds } = subject.header;
    const loops = !frame.header.budget; // that are watched
    const over = loops ? "each loop once" : seeds > 1 ? `mean ± standard deviation over ${seeds} seeds` : "one seed";
    say(this.keys, `${groupName(subject, groupShown)}, ${over}`);
    say(this.note, reading(seeds, loops));
    const numbers = this.#numbers();
    say(this.panel.title, `The race in numbers at step ${count(frame.header.step)}`);
    say(this.heads[2 + REACHED], `mAP ${score(this.target)} at step`);
    numbers.forEach(({ scores, active, reached, steps, seconds }, k) => {
      const share = Number.isFinite(active) ? `${Math.round(100 * active)} %` : "–";
      const time = Number.isFinite(seconds) ? seconds.toFixed(seconds < 10 ? 2 : 1) : "–";
      const first = Number.isFinite(reached) ? count(reached) : "–";
      [...scores.map(withSpread), share, first, count(steps), time].forEach((text, c) => say(this.rows[k].cells[c], text));
    });
    this.drawn = true;
    const apart = Boolean(subject.header.data?.length);
    say(this.caution, apart ? APART : caution(racers, numbers.map(({ scores }) => scores[0]), seeds, loops));
  }

  /** Whether there are numbers to export. */
  get ready() {
    return Boolean(this.drawn);
  }

  /** The table in vectors, for export/sheet.js. */
  get sheet() {
    return () => {
      const { look, subject } = this.desk;
      /** @param {Element[]} nodes */ const words = (nodes) => nodes.map(({ textContent }) => textContent);
      const rows = this.rows.map(({ root, cells }) => words([root.children[1], ...cells]));
      /** @param {{width?: number, letters?: number}} frame */
      const cell = (frame) => tableCell(words(this.heads.slice(1)), rows, look, subject.header.members, frame);
      const [{ width: most }] = cell({}).drawings;
      const width = this.panel.picture.clientWidth;
      return {
        width,
        least: LEAST,
        most,
        columns: 1,
        worded: true,
        cells: (/** @type {{width?: number, letters?: number}} */ frame) => [cell(frame)],
      };
    };
  }

  words() {
    return `${this.panel.title.textContent}: ${this.keys.textContent}. ${this.caution.textContent}`;
  }

  /** The numbers with their spread over the seeds. */
  table() {
    const { members: racers, seeds } = this.desk.subject.header;
    /** @param {{label: string}} score */
    const of = ({ label }) => [`${label} mean`, `${label} standard deviation`, `${label} lowest`, `${label} highest`];
    const target = `step of mAP ${score(this.target)}`;
    const measures = [...SCORES.flatMap(of), "active share", target, "steps trained", "seconds a seed"];
    /** @param {Spread} spread */ const each = ({ mean, sd, low, high }) => [mean, sd, low, high];
    const rows = this.#numbers().map(({ scores, active, reached, steps, seconds }, k) => {
      const numbers = [...scores.flatMap(each), active, reached, steps, seconds];
      return [racers[k].letter, nameOf(racers, k), seeds, ...numbers];
    });
    return { columns: ["racer", "loss", "seeds", ...measures], rows };
  }

  #numbers() {
    const { frame, history, subject, groupShown } = this.desk;
    const { members: racers, seeds } = subject.header;
    const { members } = frame.header;
    /** @param {number} k @param {string} metric */
    const at = (k, metric) => spread(history, seeds, k, metric, rowOf(history, frame, k));
    const map = `${SCORES[0].name}.${groupShown}`;
    this.target = target(racers.map((_, k) => at(k, map).mean));
    return racers.map(({ branch }, k) => {
      const { step: trained, seconds } = members[k];
      const scores = SCORES.map(({ name }) => at(k, `${name}.${groupShown}`));
      const reached = firstStep(history, seeds, k, map, this.target, history.row(frame.header.step));
      const steps = Math.max(0, trained - (branch?.[0] ?? 0));
      return { scores, active: at(k, "active").mean, reached, steps, seconds };
    });
  }
}

/** The mAP that half of the racers have, or more of them, in whole hundredths; NaN without racers. @param {number[]} means */
export function target(means) {
  const ranked = means.filter(Number.isFinite).sort((a, b) => b - a);
  return Math.floor(100 * (ranked[Math.floor(ranked.length / 2)] ?? NaN)) / 100;
}

/** The limits of the numbers, in sentences; `loops` are watched, not trained here.
 * @param {SubjectRacer[]} racers @param {Spread[]} maps @param {number} seeds */
export function caution(racers, maps, seeds, loops = false) {
  const ranked = maps.map(({ mean }, k) => ({ mean, k })).filter(({ mean }) => Number.isFinite(mean));
  ranked.sort((a, b) => b.mean - a.mean);
  if (ranked.length < 2) return "";
  const [first, second] = ranked;
  const level = ranked.filter(({ mean }) => first.mean - mean < LEVEL).map(({ k }) => racers[k].letter);
  const names = level.length > 1
    ? `${level.slice(0, -1).join(", ")} and ${level.at(-1)} are level at ${score(first.mean)} mAP`
    : `${racers[first.k].letter} leads ${racers[second.k].letter} by ${
      score(Number(score(first.mean)) - Number(score(second.mean)))
    } mAP`;
  if (loops) return `Of one run each: ${names}; how far other weights and batches would move that is not known.`;
  const small = "A small net on small data ranks no losses";
  if (seeds < 2) return `${small}: ${names}, and one seed tells nothing of how far another would move that.`;
  const widest = Math.max(...maps.map(({ low, high }) => (Number.isFinite(high) ? high - low : 0)));
  return `${small}: ${names}, while the seed alone moves one racer by up to ${score(widest)}.`;
}

/** What is meant by lines, bands, dots and columns where each racer has so many seeds; `loops` are watched, not trained here.
 * @param {number} seeds */
export function reading(seeds, loops = false) {
  const dots = "dots are measured, straight lines lie between";
  const line = `the line is the mean over the ${seeds} seeds, the band runs from the lowest to the highest; `;
  const time = loops
    ? "since the loop was first seen"
    : seeds > 1
    ? "computing time so far, the mean over the seeds"
    : "computing time so far";
  const active = "Active: the share of the batch that has a gradient";
  const first = `The step of an mAP: the first measured one at which ${seeds > 1 ? "the mean" : "the racer"} has the mAP ` +
    "that at least half of the racers have at the step shown";
  return `Curves: ${
    seeds > 1 ? line : ""
  }${dots}. ${active}. ${first}. In all: of all that is trained so far, whichever step is shown. Seconds: ${time}.`;
}

/** @param {Spread} spread */ function withSpread({ mean, sd, count: seeds }) {
  if (!Number.isFinite(mean)) return "–";
  return seeds > 1 ? `${score(mean)} ± ${score(sd)}` : score(mean);
}
