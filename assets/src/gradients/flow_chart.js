import { Pen, polyline, renew, svgNode } from "../draw/svg.js";
import { px, tenths } from "../draw/marker.js";
import { score } from "../draw/words.js";

export const TALL = 94; // px
const [LEFT, RIGHT, TOP, BOTTOM] = [22, 16, 16, 16]; // px around the curves, for the words of the axes
const TICK = 3; // px
const LETTERS = 12; // px
const LOWER = 3.5; // px from a letter's middle to its foot
const FARTHEST = 2; // distance of two points of the sphere
/** @type {Record<string, ["ink" | "positive" | "negative", string, number]>} by name: colour, dash, and the greatest value */
const CURVES = { map: ["ink", "", 1], within: ["positive", "", FARTHEST], between: ["negative", "4 3", FARTHEST] };
const SHARES = [0, 0.5, 1]; // of the height, that have a tick at either side

/** Three curves over the steps of a flow: mAP by the axis to the left, mean distances by the one to the right. */
export class FlowChart {
  constructor() {
    this.svg = svgNode("svg", { class: "dml-gradients-curves", role: "img", "aria-label": "being drawn" });
    this.pen = new Pen(this.svg.appendChild(svgNode("g", { "stroke-linejoin": "round" })));
  }

  /** @param {FlowContent} content @param {number} size @param {Look} look */
  draw({ step, steps, curve }, size, look) {
    const { pen } = this;
    renew(this.svg, { width: size, height: TALL, viewBox: `0 0 ${size} ${TALL}` });
    /** @param {number} t */ const x = (t) => tenths(LEFT + ((size - LEFT - RIGHT) * t) / Math.max(steps, 1));
    /** @param {number} share */ const y = (share) => tenths(TALL - BOTTOM - (TALL - TOP - BOTTOM) * share);
    const [start, end] = [x(0), x(steps)];
    const across = SHARES.map((share) => `M${start} ${y(share)}H${end}`);
    pen.path(across.join(""), { stroke: look.faint, "stroke-width": 0.8 });
    const ticks = SHARES.map((share) => `M${start - TICK} ${y(share)}H${start}M${end} ${y(share)}h${TICK}`);
    const feet = [0, steps / 2, steps].map((t) => `M${x(t)} ${y(0)}v${TICK}`);
    const frame = `M${start} ${y(1)}V${y(0)}H${end}V${y(1)}`;
    pen.path([frame, ...ticks, ...feet].join(""), { stroke: look.quiet, "stroke-width": 0.8 });
    pen.path(`M${x(step)} ${y(0)}V${y(1)}`, { stroke: look.query, "stroke-width": 1.4 });
    for (const [name, [colour, dash, most]] of Object.entries(CURVES)) {
      const values = curve(name);
      const d = polyline({ x: values.map((_, t) => t), y: values }, (t, value) => px(x(t), y(value / most)));
      pen.path(d, { stroke: look[colour], "stroke-width": 1.7, "stroke-dasharray": dash });
    }
    /** @param {string} text @param {number} at @param {number} foot @param {string} anchor */
    const say = (text, at, foot, anchor) =>
      pen.text({ x: at, y: foot }, text, { "font-size": LETTERS, "text-anchor": anchor, fill: look.quiet });
    for (const share of SHARES) say(String(share), start - TICK - 2, y(share) + LOWER, "end");
    for (const share of SHARES) say(String(FARTHEST * share), end + TICK + 2, y(share) + LOWER, "start");
    /** @type {[string, number][]} */ const feetWords = [["0", 0], ["step", steps / 2], [String(steps), steps]];
    for (const [text, t] of feetWords) {
      say(text, x(t), y(0) + LETTERS + 2, "middle");
    }
    say("mAP", 0, LETTERS - 1, "start");
    say("distance", size, LETTERS - 1, "end");
    pen.done();
    const [map, within, between] = Object.keys(CURVES).map((name) =>
      [curve(name)[0], curve(name)[steps]].map(score).join(" to ")
    );
    const distances = `distance within a class from ${within}, between classes from ${between}`;
    renew(this.svg, { "aria-label": `mAP from ${map}; ${distances}` });
  }
}
