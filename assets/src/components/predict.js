import { dragged, follow } from "../draw/pointing.js";
import { component } from "../host/mount.js";
import { element } from "../draw/panel.js";
import { Pen, renew, svgNode } from "../draw/svg.js";
import { mark } from "../draw/marker.js";
import { applyTheme } from "../host/theme.js";

const [RADIUS, SIZE, EDGE] = [100, 6.5, 124]; // of the circle, a marker and the picture, in its own units
const STEP = 5; // degrees of a key
const SECONDS = 1.6; // of the point's motion

/** A prediction by dragging: the visitor drags a point to where it will go; then it moves there, and the prediction stays. */
class Predict {
  /** @type {Look | null} */ look = null;

  /** @param {Host} host */ constructor(host) {
    this.host = host;
    const view = [-EDGE, -EDGE, 2 * EDGE, 2 * EDGE].join(" ");
    this.svg = svgNode("svg", { viewBox: view, class: "dml-predict", role: "group" });
    /** @param {Drawing} attributes */ const layer = (attributes = {}) => this.svg.appendChild(svgNode("g", attributes));
    this.below = new Pen(layer());
    this.guess = layer({ tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 360 });
    this.own = new Pen(this.guess);
    this.above = new Pen(layer());
    this.root = element("div", {}, this.svg);
    host.append(this.root);
    this.guess.addEventListener("pointerdown", (event) => this.#press(event));
    dragged(this.guess, () => true);
    this.guess.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {Given<PredictData>} component */ update(component) {
    this.component = component;
    applyTheme(this, component.data);
    const { points, point, answer, way } = component.data;
    if (answer !== null) this.angle = answer;
    else if (this.scene !== JSON.stringify(points)) this.angle = points[point][0];
    this.scene = JSON.stringify(points);
    const moves = way && this.shown !== String(way) && !matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.shown = String(way);
    if (moves) this.#play(performance.now());
    else this.draw(1);
  }

  close() {
    this.root.remove();
  }

  /** Draws the scene with the point at a `share` of its way. @param {number} share @param {Pen} share */
  draw(share) {
    const { points, point, answer, way } = this.component.data;
    const { look } = this;
    /** @param {Pen} pen @param {number} angle @param {string} marker @param {Drawing} style */
    const draw = (pen, angle, marker, style) => pen.path(mark(marker, at(angle)[0], at(angle)[1], SIZE), style);
    this.below.dot({ x: 0, y: 0 }, RADIUS, { stroke: look.quiet });
    points.forEach(([angle, label], i) => {
      const { colour, marker } = look.ofClass(label);
      draw(this.below, angle, marker, { fill: colour, stroke: look.edge, opacity: i === point ? 0.35 : 1 });
    });
    const { colour, marker } = look.ofClass(points[point][1]);
    const [x, y] = at(this.angle);
    this.own.dot({ x, y }, 20, { fill: "transparent" });
    this.own.dot({ x, y }, 12, { stroke: look.ink, "stroke-dasharray": "4 3" });
    draw(this.own, this.angle, marker, { fill: colour, stroke: look.ink });
    const words = `your prediction for point ${point}: ${Math.round(this.angle)} degrees`;
    const now = Math.round(this.angle);
    renew(this.guess, { "aria-label": words, "aria-valuenow": now, "aria-disabled": String(answer !== null) });
    this.guess.style.cursor = answer === null ? "grab" : "default";
    const gone = way ? way.slice(0, 1 + Math.round(share * (way.length - 1))) : [];
    this.below.path(gone.map((angle, k) => `${k ? "L" : "M"}${at(angle)}`).join(""), { stroke: look.ink, "stroke-width": 3 });
    if (gone.length) draw(this.above, gone.at(-1), marker, { fill: colour, stroke: look.ink });
    for (const pen of [this.below, this.own, this.above]) pen.done();
  }

  /** @param {number} began */ #play(began) {
    if (!this.host.isConnected) return;
    const share = Math.min(1, (performance.now() - began) / (1000 * SECONDS));
    this.draw(share);
    if (share < 1) requestAnimationFrame(() => this.#play(began));
  }

  /** @param {PointerEvent} down */ #press(down) {
    if (this.component.data.answer !== null) return;
    down.preventDefault();
    this.guess.focus({ preventScroll: true });
    follow(down, { move: (event) => this.#move(this.#angleAt(event)), end: () => this.#report() });
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const turn = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (!turn || this.component.data.answer !== null) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(this.angle + turn);
    this.#report();
  }

  /** @param {number} angle */ #move(angle) {
    this.angle = (angle + 360) % 360;
    this.draw(1);
  }

  /** @param {{clientX: number, clientY: number}} event */ #angleAt({ clientX, clientY }) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return Math.atan2(top + height / 2 - clientY, clientX - left - width / 2) * 180 / Math.PI;
  }

  #report() {
    this.component.setStateValue("angle", this.angle);
  }
}

/** @param {number} angle @returns {[number, number]} */ function at(angle) {
  const turn = angle * Math.PI / 180;
  return [RADIUS * Math.cos(turn), -RADIUS * Math.sin(turn)];
}

export const { mount, unmount } = component(Predict, "predict.css");
