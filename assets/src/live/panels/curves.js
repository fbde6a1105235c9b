import { dots, line, read, steps as stepRange, together } from "../../plot/layout.js";
import { ChartPanel } from "./chart_panel.js";
import { elsewhere, groupKey, groupName, groupsOf } from "../../runs/group.js";
import { thinned } from "../history.js";
import { marker, stroke } from "../../draw/marker.js";
import { element, key, say } from "../../draw/panel.js";
import { follow } from "../../draw/pointing.js";
import { isNumber, score } from "../../draw/words.js";

/** @typedef {{name: string, label: string, place: number | null, symbol: string}} Metric */

/** @type {Metric[]} */ const METRICS = [
  { name: "r1", label: "R@1", place: null, symbol: "circle" },
  { name: "map", label: "mAP", place: 2, symbol: "square" },
  { name: "mapr", label: "MAP@R", place: 1, symbol: "diamond" },
];
const GROUPS = ["seen", "unseen"];
const [CURSOR, FIRST] = [0, 1];
const COLUMNS = METRICS.flatMap(({ name }) => GROUPS.map((group) => `${name}.${group}`));
const UNTRAINED = FIRST + COLUMNS.length;
const [PIXELS, DOTS] = [UNTRAINED + 1, UNTRAINED + 2];
const DOUBLE = 300; // ms in which a click may become a double click, which undoes the zoom

/** @param {Subject} subject */ const atStart = (subject) => (elsewhere(subject) ? "at the start" : "untrained");

/** Retrieval scores over the steps, on seen and on unseen classes. */
export class Curves extends ChartPanel {
  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "curves", "Retrieval");
    this.panel.picture.addEventListener("pointerdown", (event) => this.#seek(event), { capture: true });
  }

  keys() {
    const { subject, look } = this.desk;
    this.values = METRICS.map(() => element("b"));
    /** @param {Metric} metric */ const sign = (metric) => marker(metric.symbol, colour(metric, look), 10);
    const keys = METRICS.map((metric, k) => key(sign(metric), metric.label, this.values[k]));
    this.marks = ["", "4 3"].map((dash) => key(stroke(look.exact, dash, 1), element("span")));
    /** @type {Record<string, string>} */ const dash = { unseen: "", seen: "2 3" };
    const groups = groupsOf(subject).flatMap((name) => [stroke(look.ink, dash[name]), groupKey(subject, name)]);
    return [...keys, element("span", { class: "dml-key dml-faint" }, ...groups), ...this.marks];
  }

  draw() {
    const { history, frame, subject, group: { name: shown } } = this.desk;
    const step = frame.header.step;
    const row = history.row(step);
    const x = thinned(history.column("step"));
    const last = stepRange(this.desk.last, frame.header.budget)[1];
    /** @param {number} value */ const flat = (value) => ({ x: [0, last], y: [value, value] });
    const now = METRICS.map(({ name }) => history.at(`${name}.${shown}`, row));
    const [start, pixels] = [history.at(`r1.${shown}`, 0), subject.header.baseline?.[shown] ?? NaN];
    this.chart.move([
      ...COLUMNS.map(/** @returns {[number, Places]} */ (name, k) => [FIRST + k, { x, y: thinned(history.column(name)) }]),
      [UNTRAINED, flat(start)],
      [PIXELS, flat(pixels)],
      [CURSOR, { x: [step, step], y: [0, 1.1] }],
      [DOTS, { x: now.map(() => step), y: now }],
    ]);
    this.chart.range("xaxis", [0, last]);
    now.forEach((value, k) => say(this.values[k], score(value)));
    // In the legend, where their words cover no curve.
    [{ value: start, words: atStart(subject) }, { value: pixels, words: "of raw pixels" }].forEach(({ value, words }, k) => {
      this.marks[k].hidden = !isNumber(value);
      say(this.marks[k].lastChild, `R@1 ${words} ${score(value)}`);
    });
    this.panel.describe(() => {
      const each = METRICS.map(({ name, label }) => {
        /** @param {string} group */
        const on = (group) => `${score(history.at(`${name}.${group}`, row))} on ${groupName(subject, group)}`;
        return `${label} ${groupsOf(subject).map(on).join(", ")}`;
      });
      const before = isNumber(start) ? ` R@1 ${atStart(subject)}: ${score(start)}.` : "";
      return `Retrieval scores over the steps. At step ${step}: ${each.join("; ")}.${before}`;
    });
  }

  build() {
    const { look, subject, group: { name: shown } } = this.desk;
    /** @param {string} dash */ const thin = (dash) => line({ line: { color: look.exact, width: 1, dash } });
    /** @param {Metric} metric @param {string} group */ const score = (metric, group) =>
      read(`${metric.label} ${groupKey(subject, group)}`, {
        color: colour(metric, look),
        width: group === shown ? 2 : 1.4,
        dash: group === "unseen" ? "solid" : "dot",
      });
    return {
      traces: [
        line({ line: { color: look.quiet, width: 1 } }),
        ...METRICS.flatMap((metric) => GROUPS.map((group) => score(metric, group))),
        thin("solid"),
        thin("dash"),
        dots(look, { color: METRICS.map((m) => colour(m, look)), symbol: METRICS.map((m) => m.symbol) }),
      ],
      layout: together(look, { title: "step", range: [0, 10] }, { range: [0, 1.1], tickvals: [0, 0.25, 0.5, 0.75, 1] }),
    };
  }

  /** A click, not a drag nor a double click, shows the step under it. @param {PointerEvent} down */
  #seek(down) {
    clearTimeout(this.seeking);
    const place = this.chart?.where(down);
    if (!place || down.button !== 0) return;
    const again = down.timeStamp - (this.lastClick ?? -DOUBLE) <= DOUBLE;
    this.lastClick = down.timeStamp;
    const seek = () => (this.seeking = setTimeout(() => this.desk.goNear(place.x), DOUBLE));
    if (!again) follow(down, { click: seek });
  }

  close() {
    clearTimeout(this.seeking);
    super.close();
  }
}

/** @param {{place: number | null}} metric @param {Look} look */ function colour({ place }, look) {
  return place == null ? look.ink : look.ofClass(place).colour;
}
