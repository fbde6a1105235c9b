import { decades, steps as stepRange } from "../plot/layout.js";
import { groupName } from "../runs/group.js";
import { element, key, Panel, say } from "../draw/panel.js";
import { disc, Pen, renew, svgNode } from "../draw/svg.js";
import { dash, px, stroke, tenths } from "../draw/marker.js";
import { nameOf, rowOf, SCORES, spread } from "./data.js";
import { lettered, placed, spaced } from "./labels.js";
import { marked, meet, pieces } from "./stripes.js";
import { crowded, racerKey, racerStyle } from "./style.js";
import { growth } from "../draw/look.js";
import { count, score, short } from "../draw/words.js";
import { within } from "../draw/pointing.js";

const [HEIGHT, TALLER] = [210, 300]; // pixels, at letters of the usual size; the second where many race
const MARGIN = { left: 36, right: 24, top: 8, bottom: 26 };
const WIDER = 40; // pixels on the right where many race
const [LINE, FAR] = [13, 40]; // pixels between two labels, and from a line to its own
const TICKS = [0, 0.25, 0.5, 0.75, 1];
// How values are written: scores of a group of classes, shares of the batch, and lengths, which are drawn by their powers of ten.
const [SCORE, SHARE, LENGTH] = [score, (/** @type {number} */ value) => `${Math.round(100 * value)}%`, short];
const LEAST = 1e-9; // of a length that is drawn
const ROOM = 6; // pixels between two measured points that are marked
const [MEASURED, NOW] = [2.3, 3.2]; // pixels: radius of a measured point, and of the one at the step shown
const LETTER = 15; // pixels of a line's length for a letter on it

/** One metric over the steps: for each racer the mean over the seeds as a line, lowest to highest seed as a band. */
class RaceCurve {
  /** @type {{scale: unknown[], rows: number, lines: Measured[][]}} */
  #known = { scale: [], rows: 0, lines: [] }; // the points measured so far, in pixels of that scale

  /** @param {RunDesk} desk @param {string} metric @param {string} label @param {(value: number) => string} written */
  constructor(desk, metric, label, written) {
    this.desk = desk;
    this.metric = metric;
    this.label = label;
    this.written = written;
    this.grouped = written === SCORE;
    /** @type {number[] | null} */ this.powers = null; // of ten, from which to which a length is drawn
    this.panel = new Panel(`race-curve dml-race-${metric}`, label);
    this.svg = svgNode("svg", { class: "dml-race-plot", "aria-hidden": "true" });
    const pen = () => new Pen(this.svg.appendChild(svgNode("g", { "stroke-linejoin": "round" })));
    this.pens = { grid: pen(), lines: pen(), letters: pen(), marks: pen() };
    this.panel.picture.append(this.svg);
    this.baseline = element("span");
    this.readout = element("div", { class: "dml-readout", hidden: true });
    this.panel.picture.append(this.readout);
    this.sizes = new ResizeObserver(([{ contentRect: { width } }]) => {
      this.wide = Math.round(width);
      desk.redraw();
    });
    this.sizes.observe(this.panel.picture);
    this.svg.addEventListener("pointermove", (event) => this.#read(event));
    this.svg.addEventListener("pointerleave", () => (this.readout.hidden = true));
    this.svg.addEventListener("click", (event) => desk.goNear(this.#stepAt(event)));
  }

  /** Column of the metric for the group shown. */
  get column() {
    return this.grouped ? `${this.metric}.${this.desk.groupShown}` : this.metric;
  }

  /** R@1 of raw pixels, in words and as a number, of one set of images: several have each their own. */
  get #pixels() {
    const { subject: { header }, groupShown } = this.desk;
    const value = this.metric === "r1" && !header.data?.length ? header.baseline?.[groupShown] : NaN;
    return Number.isFinite(value) ? { value, text: `raw pixels ${score(value)}` } : null;
  }

  /** Whether it is drawn. */
  get ready() {
    return this.x !== undefined;
  }

  open() {
    const { look, subject } = this.desk;
    this.many = crowded(look, subject.header.members);
    this.panel.root.dataset.many = String(this.many);
    this.panel.legend.replaceChildren(key(stroke(look.exact, "", 1), this.baseline));
    this.margin = { ...MARGIN, right: this.many ? WIDER : MARGIN.right };
  }

  draw() {
    const { history, frame, subject } = this.desk;
    const { members: racers, seeds } = subject.header;
    const { step, budget } = frame.header;
    this.times = this.forced ? 1 : growth();
    this.width = this.forced?.width ?? (this.wide ??= this.panel.picture.clientWidth) / this.times;
    this.height = this.forced?.height ?? (this.many ? TALLER : HEIGHT);
    if (this.width < 60) return;
    const { left, right, top, bottom } = this.margin;
    this.last = stepRange(history.latest, budget)[1];
    /** @param {number} at */ this.x = (at) => left + ((this.width - left - right) * at) / this.last;
    this.#measure();
    /** @param {number} value */ this.y = (value) => top + (this.height - top - bottom) * (1 - this.#share(value));
    const [width, height] = [this.width, this.height].map((own) => own * this.times);
    renew(this.svg, { width, height, viewBox: `0 0 ${this.width} ${this.height}` });
    this.#axes(step);
    const lines = this.#points(racers.length, seeds);
    this.#lines(lines, seeds > 1);
    const now = racers.map((_, k) => spread(history, seeds, k, this.column, rowOf(history, frame, k)));
    this.#ends(lines, now, step);
    for (const pen of Object.values(this.pens)) pen.done();
    // The words are computed later, when the race may have changed.
    this.panel.describe(() => this.#words(now, subject.header, step));
  }

  close() {
    this.sizes.disconnect();
  }

  // Draws it at another size, for a file; calling the result draws it for the page again.
  /** @param {number} width @param {number} height */ at(width, height) {
    this.forced = { width, height };
    this.draw();
    return () => {
      this.forced = null;
      this.draw();
    };
  }

  /** The words beside an exported drawing: what is drawn, who races, and what line and band are. */
  key() {
    const { look, subject } = this.desk;
    const { members: racers, seeds } = subject.header;
    const what = this.grouped ? `${this.label}, ${groupName(subject, this.desk.groupShown)}` : this.label;
    const over = seeds > 1 ? [`line: mean of ${seeds} seeds`, "band: lowest to highest"] : ["one seed"];
    const [title, ...rest] = [what, ...over].map(/** @returns {KeyEntry} */ (text) => ({ text, sign: null }));
    const pixels = this.#pixels ? [{ text: this.#pixels.text, sign: dash(look.exact), wide: 18 }] : [];
    return [title, ...racerKey(look, racers), ...pixels, ...rest];
  }

  // Of a length the powers of ten that all racers need.
  #measure() {
    if (this.written !== LENGTH) return;
    const { history } = this.desk;
    const columns = history.named("").filter((name) => name.endsWith(`.${this.metric}`));
    let [low, high] = [Infinity, -Infinity];
    for (const name of columns) {
      for (const value of history.column(name)) {
        if (value > LEAST) [low, high] = [Math.min(low, value), Math.max(high, value)];
      }
    }
    this.powers = decades(this.powers, low, high);
  }

  /** How far up a value is drawn, from 0 to 1. @param {number} value */
  #share(value) {
    if (!this.powers) return value;
    const [low, high] = this.powers;
    return Math.max(0, (Math.log10(Math.max(value, LEAST)) - low) / (high - low));
  }

  // The values that have a line across.
  #ticks() {
    if (!this.powers) return TICKS;
    const [low, high] = this.powers;
    const apart = Math.ceil((high - low) / 4);
    return Array.from({ length: Math.floor((high - low) / apart) + 1 }, (_, k) => 10 ** (low + k * apart));
  }

  /** @param {number} value */ #tick(value) {
    if (this.written === SHARE) return SHARE(value);
    return value && value < 1e-3 ? value.toExponential(0).replace("-", "−") : `${value}`;
  }

  /** @param {number} step */ #axes(step) {
    const { left, right, top, bottom } = this.margin;
    const { look } = this.desk;
    const { grid } = this.pens;
    /** @param {string} d @param {string} stroke */ const thin = (d, stroke) => grid.path(d, { stroke, "stroke-width": 1 });
    /** @param {number} value */ const across = (value) => `M${left} ${tenths(this.y(value))}H${this.width - right}`;
    /** @param {number} x @param {number} y @param {string} words @param {string} anchor */
    const write = (x, y, words, anchor) => grid.text({ x, y }, words, { fill: look.quiet, "text-anchor": anchor });
    thin(`M${tenths(this.x(step))} ${top}V${this.height - bottom}`, look.quiet);
    const ticks = this.#ticks();
    thin(ticks.map(across).join(""), look.faint);
    for (const tick of ticks) write(left - 5, this.y(tick) + 4, this.#tick(tick), "end");
    /** @type {[string, number, string][]} */
    const feet = [["step 0", 0, "start"], [count(this.last / 2), 0.5, "middle"], [count(this.last), 1, "end"]];
    for (const [words, share, anchor] of feet) write(this.x(share * this.last), this.height - 10, words, anchor);
    // Its words are in the legend, where they cover no curve.
    this.panel.legend.hidden = !this.#pixels;
    if (!this.#pixels) return;
    thin(across(this.#pixels.value), look.exact);
    say(this.baseline, this.#pixels.text);
  }

  /** Of each racer: in pixels the mean over its seeds, the highest and the lowest, where there is one. What has been measured
   * stays where it is until the scale is another. @param {number} count @param {number} seeds @returns {Measured[][]} */
  #points(count, seeds) {
    const { history } = this.desk;
    const scale = [history, count, this.column, this.width, this.height, this.last, this.powers, this.many];
    if (!scale.every((one, k) => one === this.#known.scale[k])) {
      this.#known = { scale, rows: 0, lines: Array.from({ length: count }, /** @returns {Measured[]} */ () => []) };
    }
    const { rows, lines } = this.#known;
    for (let row = rows; row < history.count; row += 1) {
      const x = this.x(history.at("step", row));
      /** @type {[number, Measured][]} */ const now = [];
      lines.forEach((points, k) => {
        const { mean, high, low } = spread(history, seeds, k, this.column, row);
        const [y, top, foot] = [mean, high, low].map(this.y);
        if (!Number.isFinite(y)) return;
        points.push({ x, y, line: px(x, y), top: px(x, top), foot: px(x, foot) });
        now.push([k, points.at(-1)]);
      });
      meet(now);
    }
    this.#known.rows = history.count;
    return lines;
  }

  /** @param {Measured[][]} lines @param {boolean} banded */ #lines(lines, banded) {
    const { look } = this.desk;
    const styles = lines.map((_, k) => racerStyle(look, k));
    /** @param {Measured[]} points @param {"line" | "top" | "foot"} name */
    const along = (points, name) => points.map((point) => point[name]);
    const { lines: pen, letters } = this.pens;
    if (banded) {
      lines.forEach((points, k) => {
        const around = [...along(points, "top"), ...along(points, "foot").reverse()];
        pen.path(points.length && `M${around.join("L")}Z`, { fill: styles[k].tone, opacity: this.many ? 0.06 : 0.13 });
      });
    }
    const [from, to] = [this.margin.left, this.width - this.margin.right - 6];
    lines.forEach((points, k) => {
      const { tone, dash, width } = styles[k];
      const line = { stroke: tone, "stroke-width": width };
      for (const piece of pieces(points, k)) {
        const dashes = { "stroke-dasharray": piece.dash || dash, "stroke-dashoffset": piece.offset };
        pen.path(piece.points.length && `M${along(piece.points, "line").join("L")}`, { ...line, ...dashes });
      }
      pen.path(marked(spaced(points, ROOM), k).map(({ x, y }) => disc(x, y, MEASURED, tenths)).join(""), { fill: tone });
      if (!this.many) return;
      const halo = { stroke: look.paper, "stroke-width": 3, "paint-order": "stroke" };
      for (const place of lettered(points, k, lines.length, LETTER, from, to)) {
        this.#letter(letters, place, k, { ...halo, "font-size": 12, "text-anchor": "middle" });
      }
    });
  }

  // A letter at the end of each line, moved apart where lines end together, and a dot at the step shown.
  /** @param {Measured[][]} lines @param {Spread[]} now @param {number} step */
  #ends(lines, now, step) {
    const { members } = this.desk.frame.header;
    const { right, top, bottom } = this.margin;
    const ends = lines.map((points) => points.at(-1));
    const heights = placed(ends.map((end) => end?.y ?? NaN), LINE, top + 4, this.height - bottom - 2);
    const x = this.width - right + (this.many ? 24 : 10);
    const { marks } = this.pens;
    ends.forEach((end, k) => {
      const { tone } = racerStyle(this.desk.look, k);
      if (end) {
        const lead = `M${px(end.x + 2, end.y)}L${px(x, heights[k])}`;
        // A long way to a letter, as from a race's first step, must not look like a curve.
        const dots = x - end.x > FAR ? "1 4" : "";
        marks.path(lead, { stroke: tone, "stroke-width": 0.8, opacity: 0.6, "stroke-dasharray": dots });
        this.#letter(marks, { x: x + 2, y: heights[k] }, k, { "font-size": 12 });
      }
      const { mean } = now[k];
      const ring = { fill: tone, stroke: this.desk.look.paper, "stroke-width": 1 };
      if (Number.isFinite(mean)) marks.dot({ x: this.x(members[k].at ?? step), y: this.y(mean) }, NOW, ring);
    });
  }

  /** @param {Pen} pen @param {Place} at @param {number} k @param {Drawing} style */
  #letter(pen, { x, y }, k, style) {
    const bold = { fill: racerStyle(this.desk.look, k).tone, "font-weight": 700, "dominant-baseline": "central" };
    const { letter } = this.desk.subject.header.members[k];
    pen.text({ x: tenths(x), y: tenths(y) }, letter, { ...bold, ...style });
  }

  /** @param {MouseEvent} event */ #stepAt(event) {
    const { left, right } = this.margin;
    const [place] = within(this.svg, event);
    return Math.max(0, ((place / this.times - left) / (this.width - left - right)) * this.last);
  }

  /** @param {PointerEvent} event */ #read(event) {
    const { history, subject } = this.desk;
    if (!history.count) return;
    const row = history.nearest(this.#stepAt(event));
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
    const [left] = within(this.svg, event);
    const room = this.width * this.times - this.readout.offsetWidth - 4;
    this.readout.style.left = `${Math.max(0, left + 14 > room ? left - 14 - this.readout.offsetWidth : left + 14)}px`;
  }

  /** @param {number} value */ #text(value) {
    return Number.isFinite(value) ? this.written(value) : "–";
  }

  /** @param {Spread[]} now @param {SubjectHeader} header @param {number} step */
  #words(now, { members: racers, seeds }, step) {
    const each = racers.map(({ letter }, k) => {
      const between = seeds > 1 ? ` (seeds ${this.#text(now[k].low)} to ${this.#text(now[k].high)})` : "";
      return `${letter} ${nameOf(racers, k)} ${this.#text(now[k].mean)}${between}`;
    });
    return `${this.label} over the steps. At step ${step}: ${each.join("; ")}.`;
  }
}

/** @type {[string, string, (value: number) => string][]} */ const kinds = [
  ...SCORES.map(/** @returns {[string, string, typeof SCORE]} */ ({ name, label }) => [name, label, SCORE]),
  ["active", "Active share of the batch", SHARE],
  ["grad", "Gradient length at the embeddings", LENGTH],
];

/** One panel for each metric. */
export const CURVES = kinds.map((kind) =>
  class extends RaceCurve {
    /** @param {RunDesk} desk */ constructor(desk) {
      super(desk, ...kind);
    }
  }
);
