import { Disc } from "../draw/disc.js";
import { mark } from "../draw/marker.js";
import { element } from "../draw/panel.js";
import { dragged, follow } from "../draw/pointing.js";
import { Pen, renew, svgNode } from "../draw/svg.js";

const [RADIUS, SIZE] = [100, 6.5]; // px of the circle and of a marker
const [EDGE, WIDER] = [24, 48]; // px around the circle, and around one with a cloud of guesses
const STEP = 5; // degrees of a key
const SECONDS = 1.6; // of the point's motion
const [BIN, GAP, DEEPEST] = [4, 7, 38]; // degrees of a stack of guesses, units between two in it, and of the highest stack

/** A picture of points in which one is dragged to where it will go; then it moves there, and the prediction stays under it. */
export class PointDrag {
  /** @type {Look | null} */ look = null;
  /** @type {PointDragData | null} */ data = null;
  angle = 0;
  /** @type {PointerEvent | null} */ #drag = null; // the press that began the drag of now

  /** `report(angle)` is called when the point has been moved. @param {(angle: number) => void} report */
  constructor(report) {
    this.report = report;
    this.disc = new Disc({ class: "dml-predict", role: "group" });
    this.disc.round = true;
    this.svg = this.disc.svg;
    const handle = { tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 360 };
    this.guess = this.svg.insertBefore(svgNode("g", handle), this.disc.above.group);
    this.own = new Pen(this.guess);
    this.root = element("div", {}, this.svg);
    this.guess.addEventListener("pointerdown", (event) => this.#press(event));
    dragged(this.guess, () => true);
    this.guess.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Takes what is drawn; plays the way of a point where that is new. @param {PointDragData} data */ take(data) {
    const { points, point, answer, way } = data;
    this.data = data;
    if (answer !== null) this.angle = answer;
    else if (this.fixed || this.scene !== JSON.stringify(points)) this.angle = points[point][0];
    this.scene = JSON.stringify(points);
    if (this.fixed) this.#drag = null;
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
    const { look, disc } = this;
    disc.look = look;
    disc.reach = disc.most = (RADIUS + (cloud ? WIDER : EDGE)) / RADIUS;
    const side = 2 * disc.reach * RADIUS;
    disc.begin({ width: side, height: side, edge: 0 });
    disc.seen = disc.project(points.flatMap(([angle]) => unit(angle)), 2);
    const labels = points.map(([, label]) => label);
    const { colour, marker } = look.ofClass(labels[point]);
    if (cloud) this.#cloud(cloud);
    disc.points(labels, points.map((_, i) => i).filter((i) => i !== point), { size: SIZE, edge: 1 });
    /** @param {Pen} pen @param {number} angle @param {Drawing} style */ const draw = (pen, angle, style) => {
      const { x, y } = this.#at(angle);
      pen.path(mark(marker, x, y, SIZE), { fill: colour, ...style });
    };
    draw(disc.pen, points[point][0], { stroke: look.edge, opacity: 0.35 });
    if (!without) {
      this.own.dot(this.#at(this.angle), 20, { fill: "transparent" });
      this.own.dot(this.#at(this.angle), 12, { stroke: look.ink, "stroke-dasharray": "4 3" });
      draw(this.own, this.angle, { stroke: look.ink });
    }
    const now = Math.round(this.angle);
    const predicted = this.fixed && this.data.answer === null ? "" : "your prediction for ";
    const words = `${predicted}point ${point}: ${now} degrees`;
    renew(this.guess, { "aria-label": words, "aria-valuenow": now, "aria-disabled": String(this.fixed) });
    renew(this.guess, { display: without ? "none" : "inline" });
    this.guess.style.cursor = this.fixed ? "default" : "grab";
    const gone = way ? way.slice(0, 1 + Math.round(share * (way.length - 1))) : [];
    const path = gone.map((angle, k) => `${k ? "L" : "M"}${disc.px(...unit(angle))}`).join("");
    disc.below.path(path, { stroke: look.ink, "stroke-width": 3 });
    if (gone.length) draw(disc.above, gone.at(-1), { stroke: look.ink });
    this.own.done();
    disc.done();
  }

  // The guesses of the last vote outside of the circle, those of a vote before inside.
  /** @param {number[][]} votes */ #cloud(votes) {
    votes.forEach((guesses, vote) => {
      const last = vote === votes.length - 1;
      for (const [middle, many] of stacks(guesses.map((angle) => (angle % 360 + 360) % 360), BIN)) {
        const gap = Math.min(GAP, DEEPEST / many);
        for (let k = 0; k < many; k += 1) {
          const far = 1 + (last ? 1 : -1) * (SIZE + 4 + gap * k) / RADIUS;
          const style = last ? { fill: this.look.query } : { stroke: this.look.query, "stroke-width": 1 };
          this.disc.below.dot(this.#at(middle, far), Math.max(1, 0.45 * gap), style);
        }
      }
    });
  }

  /** @param {number} angle @param {number} far */ #at(angle, far = 1) {
    const { left, top, unit: px } = this.disc;
    const [x, y] = unit(angle);
    return { x: left + px * far * x, y: top - px * far * y };
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
    this.#drag = down;
    const goesOn = () => this.#drag === down;
    follow(down, {
      move: (event) => goesOn() && this.#move(this.#angleAt(event)),
      end: () => goesOn() && this.report(this.angle),
    });
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

/** @param {number} angle @returns {[number, number]} */ function unit(angle) {
  const turn = angle * Math.PI / 180;
  return [Math.cos(turn), Math.sin(turn)];
}
