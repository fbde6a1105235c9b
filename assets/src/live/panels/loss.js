import { around, decades, steps as stepRange } from "../../kit/axis.js";
import { Chart } from "../../kit/chart.js";
import { thinned } from "../history.js";
import { axis, layout, line } from "../../kit/layout.js";
import { stroke } from "../../kit/marker.js";
import { element, Panel, say } from "../../kit/panel.js";
import { isNumber, short } from "../../kit/words.js";

const [LOSS, CURSOR, CURSOR_BELOW, DOTS, NORMS] = [0, 1, 2, 3, 4];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash"];

/** The loss over the steps and, below it on a logarithmic axis, the norm of its gradient, whole or layer by layer. */
export class Loss {
  constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("loss", "Loss and gradient");
    this.perLayer = false;
    this.value = element("b");
    this.norm = element("b");
    this.toggle = element("button", { class: "dml-chip", type: "button", "aria-pressed": "false" }, "per layer");
    this.toggle.addEventListener("click", () => {
      this.perLayer = !this.perLayer;
      this.toggle.setAttribute("aria-pressed", String(this.perLayer));
      this.open(false);
      this.desk.redraw();
    });
  }

  open(fresh) {
    this.layers = this.perLayer ? this.desk.history.named("grad.") : [];
    this.means = this.desk.history.named("mean.");
    this.mean = this.means.map(() => element("b"));
    const { look } = this.desk;
    const keys = this.perLayer
      ? this.layers.map((name, k) => element("span", { class: "dml-key" }, stroke(layerColour(look, k)), name.slice(5)))
      : [
        element("span", { class: "dml-key" }, "loss", this.value),
        element("span", { class: "dml-key" }, "gradient norm", this.norm),
        ...this.means.map((name, k) => element("span", { class: "dml-key" }, name.replace(".", " "), this.mean[k])),
      ];
    this.panel.legend.replaceChildren(...keys, this.toggle);
    if (this.chart) this.chart.rebuild(fresh);
    else this.chart = new Chart(this.desk.library, this.panel.picture, () => this.#scene());
  }

  draw() {
    const { history, frame } = this.desk;
    const shown = this.perLayer ? [this.layers, "grad."] : [this.means, "mean."];
    if (shown[0].length !== history.named(shown[1]).length) this.open(false);
    const step = frame.header.step;
    const row = history.row(step);
    const x = thinned(history.column("step"));
    const loss = thinned(history.column("loss"));
    const norms = this.#norms().map((name) => thinned(history.column(name)).map((value) => (value > 0 ? value : NaN)));
    const [lossRange, normRange] = [this.#range("yaxis", around, [loss]), this.#range("yaxis2", decades, norms)];
    this.chart.move([
      [LOSS, { x, y: loss }],
      [CURSOR, { x: [step, step], y: lossRange }],
      [CURSOR_BELOW, { x: [step, step], y: normRange.map((power) => 10 ** power) }],
      [DOTS, { x: [step], y: [history.at("loss", row)] }],
      ...norms.map((y, k) => [NORMS + k, { x, y }]),
    ]);
    this.chart.range("xaxis", stepRange(history.latest, frame.header.budget));
    say(this.value, short(history.at("loss", row)));
    say(this.norm, short(history.at("grad", row)));
    this.means.forEach((name, k) => say(this.mean[k], short(history.at(name, row))));
    this.panel.describe(() => {
      const first = history.at("loss", 0);
      const start = isNumber(first) ? `, ${short(first)} at the start` : "";
      const [loss, norm] = [history.at("loss", row), history.at("grad", row)].map(short);
      return `Loss ${loss} at step ${step}${start}; norm of the gradient ${norm}.`;
    });
  }

  close() {
    this.chart?.close();
  }

  #norms() {
    return this.perLayer ? this.layers : ["grad"];
  }

  #range(name, choose, columns) {
    let [low, high] = [Infinity, -Infinity];
    for (const values of columns) {
      for (const value of values) {
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    const range = choose(this.chart.rangeOf(name), low, high);
    this.chart.range(name, range);
    return range;
  }

  #scene() {
    const { look } = this.desk;
    const cursor = { color: look.quiet, width: 1 };
    const hover = { hoverinfo: undefined, hovertemplate: "%{y:.3g}" };
    const norm = (name, colour, dash = "solid") =>
      line({ name, yaxis: "y2", line: { color: colour, width: 1.6, dash }, ...hover });
    const norms = this.perLayer
      ? this.layers.map((name, k) =>
        norm(name.slice(5), layerColour(look, k), DASHES[Math.floor(k / 8) % DASHES.length])
      )
      : [norm("gradient norm", look.ink)];
    const note = (text, y) => ({
      text,
      xref: "paper",
      yref: "paper",
      x: 1,
      y,
      xanchor: "right",
      yanchor: "top",
      showarrow: false,
      font: { size: 12, color: look.quiet },
    });
    return {
      traces: [
        line({ name: "loss", line: { color: look.ink, width: 2 }, ...hover }),
        line({ line: cursor }),
        line({ line: cursor, yaxis: "y2" }),
        line({
          mode: "markers",
          cliponaxis: false,
          marker: { size: 8, color: look.ink, line: { width: 1, color: look.paper } },
        }),
        ...norms,
      ],
      layout: layout(look, {
        xaxis: axis(look, { title: "step", range: [0, 10], anchor: "y2" }),
        yaxis: axis(look, { domain: [0.54, 1], range: [0, 1], nticks: 4 }),
        yaxis2: axis(look, { domain: [0, 0.46], type: "log", range: [-2, 0], nticks: 4, tickformat: "~g", dtick: 1 }),
        annotations: [note("loss", 1), note(this.perLayer ? "gradient norm, per layer" : "gradient norm", 0.46)],
        hovermode: "x unified",
        margin: { l: 44, r: 8, t: 6, b: 38 },
      }),
    };
  }
}

function layerColour(look, k) {
  return look.ofClass(k % 8).colour;
}
