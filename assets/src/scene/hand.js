import { mark } from "../draw/marker.js";
import { element } from "../draw/panel.js";
import { dragged, follow } from "../draw/pointing.js";
import { Pen, renew, svgNode } from "../draw/svg.js";

const [RADIUS, SIZE] = [100, 6.5]; // of the circle and of a marker, in the picture's own units
const [EDGE, WIDER] = [124, 148]; // of the picture, and of one with a cloud of guesses
const STEP = 5; // degrees of a key
const SECONDS = 1.6; // of the point's motion
const [BIN, GAP, DEEPEST] = [4, 7, 38]; // degrees of a stack of guesses, units between two in it, and of the highest stack

/** A picture of points in which one is dragged to where it will go; then it moves there, and the prediction stays under it. */
export class Hand {
  /** @type {Look | null} */ look = null;
  /** @type {HandData | null} */ data = null;
  angle = 0;

  /** `report(angle)` is called when the point has been moved. @param {(angle: number) => void} report */
  constructor(report) {
    this.report = report;
    this.svg = svgNode("svg", { class: "dml-predict", role: "group" });
    /** @param {Drawing} attributes */ const layer = (attributes = {}) => this.svg.appendChild(svgNode("g", attributes));
    this.below = new Pen(layer());
    this.guess = layer({ tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 360 });
    this.own = new Pen(this.guess);
    this.above = new Pen(layer());
    this.root = element("div", {}, this.svg);
    this.guess.addEventListener("pointerdown", (event) => this.#press(event));
    dragged(this.guess, () => true);
    this.guess.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Takes what is drawn; plays the way of a point where that is new. @param {HandData} data */ take(data) {
    const { points, point, answer, way } = data;
    this.data = data;
    if (answer !== null) this.angle = answer;
    else if (this.scene !== JSON.stringify(points)) this.angle = points[point][0];
    this.scene = JSON.stringify(points);
    const edge = data.cloud ? WIDER : EDGE;
    renew(this.svg, { viewBox: [-edge, -edge, 2 * edge, 2 * edge].join(" ") });
    const moves = way && this.shown !== String(way) && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.shown = String(way);
    if (moves) this.#play(performance.now());
    else this.draw(1);
  }

  /** Whether the point cannot be dragged. */
  get fixed() {
    return this.data.fixed ?? this.data.answer !== null;
  }

  /** Draws the scene with the point at a `share` of its way. @param {number} share */
  draw(share) {
    const { points, point, way, cloud, without } = this.data;
    const { look } = this;
    /** @param {Pen} pen @param {number} angle @param {string} marker @param {Drawing} style */
    const draw = (pen, angle, marker, style) => pen.path(mark(marker, at(angle)[0], at(angle)[1], SIZE), style);
    this.below.dot({ x: 0, y: 0 }, RADIUS, { stroke: look.quiet });
    if (cloud) this.#cloud(cloud);
    points.forEach(([angle, label], i) => {
      const { colour, marker } = look.ofClass(label);
      draw(this.below, angle, marker, { fill: colour, stroke: look.edge, opacity: i === point ? 0.35 : 1 });
    });
    const { colour, marker } = look.ofClass(points[point][1]);
    if (!without) this.#hand(colour, marker);
    renew(this.guess, without ? { display: "none" } : { display: "inline" });
    const gone = way ? way.slice(0, 1 + Math.round(share * (way.length - 1))) : [];
    this.below.path(gone.map((angle, k) => `${k ? "L" : "M"}${at(angle)}`).join(""), { stroke: look.ink, "stroke-width": 3 });
    if (gone.length) draw(this.above, gone.at(-1), marker, { fill: colour, stroke: look.ink });
    for (const pen of [this.below, this.own, this.above]) pen.done();
  }

  /** @param {string} colour @param {string} marker */ #hand(colour, marker) {
    const [x, y] = at(this.angle);
    const now = Math.round(this.angle);
    this.own.dot({ x, y }, 20, { fill: "transparent" });
    this.own.dot({ x, y }, 12, { stroke: this.look.ink, "stroke-dasharray": "4 3" });
    this.own.path(mark(marker, x, y, SIZE), { fill: colour, stroke: this.look.ink });
    const words = `your prediction for point ${this.data.point}: ${now} degrees`;
    renew(this.guess, { "aria-label": words, "aria-valuenow": now, "aria-disabled": String(this.fixed) });
    this.guess.style.cursor = this.fixed ? "default" : "grab";
  }

  /** The guesses of the last vote outside of the circle, those of a vote before inside. @param {number[][]} votes */
  #cloud(votes) {
    votes.forEach((guesses, vote) => {
      const last = vote === votes.length - 1;
      for (const [at, many] of stacks(guesses.map((angle) => (angle % 360 + 360) % 360), BIN)) {
        const gap = Math.min(GAP, DEEPEST / many);
        for (let k = 0; k < many; k += 1) {
          const far = RADIUS + (last ? 1 : -1) * (SIZE + 4 + gap * k);
          const [x, y] = place(at % 360, far);
          const style = last ? { fill: this.look.query } : { stroke: this.look.query, "stroke-width": 1 };
          this.below.dot({ x, y }, Math.max(1, 0.45 * gap), style);
        }
      }
    });
  }

  /** @param {number} began */ #play(began) {
    if (!this.root.isConnected) return this.draw(1);
    const share = Math.min(1, (performance.now() - began) / (1000 * SECONDS));
    this.draw(share);
    if (share < 1) requestAnimationFrame(() => this.#play(began));
  }

  /** @param {PointerEvent} down */ #press(down) {
    if (this.fixed) return;
    down.preventDefault();
    this.guess.focus({ preventScroll: true });
    follow(down, { move: (event) => this.#move(this.#angleAt(event)), end: () => this.report(this.angle) });
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const turn = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (!turn || this.fixed) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(this.angle + turn);
    this.report(this.angle);
  }

  /** @param {number} angle */ #move(angle) {
    this.angle = (angle + 360) % 360;
    this.draw(1);
  }

  /** @param {{clientX: number, clientY: number}} event */ #angleAt({ clientX, clientY }) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return Math.atan2(top + height / 2 - clientY, clientX - left - width / 2) * 180 / Math.PI;
  }
}

/** How many of `values` are in each bin of a width, by the bin's middle. @param {number[]} values @param {number} width */
export function stacks(values, width) {
  /** @type {Map<number, number>} */ const many = new Map();
  for (const value of values) {
    const middle = Math.round(value / width) * width;
    many.set(middle, (many.get(middle) ?? 0) + 1);
  }
  return many;
}

/** @param {number} angle */ function at(angle) {
  return place(angle, RADIUS);
}

/** @param {number} angle @param {number} far @returns {[number, number]} */ function place(angle, far) {
  const turn = angle * Math.PI / 180;
  return [far * Math.cos(turn), -far * Math.sin(turn)];
}
