import { mark, px, tenths } from "../../draw/marker.js";
import { element } from "../../draw/panel.js";
import { table } from "../../export/csv.js";
import { within } from "../../draw/pointing.js";
import { Repaint } from "../../draw/repaint.js";
import { disc, Pen, renew, svgNode } from "../../draw/svg.js";
import { isNumber, plain } from "../../draw/words.js";

// In place of plot/chart.js: the charts of a run, drawn without Plotly, which would be two thirds of a lesson's file.

/** @typedef {{traces: Trace[], layout: Layout}} Scene */
/** @typedef {{from: number, size: number, low: number, high: number, log: boolean, down: boolean}} Scale */

/** @type {Record<string, string>} */
const DASHES = { dot: "2 3", dash: "6 4", longdash: "10 4", dashdot: "8 3 2 3" };
const LETTERS = 12; // px
const [ASIDE, BELOW] = [5, 15]; // px from an axis to the foot of its numbers
const STEPS = [1, 2, 2.5, 5, 10];
const OPEN = "-open"; // ends the names of symbols without a fill

/** A chart of lines and marks that is drawn as a whole whenever something in it moves. */
export class Chart {
  /** @type {Map<AxisName, number[]>} */ #ranges = new Map();
  /** @type {Map<number, Places>} */ #moves = new Map();
  #repaint = new Repaint(() => this.#draw());
  #sizes = new ResizeObserver(() => this.#repaint.request());

  /** Fills `box`; `build` gives {traces, layout} for the look of the moment.
   * @param {unknown} _library @param {HTMLElement} box @param {() => Scene} build */
  constructor(_library, box, build) {
    this.build = build;
    this.scene = build();
    this.svg = svgNode("svg", { "aria-hidden": "true" });
    const layer = () => new Pen(this.svg.appendChild(svgNode("g", { "stroke-linejoin": "round" })));
    this.pens = { grid: layer(), traces: layer(), words: layer() };
    this.node = element("div", { class: "dml-chart" }, this.svg);
    box.append(this.node);
    this.#sizes.observe(this.node);
  }

  get ready() {
    return this.node.clientWidth > 0;
  }

  /** Draws everything anew; a `fresh` subject also gives up ranges. @param {boolean} fresh */
  rebuild(fresh) {
    if (fresh) this.#ranges.clear();
    this.scene = this.build();
    this.#moves.clear();
    this.#repaint.request();
  }

  /** Gives traces new data. @param {Iterable<[number, Places]>} changes */
  move(changes) {
    for (const [index, places] of changes) this.#moves.set(index, places);
    this.#repaint.request();
  }

  /** Sets an axis' range. @param {AxisName} axis @param {number[]} range */
  range(axis, range) {
    this.#ranges.set(axis, range);
    this.#repaint.request();
  }

  /** The axis' range for the data. @param {AxisName} axis */
  rangeOf(axis) {
    return this.#ranges.get(axis) ?? null;
  }

  /** Data coordinates of a pointer event, with the data units of one pixel. @param {{clientX: number, clientY: number}} event */
  where(event) {
    if (!this.ready) return null;
    const [left, top] = within(this.node, event);
    const [x, y] = [this.#scale("xaxis"), this.#scale("yaxis")];
    const unit = (x.high - x.low) / x.size;
    return { x: x.low + (left - x.from) * unit, y: y.low + ((y.from - top) * (y.high - y.low)) / y.size, unit };
  }

  /** Resolves when all that was asked for is drawn. */
  async idle() {
    if (this.#repaint.waiting) await this.#repaint.request();
  }

  /** The traces as they are drawn, as a table. */
  table() {
    const { traces, layout } = this.scene;
    const ranged = Object.fromEntries([...this.#ranges].map(([axis, range]) => [axis, { ...layout[axis], range }]));
    return table(traces.map((trace, index) => ({ ...trace, ...this.#moves.get(index) })), { ...layout, ...ranged });
  }

  close() {
    this.#sizes.disconnect();
    this.node.remove();
  }

  /** Where an axis lies in px. @param {AxisName} name @returns {Scale} */
  #scale(name) {
    const { layout } = this.scene;
    const { clientWidth: width, clientHeight: height } = this.node;
    const { l = 0, r = 0, t = 0, b = 0 } = layout.margin ?? {};
    const { domain = [0, 1], range = [0, 1], type } = layout[name] ?? {};
    const [low, high] = this.#ranges.get(name) ?? range;
    const down = name.startsWith("y");
    const whole = down ? height - t - b : width - l - r;
    const size = Math.max(1, (domain[1] - domain[0]) * whole);
    const from = down ? height - b - domain[0] * whole : l + domain[0] * whole;
    return { from, size, low, high, log: type === "log", down };
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (!width || !height) return;
    renew(this.svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    const { traces, layout } = this.scene;
    const names = /** @type {AxisName[]} */ (Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name)));
    for (const name of names) if (layout[name].visible !== false) this.#axis(name, layout);
    traces.forEach((trace, index) => this.#trace({ ...trace, ...this.#moves.get(index) }));
    for (const { text, x = 0, y = 0, font } of layout.annotations ?? []) {
      const { l = 0, r = 0, t = 0, b = 0 } = layout.margin ?? {};
      const at = { x: l + x * (width - l - r), y: t + (1 - y) * (height - t - b) - 4 };
      this.pens.words.text(at, text ?? "", { ...this.#words(font?.color), "text-anchor": "end" });
    }
    for (const pen of Object.values(this.pens)) pen.done();
  }

  /** @param {string | undefined} colour */ #words(colour) {
    const { font } = this.scene.layout;
    return { fill: colour ?? font?.color ?? "currentColor", "font-size": LETTERS };
  }

  /** @param {AxisName} name @param {Layout} layout */ #axis(name, layout) {
    const { gridcolor = "none", title, tickvals, nticks = 5, tickformat, anchor, tickfont } = layout[name];
    const scale = this.#scale(name);
    const other = this.#scale(scale.down ? "xaxis" : /** @type {AxisName} */ ((anchor ?? "y").replace("y", "yaxis")));
    const words = this.#words(/** @type {{color?: string}} */ (tickfont)?.color);
    const all = layout.yaxis2 && !scale.down ? this.node.clientHeight : other.size;
    let d = "";
    for (const value of tickvals ?? ticks(scale, nticks)) {
      const at = tenths(place(scale, scale.log ? 10 ** value : value));
      d += scale.down
        ? `M${tenths(other.from)} ${at}h${tenths(other.size)}`
        : `M${at} ${tenths(other.from)}v${-tenths(Math.min(all, other.size))}`;
      const text = tickText(scale.log ? 10 ** value : value, tickformat);
      if (scale.down) this.pens.words.text({ x: other.from - ASIDE, y: at + 4 }, text, { ...words, "text-anchor": "end" });
      else {
        const near = at > this.node.clientWidth - LETTERS; // whose middle would be cut
        const foot = { x: near ? this.node.clientWidth : at, y: other.from + BELOW };
        this.pens.words.text(foot, text, { ...words, "text-anchor": near ? "end" : "middle" });
      }
    }
    this.pens.grid.path(d, { stroke: gridcolor, "stroke-width": 1 });
    if (!title?.text) return;
    const middle = scale.down ? scale.from - scale.size / 2 : scale.from + scale.size / 2;
    const turn = scale.down ? { transform: `rotate(-90 ${LETTERS} ${tenths(middle)})` } : { transform: "" };
    const foot = scale.down ? { x: LETTERS, y: middle } : { x: middle, y: this.node.clientHeight - 4 };
    this.pens.words.text(foot, title.text, { ...words, ...turn, "text-anchor": "middle" });
  }

  /** @param {Trace} trace */
  #trace({ x, y, mode = "lines", line, marker, fill, fillcolor, yaxis = "y", opacity = 1 }) {
    const [across, up] = [this.#scale("xaxis"), this.#scale(/** @type {AxisName} */ (yaxis.replace("y", "yaxis")))];
    const there = /** @type {Place[]} */ (Array.from(/** @type {Numbers} */ (x), (value, i) => ({ x: value, y: Number(y[i]) })));
    const shown = (/** @type {Place} */ at) => isNumber(at.x) && isNumber(at.y) && !(up.log && at.y <= 0);
    const pixels = there.map((at) => (shown(at) ? { x: place(across, at.x), y: place(up, at.y) } : null));
    if (mode.includes("lines")) {
      // What is beyond an axis goes along its end.
      const ends = pixels.map((at) => at && { x: at.x, y: Math.min(up.from, Math.max(up.from - up.size, at.y)) });
      const d = path(ends, line?.shape === "hv");
      if (fill && d) {
        const foot = tenths(up.from);
        const area = `${d}L${tenths(ends.findLast(Boolean).x)} ${foot}L${tenths(ends.find(Boolean).x)} ${foot}Z`;
        this.pens.traces.path(area, { fill: fillcolor ?? "none", opacity });
      }
      const style = { stroke: line?.color ?? "none", "stroke-width": line?.width ?? 2, opacity };
      this.pens.traces.path(d, { ...style, "stroke-dasharray": DASHES[line?.dash] ?? "" });
    }
    if (mode.includes("markers") && marker) this.#marks(pixels, marker, opacity);
  }

  /** Marks of one look are one path. @param {(Place | null)[]} pixels @param {TraceMarker} marker @param {number} opacity */
  #marks(pixels, { symbol = "circle", color = "none", size = 6, line }, opacity) {
    /** @template T @param {T | T[]} of @param {number} i */ const at = (of, i) => (Array.isArray(of) ? of[i] : of);
    /** @type {Map<string, string>} */ const paths = new Map();
    pixels.forEach((pixel, i) => {
      if (!pixel) return;
      const [sign, colour] = [at(symbol, i), at(color, i)];
      const [name, key] = [sign.replace(OPEN, ""), `${sign.endsWith(OPEN) ? OPEN : ""} ${colour}`];
      const own = name === "circle" ? disc(pixel.x, pixel.y, size / 2, tenths) : mark(name, pixel.x, pixel.y, size / 2);
      paths.set(key, (paths.get(key) ?? "") + own);
    });
    for (const [key, d] of paths) {
      const colour = key.slice(key.indexOf(" ") + 1);
      const fill = key.startsWith(OPEN) ? "none" : colour;
      const edge = { stroke: at(line?.color, 0) ?? "none", "stroke-width": line?.width ?? 0 };
      this.pens.traces.path(d, { fill, "fill-rule": "nonzero", ...edge, opacity });
    }
  }
}

/** @param {Scale} scale @param {number} value */ function place({ from, size, low, high, log, down }, value) {
  const share = ((log ? Math.log10(value) : value) - low) / (high - low);
  return down ? from - share * size : from + share * size;
}

/** A line through pixels, with a gap at each null. @param {(Place | null)[]} pixels @param {boolean} steps */
function path(pixels, steps) {
  let d = "";
  pixels.forEach((at, k) => {
    if (!at) return;
    const before = pixels[k - 1];
    d += before ? `${steps ? `H${tenths(at.x)}` : ""}L${px(at.x, at.y)}` : `M${px(at.x, at.y)}`;
  });
  return d;
}

/** A number beside an axis; of Plotly's formats, those of shares change it. @param {number} value @param {string} [format] */
export function tickText(value, format) {
  return format?.endsWith("%") ? `${plain(100 * value)}%` : plain(value);
}

/** Round numbers within an axis, about `many`. @param {Scale} scale @param {number} many */
function ticks({ low, high, log }, many) {
  if (log) return Array.from({ length: Math.floor(high) - Math.ceil(low) + 1 }, (_, k) => Math.ceil(low) + k);
  const rough = (high - low) / Math.max(1, many - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find((each) => each * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
}
