import { Pen } from "../kit/pen.js";
import { say } from "../kit/panel.js";
import { score } from "../kit/words.js";
import { polyline, renew, svgNode } from "../kit/svg.js";

const TALL = 94; // px
const [LEFT, RIGHT, TOP, BOTTOM] = [22, 16, 16, 16]; // px around the curves, for the words of the axes
const TICK = 3; // px
const LETTERS = 10; // px
const LOWER = 3.5; // px from a letter's middle to its foot
const FARTHEST = 2; // distance of two points of the sphere
/** @type {Record<string, [string, string, number]>} by name: colour, dash, and the greatest value */
const CURVES = { map: ["ink", "", 1], within: ["positive", "", FARTHEST], between: ["negative", "4 3", FARTHEST] };
const SHARES = [0, 0.5, 1]; // of the height, that have a tick at either side

/** Three curves over the steps of a flow: mAP by the axis to the left, mean distances by the one to the right. */
export class FlowChart {
  constructor() {
    this.svg = svgNode("svg", { class: "dml-gradients-curves", role: "img" });
    this.pen = new Pen(this.svg.appendChild(svgNode("g", { "stroke-linejoin": "round" })));
    this.words = this.svg.appendChild(svgNode("g", { "font-size": LETTERS }));
  }

  draw(content, size, look) {
    const { step, steps } = content;
    renew(this.svg, { width: size, height: TALL });
    const x = (t) => Number((LEFT + ((size - LEFT - RIGHT) * t) / Math.max(steps, 1)).toFixed(1));
    const y = (share) => Number((TALL - BOTTOM - (TALL - TOP - BOTTOM) * share).toFixed(1));
    for (const share of SHARES) {
      this.pen.path(`M${x(0)} ${y(share)}H${x(steps)}`, { stroke: look.faint, "stroke-width": 0.8 });
    }
    const ticks = SHARES.map((share) => `M${x(0) - TICK} ${y(share)}H${x(0)}M${x(steps)} ${y(share)}h${TICK}`);
    const feet = [0, steps / 2, steps].map((t) => `M${x(t)} ${y(0)}v${TICK}`);
    const frame = `M${x(0)} ${y(1)}V${y(0)}H${x(steps)}V${y(1)}`;
    this.pen.path([frame, ...ticks, ...feet].join(""), { stroke: look.quiet, "stroke-width": 0.8 });
    this.pen.path(`M${x(step)} ${y(0)}V${y(1)}`, { stroke: look.query, "stroke-width": 1.4 });
    for (const [name, [colour, dash, most]] of Object.entries(CURVES)) {
      const values = content.curve(name);
      const d = polyline({ x: values.map((_, t) => t), y: values }, (t, value) => `${x(t)} ${y(value / most)}`);
      this.pen.path(d, { stroke: look[colour], "stroke-width": 1.7, "stroke-dasharray": dash });
    }
    this.pen.done();
    this.#axes({ x, y, steps, size }, look);
    this.#words(content);
  }

  #axes({ x, y, steps, size }, look) {
    const left = SHARES.map((share) => [String(share), x(0) - TICK - 2, y(share) + LOWER, "end"]);
    const right = SHARES.map((share) => [String(FARTHEST * share), x(steps) + TICK + 2, y(share) + LOWER, "start"]);
    const below = y(0) + LETTERS + 2;
    const feet = [["0", 0], ["step", steps / 2], [String(steps), steps]].map((
      [text, t],
    ) => [text, x(t), below, "middle"]);
    const titles = [["mAP", 0, LETTERS - 1, "start"], ["distance", size, LETTERS - 1, "end"]];
    [...left, ...right, ...feet, ...titles].forEach(([text, at, foot, anchor], k) => {
      const word = this.words.children[k] ?? this.words.appendChild(svgNode("text", {}));
      renew(word, { x: at, y: foot, "text-anchor": anchor, fill: look.quiet });
      say(word, text);
    });
  }

  #words({ curve, steps }) {
    const ends = (name) => [curve(name)[0], curve(name)[steps]].map(score).join(" to ");
    const [map, within, between] = Object.keys(CURVES).map(ends);
    const distances = `distance within a class from ${within}, between classes from ${between}`;
    this.svg.setAttribute("aria-label", `mAP from ${map}; ${distances}`);
  }
}
