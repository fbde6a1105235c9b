import { around, axis, belowTheAxis, decades, dots, line, read, steps as stepRange, together } from "../../plot/layout.js";
import { ChartPanel } from "./chart_panel.js";
import { thinned } from "../history.js";
import { stroke } from "../../draw/marker.js";
import { button, element, key, say } from "../../draw/panel.js";
import { isNumber, short } from "../../draw/words.js";

const [LOSS, CURSOR, CURSOR_BELOW, CURSOR_LAST, DOTS, ZERO, CURVES] = [0, 1, 2, 3, 4, 5, 6];
const FOOT = 0.03; // of a logarithmic axis, where what is 0 is drawn
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];
const STROKES = ["", "6 3", "2 3"]; // of the keys, for the first of these

/** The loss over the steps and, below it on a logarithmic axis, the norm of its gradient, whole or layer by layer.
 *
 * The numbers that a loss learns, such as a temperature, have curves of their own below these. */
export class Loss extends ChartPanel {
  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "loss", "Loss and gradient");
    this.perLayer = false;
    this.value = element("b");
    this.norm = element("b");
    this.toggle = button(() => this.#turn(), { class: "dml-chip", "aria-pressed": "false" }, "per layer");
  }

  keys() {
    this.layers = this.perLayer ? this.desk.history.named("grad.") : [];
    this.means = this.desk.history.named("mean.");
    this.learnt = this.desk.history.named("learnt.");
    const { look } = this.desk;
    this.mean = this.means.map(() => element("b"));
    this.number = this.learnt.map(() => element("b"));
    const numbers = this.learnt.map((name, k) =>
      key(stroke(look.ink, STROKES[k % STROKES.length]), `${name.slice(7)} (learnt)`, this.number[k])
    );
    if (this.perLayer) {
      const layers = this.layers.map((name, k) => key(stroke(layerColour(look, k)), name.slice(5)));
      return [...layers, this.zero, ...numbers, this.toggle];
    }
    this.zero = key(stroke(look.quiet, "2 3"), "0, below the axis");
    const means = this.means.map((name, k) => key(name.replace(".", " "), this.mean[k]));
    return [key("loss", this.value), key("gradient norm", this.norm), this.zero, ...means, ...numbers, this.toggle];
  }

  draw() {
    const { history, frame } = this.desk;
    /** @type {[string[], string][]} */
    const names = [this.perLayer ? [this.layers, "grad."] : [this.means, "mean."], [this.learnt, "learnt."]];
    if (names.some(([known, prefix]) => known.length !== history.named(prefix).length)) this.open(false);
    const step = frame.header.step;
    const row = history.row(step);
    const x = thinned(history.column("step"));
    const [at, loss] = history.lossCurve();
    const lengths = (this.perLayer ? this.layers : ["grad"]).map((name) => thinned(history.column(name)));
    const norms = lengths.map((each) => each.map((value) => (value > 0 ? value : NaN)));
    const [lossRange, normRange] = [this.#range("yaxis", around, [loss]), this.#range("yaxis2", decades, norms)];
    const numbers = this.learnt.map((name) => thinned(history.column(name)));
    const numberRange = numbers.length ? this.#range("yaxis3", around, numbers) : [NaN, NaN];
    const foot = 10 ** (normRange[0] + FOOT * (normRange[1] - normRange[0]));
    const zeros = lengths.map((each) => belowTheAxis(each, foot));
    this.zero.hidden = !zeros.some((each) => each.includes(foot));
    this.chart.move([
      [LOSS, { x: at, y: loss }],
      [CURSOR, { x: [step, step], y: lossRange }],
      [CURSOR_BELOW, { x: [step, step], y: normRange.map((power) => 10 ** power) }],
      [CURSOR_LAST, { x: [step, step], y: numberRange }],
      [DOTS, { x: [step], y: [history.at("loss", row)] }],
      [ZERO, { x: zeros.flatMap(() => [...x, NaN]), y: zeros.flatMap((each) => [...each, NaN]) }],
      ...[...norms, ...numbers].map(/** @returns {[number, Places]} */ (y, k) => [CURVES + k, { x, y }]),
    ]);
    this.chart.range("xaxis", stepRange(this.desk.last, frame.header.budget));
    say(this.value, short(history.at("loss", row)));
    say(this.norm, short(history.at("grad", row)));
    this.means.forEach((name, k) => say(this.mean[k], short(history.at(name, row))));
    this.learnt.forEach((name, k) => say(this.number[k], short(history.at(name, row))));
    this.panel.describe(() => {
      const first = history.at("loss", 0);
      const start = isNumber(first) ? `, ${short(first)} at the start` : "";
      const [loss, norm] = [history.at("loss", row), history.at("grad", row)].map(short);
      const learnt = this.learnt.map((name) => `; learnt ${name.slice(7)} ${short(history.at(name, row))}`).join("");
      return `Loss ${loss} at step ${step}${start}; norm of the gradient ${norm}${learnt}.`;
    });
  }

  #turn() {
    this.perLayer = !this.perLayer;
    this.toggle.setAttribute("aria-pressed", String(this.perLayer));
    this.open(false);
    this.toggle.focus();
    this.desk.redraw();
  }

  /** @param {AxisName} name @param {(range: number[] | null, low: number, high: number) => number[]} choose
   * @param {Numbers[]} columns */
  #range(name, choose, columns) {
    let [low, high] = [Infinity, -Infinity];
    for (const column of columns) {
      for (const value of column) if (!Number.isNaN(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    const range = choose(this.chart.rangeOf(name), low, high);
    this.chart.range(name, range);
    return range;
  }

  build() {
    const { look } = this.desk;
    const cursor = { color: look.quiet, width: 1 };
    /** @param {string} name @param {string} color */
    const norm = (name, color, dash = "solid") => read(name, { color, width: 1.6, dash }, ".3g", { yaxis: "y2" });
    /** @param {number} k */ const dash = (k) => DASHES[Math.floor(k / 8) % DASHES.length];
    const norms = this.perLayer
      ? this.layers.map((name, k) => norm(name.slice(5), layerColour(look, k), dash(k)))
      : [norm("gradient norm", look.ink)];
    const numbers = this.learnt.map((name, k) =>
      read(name.slice(7), { color: look.ink, width: 1.6, dash: DASHES[k % DASHES.length] }, ".3g", { yaxis: "y3" })
    );
    const [top, middle, bottom] = numbers.length ? [[0.72, 1], [0.36, 0.62], [0, 0.26]] : [[0.6, 1], [0, 0.42], null];
    const last = bottom ? "y3" : "y2";
    // Above its panel, where it covers no curve.
    const corner = { xref: "paper", yref: "paper", x: 1, xanchor: "right", yanchor: "bottom", showarrow: false };
    /** @param {string} text @param {number} y */
    const note = (text, y) => ({ ...corner, text, y, font: { size: 12, color: look.quiet } });
    return {
      traces: [
        read("loss", { color: look.ink, width: 2 }, ".3g"),
        line({ line: cursor }),
        line({ line: cursor, yaxis: "y2" }),
        line({ line: cursor, yaxis: last }),
        dots(look, { color: look.ink }),
        line({ line: { color: look.quiet, width: 1.6, dash: "dot" }, yaxis: "y2" }),
        ...norms,
        ...numbers,
      ],
      layout: together(look, { title: "step", range: [0, 10], anchor: last }, { domain: top, range: [0, 1], nticks: 4 }, {
        yaxis2: axis(look, { domain: middle, type: "log", range: [-2, 0], nticks: 4, tickformat: "~g", dtick: 1 }),
        ...(bottom ? { yaxis3: axis(look, { domain: bottom, range: [0, 1], nticks: 4, tickformat: "~g" }) } : {}),
        annotations: [
          note("loss", 1),
          note(this.perLayer ? "gradient norm, per layer" : "gradient norm", middle[1]),
          ...(bottom ? [note("learnt by the loss", bottom[1])] : []),
        ],
        margin: { l: 44, r: 8, t: 18, b: 38 },
      }),
    };
  }
}

/** @param {Look} look @param {number} k */ function layerColour(look, k) {
  return look.ofClass(k % 8).colour;
}
