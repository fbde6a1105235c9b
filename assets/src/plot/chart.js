import { pause } from "../host/attempt.js";
import { NOWHERE } from "./layout.js";
import { chartSize } from "./node.js";
import { element, say } from "../draw/panel.js";
import { within } from "../draw/pointing.js";
import { slide } from "./slide.js";
import { isNumber } from "../draw/words.js";

const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  showSendToCloud: false,
  showTips: false,
  responsive: false,
  doubleClick: false,
};
const STILL = { duration: 0 }; // a transition: without one Plotly removes traces that have not moved
/** @type {Partial<Place>} */ const NOTHING = { x: undefined, y: undefined }; // how Plotly marks a point that is not there

/** @typedef {{traces: Trace[], layout: Layout}} Scene */

/** One Plotly chart that is drawn once, as soon as the library is there, and then only moved. Plotly's calls are asynchronous and
 * leave wrong clips and axes when they overlap, so they wait for each other here; a call that has waited too long is dropped. */
export class Chart {
  ready = false;
  #sizes = new ResizeObserver(() => this.#fit());
  /** @type {Map<AxisName, number[]>} */ #ranges = new Map();
  #zoomed = false;
  #subjects = 0;
  #busy = false;
  #failures = 0; // in a row
  // What is still to be done, in this order.
  /** @type {Scene | null} */ #scene = null;
  /** @type {Record<string, unknown>} */ #changes = {};
  /** @type {Map<number, Places>} */ #moves = new Map();

  /** Fills `box`, whose size must not depend on the chart; `build` gives {traces, layout} for the look of the moment.
   * @param {Promise<PlotlyLibrary>} library @param {HTMLElement} box @param {() => Scene} build */
  constructor(library, box, build) {
    this.build = build;
    this.node = /** @type {ChartNode} */ (document.createElement("div"));
    this.node.className = "dml-chart";
    this.note = element("p", { class: "dml-message", role: "status" });
    box.append(this.node, this.note);
    this.#scene = build();
    library.then((Plotly) => {
      this.Plotly = this.node.isConnected && Plotly;
      this.#work();
    });
  }

  // Draws everything anew in place: another theme, other classes; a `fresh` subject also gives up ranges and zoom.
  /** @param {boolean} fresh */ rebuild(fresh) {
    if (fresh) {
      this.#ranges.clear();
      this.#zoomed = false;
      this.#subjects += 1;
    }
    this.#scene = this.build();
    this.#changes = {};
    this.#moves.clear();
    this.#work();
  }

  // Gives traces new data (`[index, {x, y}]` pairs) without touching axes, zoom or hover. Where there are none yet, as of a run
  // that begins again, the trace has one point that is nowhere: Plotly hides an empty trace, and draws it never again.
  /** @param {Iterable<[number, Places]>} changes */ move(changes) {
    for (const [index, { x, y }] of changes) this.#moves.set(index, x.length && y.length ? { x, y } : NOWHERE);
    this.#work();
  }

  /** Sets an axis' range unless the visitor has zoomed. @param {AxisName} axis @param {number[]} range */
  range(axis, range) {
    const known = this.#ranges.get(axis);
    if (known && known[0] === range[0] && known[1] === range[1]) return;
    this.#ranges.set(axis, range);
    if (!this.#zoomed) this.#relayout({ [`${axis}.range`]: [...range] });
  }

  /** Back to the ranges of the data. */
  unzoom() {
    this.#zoomed = false;
    for (const [axis, range] of this.#ranges) this.#relayout({ [`${axis}.range`]: [...range] });
  }

  /** The axis' own range for the data, however the visitor has zoomed. @param {AxisName} axis @returns {number[] | null} */
  rangeOf(axis) {
    return this.#ranges.get(axis) ?? null;
  }

  // Data coordinates of a pointer event, with the data units of one pixel; null before there is a chart.
  /** @param {{clientX: number, clientY: number}} event */ where(event) {
    if (!this.ready) return null;
    const { xaxis, yaxis } = this.node._fullLayout;
    const [left, top] = within(this.node, event);
    const [x, y] = [left - xaxis._offset, top - yaxis._offset];
    return { x: xaxis.p2c(x), y: yaxis.p2c(y), unit: Math.abs(xaxis.p2c(1) - xaxis.p2c(0)) };
  }

  /** Resolves when all that was asked for is drawn. */
  async idle() {
    while (this.#busy) await new Promise((resolve) => setTimeout(resolve, 4));
  }

  close() {
    this.#sizes.disconnect();
    if (this.ready) this.Plotly.purge(this.node);
  }

  #listen() {
    this.node.on("plotly_relayout", (change) => {
      if (this.moving || !Object.keys(change).some((name) => /axis\d?\.range/.test(name))) return;
      this.#zoomed = true;
    });
    this.node.on("plotly_doubleclick", () => this.unzoom());
  }

  /** @param {Record<string, unknown>} change */ #relayout(change) {
    Object.assign(this.#changes, change);
    this.#work();
  }

  async #work() {
    if (this.#busy || !this.Plotly) return;
    this.#busy = true;
    try {
      for (let job = this.#next(); job; job = this.node.isConnected && this.#next()) await job;
      if (this.#failures) say(this.note, "");
      this.#failures = 0;
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#busy = false;
    }
  }

  /** What Plotly could not draw is drawn anew as a whole, with all that the chart was given. @param {Error} error */
  #fail(error) {
    console.error(error);
    this.#failures += 1;
    say(this.note, `This chart could not be drawn (${error.message}). The page goes on trying.`);
    const { data, layout } = this.node;
    /** @param {Trace} given */ const again = ({ x, y, ...trace }) => /** @type {Trace} */ ({ ...trace, x: [...x], y: [...y] });
    this.#scene ??= layout ? { traces: data.map(again), layout: { ...layout, margin: this.margin } } : this.build();
    setTimeout(() => this.node.isConnected && this.#work(), pause(this.#failures));
  }

  /** @returns {Promise<unknown> | null} */ #next() {
    if (this.#scene) return this.#draw();
    if (Object.keys(this.#changes).length) {
      const changes = this.#changes;
      this.#changes = {};
      this.moving = true;
      return this.Plotly.relayout(this.node, changes).finally(() => (this.moving = false));
    }
    if (this.node.calcdata) this.#shift();
    return null;
  }

  // Plotly's own calls take five times as long: they look at every setting of every trace, and style every point anew.
  #shift() {
    const { data, calcdata, _fullLayout } = this.node;
    for (const [index, { x, y }] of this.#moves) {
      const points = calcdata[index];
      const { trace } = points[0];
      if (same(data[index].x, x) && same(data[index].y, y)) continue;
      for (const one of [data[index], trace]) Object.assign(one, { x, y });
      points.length = Math.max(1, Math.min(x.length, y.length));
      for (let i = 0; i < points.length; i += 1) {
        const there = isNumber(x[i]) && isNumber(y[i]);
        Object.assign(points[i] ??= { i, tx: trace.text?.[i] }, there ? { x: x[i], y: y[i] } : NOTHING);
      }
      const box = _fullLayout._plots[trace.xaxis + trace.yaxis];
      // One by one: Plotly puts traces that it draws together next to each other, above what should cover them.
      if (!slide(points, box)) {
        trace._module.plot(this.node, box, [points], box.plot.selectAll(".scatterlayer"), STILL);
      }
    }
    this.#moves.clear();
  }

  // Also the first time: to Plotly, drawing on an empty node is the same call.
  async #draw() {
    const { traces, layout } = this.#scene;
    this.#scene = null;
    for (const [index, change] of this.#moves) Object.assign(traces[index], change);
    this.#moves.clear();
    for (const [axis, range] of this.#ranges) {
      layout[axis].range = [...(this.#zoomed ? this.node.layout[axis].range : range)];
    }
    this.margin = layout.margin;
    layout.meta = { margin: layout.margin }; // for files of other sizes
    try {
      await this.Plotly.react(this.node, traces, { uirevision: this.#subjects, ...layout, ...this.#frame() }, CONFIG);
    } catch (error) {
      this.#scene ??= { traces, layout };
      throw error;
    }
    if (!this.ready) this.#listen();
    this.ready = true;
    this.#sizes.unobserve(this.node); // legends may still change the box: measure again afterwards
    this.#sizes.observe(this.node);
  }

  // Size and margins for the box.
  #frame() {
    return { ...chartSize(this.node), margin: this.margin };
  }

  #fit() {
    const shown = this.node._fullLayout;
    const frame = this.#frame();
    if (!frame.width || !frame.height || !shown) return;
    if (Math.abs(shown.width - frame.width) < 1 && Math.abs(shown.height - frame.height) < 1) return;
    this.#relayout(frame);
  }
}

// Whether two columns have the same numbers, or none, in all places.
/** @param {Numbers | string[]} one @param {Numbers | string[]} other */ function same(one, other) {
  return one.length === other.length && Array.prototype.every.call(one, (value, i) => Object.is(value, other[i]));
}
