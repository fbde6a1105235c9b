import { steps as stepRange } from "../../kit/axis.js";
import { Chart } from "../../kit/chart.js";
import { groupKey, groupName } from "../../kit/group.js";
import { thinned } from "../history.js";
import { axis, layout, line } from "../../kit/layout.js";
import { marker, stroke } from "../../kit/marker.js";
import { element, Panel, say } from "../../kit/panel.js";
import { isNumber, score } from "../../kit/words.js";

const METRICS = [
  { name: "r1", label: "R@1", place: null, symbol: "circle" },
  { name: "map", label: "mAP", place: 2, symbol: "square" },
  { name: "mapr", label: "MAP@R", place: 1, symbol: "diamond" },
];
const GROUPS = ["seen", "unseen"];
const [CURSOR, FIRST] = [0, 1];
const UNTRAINED = FIRST + METRICS.length * GROUPS.length;
const [PIXELS, DOTS] = [UNTRAINED + 1, UNTRAINED + 2];
const DOUBLE = 300; // ms in which a click may become a double click, which undoes the zoom

/** Retrieval scores over the steps, on classes that the net was trained on and on classes that it never saw. */
export class Curves {
  constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("curves", "Retrieval");
    this.panel.picture.addEventListener("pointerdown", (event) => this.#seek(event), { capture: true });
  }

  open(fresh) {
    const { subject, look } = this.desk;
    this.values = METRICS.map(() => element("b"));
    const keys = METRICS.map((metric, k) =>
      element(
        "span",
        { class: "dml-key" },
        marker(metric.symbol, colour(metric, look), 10),
        metric.label,
        this.values[k],
      )
    );
    const groups = [stroke(look.ink), groupKey(subject, "unseen"), stroke(look.ink, "2 3"), groupKey(subject, "seen")];
    this.panel.legend.replaceChildren(...keys, element("span", { class: "dml-key dml-faint" }, ...groups));
    if (this.chart) this.chart.rebuild(fresh);
    else this.chart = new Chart(this.desk.library, this.panel.picture, () => this.#scene());
  }

  draw() {
    const { history, frame, subject, group: { name: shown } } = this.desk;
    const step = frame.header.step;
    const row = history.row(step);
    const x = thinned(history.column("step"));
    const last = stepRange(history.latest, frame.header.budget)[1];
    const flat = (value) => ({ x: [0, last], y: [value, value] });
    const now = METRICS.map(({ name }) => history.at(`${name}.${shown}`, row));
    this.chart.move([
      ...METRICS.flatMap(({ name }, k) =>
        GROUPS.map((group, g) => [FIRST + 2 * k + g, { x, y: thinned(history.column(`${name}.${group}`)) }])
      ),
      [UNTRAINED, flat(history.at(`r1.${shown}`, 0))],
      [PIXELS, flat(subject.header.baseline?.[shown] ?? NaN)],
      [CURSOR, { x: [step, step], y: [0, 1.1] }],
      [DOTS, { x: now.map(() => step), y: now }],
    ]);
    this.chart.range("xaxis", [0, last]);
    now.forEach((value, k) => say(this.values[k], score(value)));
    this.panel.describe(() => {
      const each = METRICS.map(({ name, label }) => {
        const [seen, unseen] = GROUPS.map((group) => score(history.at(`${name}.${group}`, row)));
        return `${label} ${unseen} on ${groupName(subject, "unseen")}, ${seen} on ${groupName(subject, "seen")}`;
      });
      const start = history.at(`r1.${shown}`, 0);
      const before = isNumber(start) ? ` R@1 untrained: ${score(start)}.` : "";
      return `Retrieval scores over the steps. At step ${step}: ${each.join("; ")}.${before}`;
    });
  }

  close() {
    this.chart?.close();
  }

  #scene() {
    const { look, group: { name: shown } } = this.desk;
    const thin = (text, dash, textposition) =>
      line({
        mode: "lines+text",
        text: ["", text],
        textposition,
        textfont: { size: 12, color: look.quiet },
        line: { color: look.exact, width: 1, dash },
      });
    const scores = METRICS.flatMap((metric) =>
      GROUPS.map((group) =>
        line({
          name: `${metric.label} ${group}`,
          line: {
            color: colour(metric, look),
            width: group === shown ? 2 : 1.4,
            dash: group === "unseen" ? "solid" : "dot",
          },
          hoverinfo: undefined,
          hovertemplate: "%{y:.2f}",
        })
      )
    );
    const dots = line({
      mode: "markers",
      cliponaxis: false,
      marker: {
        size: 8,
        color: METRICS.map((m) => colour(m, look)),
        symbol: METRICS.map((m) => m.symbol),
        line: { width: 1, color: look.paper },
      },
    });
    const cursor = line({ line: { color: look.quiet, width: 1 } });
    return {
      traces: [
        cursor,
        ...scores,
        thin("R@1 untrained", "solid", "bottom left"),
        thin("R@1 of raw pixels", "dash", "top left"),
        dots,
      ],
      layout: layout(look, {
        xaxis: axis(look, { title: "step", range: [0, 10] }),
        yaxis: axis(look, { range: [0, 1.1], tickvals: [0, 0.25, 0.5, 0.75, 1] }),
        hovermode: "x unified",
      }),
    };
  }

  // A click, not a drag nor a double click, shows the step under it.
  #seek(down) {
    clearTimeout(this.seeking);
    const place = this.chart?.where(down);
    if (!place || down.button !== 0) return;
    const up = (event) => {
      const slipped = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > 4;
      if (!slipped && down.timeStamp - (this.lastClick ?? -DOUBLE) > DOUBLE) {
        this.seeking = setTimeout(() => this.desk.goNear(place.x), DOUBLE);
      }
      this.lastClick = down.timeStamp;
    };
    window.addEventListener("pointerup", up, { once: true });
  }
}

function colour({ place }, look) {
  return place == null ? look.ink : look.ofClass(place).colour;
}
