import { steps as stepRange } from "../kit/axis.js";
import { groupName } from "../kit/group.js";
import { element, Panel, say } from "../kit/panel.js";
import { SCORES, spread } from "./data.js";
import { placed } from "./labels.js";
import { RaceLine } from "./line.js";
import { crowded, racerKey, racerStyle } from "./style.js";
import { count, score } from "../kit/words.js";
import { svgNode } from "../kit/svg.js";

const [HEIGHT, TALLER] = [210, 300]; // pixels; the second where many race
const MARGIN = { left: 30, right: 24, top: 8, bottom: 26 };
const WIDER = 40; // pixels on the right where many race
const LINE = 13; // pixels between two labels
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** One metric over the steps: for each racer the mean over the seeds as a line, lowest to highest seed as a band. */
class RaceCurve {
  constructor(desk, metric, label, grouped) {
    this.desk = desk;
    this.metric = metric;
    this.label = label;
    this.grouped = grouped;
    this.panel = new Panel(`race-curve dml-race-${metric}`, label);
    this.svg = svgNode("svg", { class: "dml-race-plot", "aria-hidden": "true" });
    this.panel.picture.append(this.svg);
    this.readout = element("div", { class: "dml-readout", hidden: true });
    this.panel.picture.append(this.readout);
    this.sizes = new ResizeObserver(() => desk.redraw());
    this.sizes.observe(this.panel.picture);
    this.svg.addEventListener("pointermove", (event) => this.#read(event));
    this.svg.addEventListener("pointerleave", () => (this.readout.hidden = true));
    this.svg.addEventListener("click", (event) => desk.goNear(this.#stepAt(event)));
  }

  /** Column of the metric for the group shown. */
  get column() {
    return this.grouped ? `${this.metric}.${this.desk.groupShown}` : this.metric;
  }

  open() {
    const { look, subject } = this.desk;
    const { members: racers } = subject.header;
    this.svg.replaceChildren();
    this.many = crowded(look, racers);
    this.panel.root.dataset.many = this.many;
    this.height = this.many ? TALLER : HEIGHT;
    this.margin = { ...MARGIN, right: this.many ? WIDER : MARGIN.right };
    const names = ["grid", "bands", "lines", "letters", "marks"];
    const [grid, bands, lines, letters, marks] = names.map((name) =>
      this.svg.appendChild(svgNode("g", { class: name }))
    );
    this.lines = racers.map((_, k) => new RaceLine(look, racers, k));
    for (const line of this.lines) {
      bands.append(line.band);
      lines.append(line.path, line.measured);
      letters.append(line.letters);
      marks.append(line.lead, line.dot, line.text);
    }
    this.cursor = grid.appendChild(svgNode("path", { stroke: look.quiet, "stroke-width": 1, fill: "none" }));
    this.grid = grid.appendChild(svgNode("path", { stroke: look.faint, "stroke-width": 1, fill: "none" }));
    this.baseline = grid.appendChild(svgNode("path", { stroke: look.exact, "stroke-width": 1, fill: "none" }));
    const text = (anchor) => {
      const made = svgNode("text", { fill: look.quiet, "font-size": 11, "text-anchor": anchor });
      return grid.appendChild(made);
    };
    this.yTicks = TICKS.map(() => text("end"));
    this.xTicks = [text("start"), text("middle"), text("end")];
    this.rawPixels = text("start");
    this.size = "";
  }

  draw() {
    const { history, frame, subject } = this.desk;
    this.width = this.panel.picture.clientWidth;
    if (this.width < 60) return;
    const { left, right, top, bottom } = this.margin;
    const last = stepRange(history.latest, frame.header.budget)[1];
    const steps = history.column("step");
    this.x = (step) => left + ((this.width - left - right) * step) / last;
    this.y = (value) => top + (this.height - top - bottom) * (1 - value);
    this.last = last;
    this.#axes(subject);
    const row = history.row(frame.header.step);
    const { seeds } = subject.header;
    const now = this.lines.map((line, k) => this.#racer(line, k, steps, seeds, row));
    this.cursor.setAttribute("d", `M${this.x(frame.header.step)} ${top}V${this.height - bottom}`);
    this.#labels(now, frame.header.step);
    // Words are said later, when the race may be another one.
    this.panel.describe(() => this.#words(now, subject.header, frame.header.step));
  }

  close() {
    this.sizes.disconnect();
  }

  /** What an exported drawing has to say beside itself: what is drawn, who races, and what line and band are. */
  key() {
    const { look, subject } = this.desk;
    const { members: racers, seeds } = subject.header;
    const what = this.grouped ? `${this.label}, ${groupName(subject, this.desk.groupShown)}` : this.label;
    const over = seeds > 1 ? [`line: mean of ${seeds} seeds`, "band: lowest to highest"] : ["one seed"];
    const [title, ...rest] = [what, ...over].map((text) => ({ text, sign: null }));
    return [title, ...racerKey(look, racers), ...rest];
  }

  #axes(subject) {
    const { left, right } = this.margin;
    const size = `${this.width} ${this.last} ${this.desk.groupShown}`;
    if (size === this.size) return;
    this.size = size;
    for (
      const [name, value] of [
        ["width", this.width],
        ["height", this.height],
        ["viewBox", `0 0 ${this.width} ${this.height}`],
      ]
    ) {
      this.svg.setAttribute(name, value);
    }
    this.grid.setAttribute("d", TICKS.map((tick) => `M${left} ${this.y(tick)}H${this.width - right}`).join(""));
    const set = (mark, x, y, words) => {
      mark.setAttribute("x", x);
      mark.setAttribute("y", y);
      say(mark, words);
    };
    const label = (tick) => (this.#percent ? `${100 * tick}%` : `${tick}`);
    TICKS.forEach((tick, k) => set(this.yTicks[k], left - 5, this.y(tick) + 4, label(tick)));
    [0, this.last / 2, this.last].forEach((step, k) =>
      set(this.xTicks[k], this.x(step), this.height - 10, count(step))
    );
    say(this.xTicks[0], "step 0");
    const pixels = this.metric === "r1" ? subject.header.baseline?.[this.desk.groupShown] : null;
    const there = Number.isFinite(pixels);
    this.baseline.setAttribute("d", there ? `M${left} ${this.y(pixels)}H${this.width - right}` : "");
    const height = there ? this.y(pixels) : 0;
    const shift = height < this.margin.top + 20 ? 13 : -4;
    set(this.rawPixels, left + 4, height + shift, there ? `raw pixels ${score(pixels)}` : "");
  }

  get #percent() {
    return !this.grouped;
  }

  #racer(line, k, steps, seeds, row) {
    const { history } = this.desk;
    const points = [];
    for (let at = 0; at < steps.length; at += 1) {
      const { mean, high, low } = spread(history, seeds, k, this.column, at);
      if (Number.isFinite(mean)) {
        points.push({ x: this.x(steps[at]), y: this.y(mean), high: this.y(high), low: this.y(low) });
      }
    }
    line.draw(points, seeds > 1, this.margin.left, this.width - this.margin.right - 6);
    return spread(history, seeds, k, this.column, row);
  }

  // A letter at the end of each line, moved apart where lines end together.
  #labels(now, step) {
    const { right, top, bottom } = this.margin;
    const heights = placed(this.lines.map(({ end }) => end?.y ?? NaN), LINE, top + 4, this.height - bottom - 2);
    this.lines.forEach((line, k) => {
      line.label(this.width - right + (this.many ? 24 : 10), heights[k]);
      line.mark(this.x(step), this.y(now[k].mean));
    });
  }

  #stepAt(event) {
    const { left, right } = this.margin;
    const place = event.clientX - this.svg.getBoundingClientRect().left;
    return Math.max(0, ((place - left) / (this.width - left - right)) * this.last);
  }

  #read(event) {
    const { history, subject } = this.desk;
    if (!history.count) return;
    const row = history.row(this.#stepAt(event) + this.last / 400);
    const { members: racers, seeds } = subject.header;
    const rows = racers
      .map(({ letter }, k) => ({ letter, k, ...spread(history, seeds, k, this.column, row) }))
      .filter(({ mean }) => Number.isFinite(mean))
      .sort((a, b) => b.mean - a.mean);
    this.readout.replaceChildren(
      element("b", {}, `step ${count(history.at("step", row))}`),
      ...rows.map(({ letter, k, mean, low, high }) => {
        const words = seeds > 1 ? `${this.#text(mean)}  (${this.#text(low)}–${this.#text(high)})` : this.#text(mean);
        const name = element("b", {}, letter);
        name.style.color = racerStyle(this.desk.look, k).tone;
        return element("span", {}, name, ` ${words}`);
      }),
    );
    this.readout.hidden = false;
    const left = event.clientX - this.svg.getBoundingClientRect().left;
    const room = this.width - this.readout.offsetWidth - 4;
    this.readout.style.left = `${Math.max(0, left + 14 > room ? left - 14 - this.readout.offsetWidth : left + 14)}px`;
  }

  #text(value) {
    if (!Number.isFinite(value)) return "–";
    return this.#percent ? `${Math.round(100 * value)}%` : score(value);
  }

  #words(now, { members: racers, seeds }, step) {
    const each = racers.map(({ letter, title }, k) => {
      const between = seeds > 1 ? ` (seeds ${this.#text(now[k].low)} to ${this.#text(now[k].high)})` : "";
      return `${letter} ${title} ${this.#text(now[k].mean)}${between}`;
    });
    return `${this.label} over the steps. At step ${step}: ${each.join("; ")}.`;
  }
}

const kinds = [...SCORES.map(({ name, label }) => [name, label, true]), ["active", "Active share of the batch", false]];

/** One panel for each metric. */
export const CURVES = kinds.map(
  (kind) =>
    class extends RaceCurve {
      constructor(desk) {
        super(desk, ...kind);
      }
    },
);
