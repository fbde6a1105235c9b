import { groupName } from "./group.js";
import { stroke } from "./marker.js";
import { Panel, element, say } from "./panel.js";
import { SCORES, spread } from "./race_data.js";
import { dressRacer, racerStyle } from "./race_style.js";
import { count, score } from "./words.js";

const COLUMNS = [...SCORES.map(({ label }) => label), "active", "steps", "seconds"];

/** The race in numbers at the step shown: mean and spread over the seeds, steps, seconds, and what they do not say. */
export class RaceTable {
  constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("race-table", "The race in numbers");
    this.panel.picture.removeAttribute("role");
    this.head = element("tr");
    this.body = element("tbody");
    const table = element("table", {}, element("thead", {}, this.head), this.body);
    this.caution = element("p", { class: "dml-caution" });
    this.panel.picture.replaceChildren(element("div", { class: "dml-table" }, table), this.caution);
  }

  open() {
    const { subject, look, groupShown } = this.desk;
    const { racers, seeds } = subject.header;
    const over = seeds > 1 ? `mean ± standard deviation over ${seeds} seeds` : "one seed";
    this.keys = element("span", { class: "dml-key" });
    this.panel.legend.replaceChildren(this.keys);
    say(this.keys, `${groupName(subject, groupShown)}, ${over}`);
    this.head.replaceChildren(...["", "racer", ...COLUMNS].map((name) => element("th", { scope: "col" }, name)));
    this.rows = racers.map(({ letter, title, branch }, k) => {
      const { tone, dash } = racerStyle(look, k);
      const off = branch ? `, from ${racers[branch[1]].letter} at step ${count(branch[0])}` : "";
      const cells = COLUMNS.map(() => element("td"));
      const chip = element("b", { class: "dml-letter" }, letter);
      const name = element("td", { class: "dml-racer-cell" }, stroke(tone, dash), chip);
      const root = element("tr", {}, name, element("th", { scope: "row" }, title + off), ...cells);
      dressRacer(root, look, k);
      return { root, cells };
    });
    this.body.replaceChildren(...this.rows.map(({ root }) => root));
  }

  draw() {
    const { frame, history, subject, groupShown } = this.desk;
    const { racers, seeds } = subject.header;
    const { step, standings } = frame.header;
    const row = history.row(step);
    say(this.panel.title, `The race in numbers at step ${count(step)}`);
    const at = (k, metric) => spread(history, seeds, k, metric, row);
    const maps = racers.map((_, k) => at(k, `map.${groupShown}`));
    racers.forEach(({ branch }, k) => {
      const { cells } = this.rows[k];
      SCORES.forEach(({ name }, c) => say(cells[c], withSpread(at(k, `${name}.${groupShown}`))));
      const active = at(k, "active").mean;
      say(cells[3], Number.isFinite(active) ? `${Math.round(100 * active)} %` : "–");
      const { step: trained = step, seconds = NaN } = standings?.[k] ?? {};
      say(cells[4], count(Math.max(0, trained - (branch?.[0] ?? 0))));
      say(cells[5], Number.isFinite(seconds) ? seconds.toFixed(seconds < 10 ? 2 : 1) : "–");
    });
    const best = Math.max(...maps.map(({ mean }) => (Number.isFinite(mean) ? mean : -1)));
    maps.forEach(({ mean }, k) => (this.rows[k].cells[0].dataset.best = mean === best));
    say(this.caution, caution(racers, maps, seeds));
  }

  close() {}
}

/** What the numbers do not say, with the numbers. */
export function caution(racers, maps, seeds) {
  const ranked = maps.map(({ mean }, k) => ({ mean, k })).filter(({ mean }) => Number.isFinite(mean));
  ranked.sort((a, b) => b.mean - a.mean);
  if (ranked.length < 2) return "";
  const [first, second] = ranked;
  const names = `${racers[first.k].letter} leads ${racers[second.k].letter} by ${score(first.mean - second.mean)} mAP`;
  const small = "A small net on small data ranks no losses";
  if (seeds < 2) return `${small}: ${names}, and one seed tells nothing of how far another would move that.`;
  const widest = Math.max(...maps.map(({ low, high }) => (Number.isFinite(high) ? high - low : 0)));
  return `${small}: ${names}, while the seed alone moves one racer by up to ${score(widest)}.`;
}

function withSpread({ mean, sd, count: seeds }) {
  if (!Number.isFinite(mean)) return "–";
  return seeds > 1 ? `${score(mean)} ± ${score(sd)}` : score(mean);
}
