import { steps as stepRange } from "./axis.js";
import { node } from "./hand_points.js";
import { Panel, element, say } from "./panel.js";
import { SCORES, spread } from "./race_data.js";
import { placed } from "./race_labels.js";
import { racerStyle } from "./race_style.js";
import { count, score } from "./words.js";

const HEIGHT = 210;
const MARGIN = { left: 30, right: 24, top: 8, bottom: 26 };
const LINE = 13; // pixels between two labels
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** One metric over the steps: for each racer the mean over the seeds as a line, lowest to highest seed as a band. */
class RaceCurve {
  constructor(desk, metric, label, grouped) {
    Object.assign(this, { desk, metric, label, grouped });
    this.panel = new Panel(`race-curve dml-race-${metric}`, label);
    this.svg = node("svg", { class: "dml-race-plot", "aria-hidden": "true" });
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
    const { racers } = subject.header;
    this.svg.replaceChildren();
    this.layers = ["grid", "bands", "lines", "marks"].map((name) => this.svg.appendChild(node("g", { class: name })));
    const [grid, bands, lines, marks] = this.layers;
    this.parts = racers.map(({ letter }, k) => {
      const { tone, dash, width } = racerStyle(look, k);
      const line = { fill: "none", stroke: tone, "stroke-width": width, "stroke-linejoin": "round" };
      const parts = {
        band: node("path", { fill: tone, opacity: 0.13 }),
        path: node("path", { ...line, "stroke-dasharray": dash }),
        dot: node("circle", { r: 3.2, fill: tone, stroke: look.paper, "stroke-width": 1 }),
        lead: node("path", { fill: "none", stroke: tone, "stroke-width": 0.8, opacity: 0.6 }),
        text: node("text", { fill: tone, "font-size": 12, "font-weight": 700, "dominant-baseline": "central" }),
      };
      parts.text.textContent = letter;
      bands.append(parts.band);
      lines.append(parts.path);
      marks.append(parts.lead, parts.dot, parts.text);
      return parts;
    });
    this.cursor = grid.appendChild(node("path", { stroke: look.quiet, "stroke-width": 1, fill: "none" }));
    this.grid = grid.appendChild(node("path", { stroke: look.faint, "stroke-width": 1, fill: "none" }));
    this.baseline = grid.appendChild(node("path", { stroke: look.exact, "stroke-dasharray": "2 3", fill: "none" }));
    const text = (anchor) => {
      const made = node("text", { fill: look.quiet, "font-size": 11, "text-anchor": anchor });
      return grid.appendChild(made);
    };
    this.yTicks = TICKS.map(() => text("end"));
    this.xTicks = [text("start"), text("middle"), text("end")];
    this.size = "";
  }

  draw() {
    const { history, frame, subject } = this.desk;
    this.width = this.panel.picture.clientWidth;
    if (this.width < 60) return;
    const { left, right, top, bottom } = MARGIN;
    const last = stepRange(history.latest, frame.header.budget)[1];
    const steps = history.column("step");
    this.x = (step) => left + ((this.width - left - right) * step) / last;
    this.y = (value) => top + (HEIGHT - top - bottom) * (1 - value);
    this.last = last;
    this.#axes(subject);
    const row = history.row(frame.header.step);
    const { seeds } = subject.header;
    const now = this.parts.map((parts, k) => this.#racer(parts, k, steps, seeds, row));
    this.cursor.setAttribute("d", `M${this.x(frame.header.step)} ${top}V${HEIGHT - bottom}`);
    this.#labels(now, frame.header.step);
    // Words are said later, when the race may be another one.
    this.panel.describe(() => this.#words(now, subject.header, frame.header.step));
  }

  close() {
    this.sizes.disconnect();
  }

  #axes(subject) {
    const { left, right } = MARGIN;
    const size = `${this.width} ${this.last}`;
    if (size === this.size) return;
    this.size = size;
    for (const [name, value] of [
      ["width", this.width],
      ["height", HEIGHT],
      ["viewBox", `0 0 ${this.width} ${HEIGHT}`],
    ])
      this.svg.setAttribute(name, value);
    this.grid.setAttribute("d", TICKS.map((tick) => `M${left} ${this.y(tick)}H${this.width - right}`).join(""));
    const set = (mark, x, y, words) => {
      mark.setAttribute("x", x);
      mark.setAttribute("y", y);
      say(mark, words);
    };
    const height = (tick) => (this.#percent ? `${100 * tick}%` : `${tick}`);
    TICKS.forEach((tick, k) => set(this.yTicks[k], left - 5, this.y(tick) + 4, height(tick)));
    [0, this.last / 2, this.last].forEach((step, k) => set(this.xTicks[k], this.x(step), HEIGHT - 10, count(step)));
    say(this.xTicks[0], "step 0");
    const pixels = this.metric === "r1" ? subject.header.baseline?.[this.desk.groupShown] : null;
    const there = Number.isFinite(pixels);
    this.baseline.setAttribute("d", there ? `M${left} ${this.y(pixels)}H${this.width - right}` : "");
    const told = element("span", { class: "dml-key", hidden: !there }, `dotted: raw pixels ${score(pixels)}`);
    this.panel.legend.replaceChildren(told);
  }

  get #percent() {
    return !this.grouped;
  }

  #racer({ band, path, dot }, k, steps, seeds, row) {
    const { history } = this.desk;
    const [line, high, low] = [[], [], []];
    for (let at = 0; at < steps.length; at += 1) {
      const told = spread(history, seeds, k, this.column, at);
      if (!Number.isFinite(told.mean)) continue;
      const x = this.x(steps[at]).toFixed(1);
      line.push(`${x} ${this.y(told.mean).toFixed(1)}`);
      high.push(`${x} ${this.y(told.high).toFixed(1)}`);
      low.push(`${x} ${this.y(told.low).toFixed(1)}`);
    }
    path.setAttribute("d", line.length ? `M${line.join("L")}` : "");
    band.setAttribute("d", seeds > 1 && line.length ? `M${high.join("L")}L${low.reverse().join("L")}Z` : "");
    const now = spread(history, seeds, k, this.column, row);
    dot.style.display = Number.isFinite(now.mean) ? "" : "none";
    return now;
  }

  // A letter at the end of each line, moved apart where lines end together.
  #labels(now, step) {
    const { history, subject } = this.desk;
    const ends = this.parts.map((_, k) => {
      for (let row = history.count - 1; row >= 0; row -= 1) {
        const { mean } = spread(history, subject.header.seeds, k, this.column, row);
        if (Number.isFinite(mean)) return { x: this.x(history.at("step", row)), y: this.y(mean) };
      }
      return null;
    });
    const wanted = ends.map((end) => end?.y ?? NaN);
    const heights = placed(wanted, LINE, MARGIN.top + 4, HEIGHT - MARGIN.bottom - 2);
    this.parts.forEach(({ text, lead, dot }, k) => {
      const end = ends[k];
      for (const part of [text, lead]) part.style.display = end ? "" : "none";
      if (!end) return;
      text.setAttribute("x", this.width - MARGIN.right + 12);
      text.setAttribute("y", heights[k].toFixed(1));
      const label = `${this.width - MARGIN.right + 10} ${heights[k].toFixed(1)}`;
      lead.setAttribute("d", `M${end.x + 2} ${end.y.toFixed(1)}L${label}`);
      dot.setAttribute("cx", this.x(step));
      dot.setAttribute("cy", Number.isFinite(now[k].mean) ? this.y(now[k].mean).toFixed(1) : 0);
    });
  }

  #stepAt(event) {
    const { left, right } = MARGIN;
    const place = event.clientX - this.svg.getBoundingClientRect().left;
    return Math.max(0, ((place - left) / (this.width - left - right)) * this.last);
  }

  #read(event) {
    const { history, subject } = this.desk;
    if (!history.count) return;
    const row = history.row(this.#stepAt(event) + this.last / 400);
    const { racers, seeds } = subject.header;
    const rows = racers
      .map(({ letter, title }, k) => ({ letter, title, k, ...spread(history, seeds, k, this.column, row) }))
      .filter(({ mean }) => Number.isFinite(mean))
      .sort((a, b) => b.mean - a.mean);
    this.readout.replaceChildren(
      element("b", {}, `step ${count(history.at("step", row))}`),
      ...rows.map(({ letter, k, mean, low, high }) => {
        const words = seeds > 1 ? `${this.#told(mean)}  (${this.#told(low)}–${this.#told(high)})` : this.#told(mean);
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

  #told(value) {
    if (!Number.isFinite(value)) return "–";
    return this.#percent ? `${Math.round(100 * value)}%` : score(value);
  }

  #words(now, { racers, seeds }, step) {
    const each = racers.map(({ letter, title }, k) => {
      const between = seeds > 1 ? ` (seeds ${this.#told(now[k].low)} to ${this.#told(now[k].high)})` : "";
      return `${letter} ${title} ${this.#told(now[k].mean)}${between}`;
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
