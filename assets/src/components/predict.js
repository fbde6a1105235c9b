import { dragged, follow } from "../draw/pointing.js";
import { component } from "../host/mount.js";
import { element } from "../draw/panel.js";
import { Disc } from "../draw/disc.js";
import { Pen, renew, svgNode } from "../draw/svg.js";
import { mark } from "../draw/marker.js";
import { applyTheme } from "../host/theme.js";

const [SIZE, SIDE, REACH] = [6.5, 248, 1.24]; // px of a marker and of the picture; radii that it shows
const STEP = 5; // degrees of a key
const SECONDS = 1.6; // of the point's motion

/** A prediction by dragging: the visitor drags a point to where it will go; then it moves there, and the prediction stays. */
class Predict {
  /** @type {Look | null} */ look = null;

  /** @param {Host} host */ constructor(host) {
    this.host = host;
    this.disc = new Disc({ class: "dml-predict", role: "group" });
    Object.assign(this.disc, { round: true, reach: REACH, most: REACH });
    this.svg = this.disc.svg;
    const handle = { tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": 360 };
    this.guess = this.svg.insertBefore(svgNode("g", handle), this.disc.above.group);
    this.own = new Pen(this.guess);
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
    const { look, disc } = this;
    disc.look = look;
    disc.begin({ width: SIDE, height: SIDE, edge: 0 });
    disc.seen = disc.project(points.flatMap(([angle]) => unit(angle)), 2);
    /** @param {number} angle */ const at = (angle) => ({
      x: disc.left + disc.unit * unit(angle)[0],
      y: disc.top - disc.unit * unit(angle)[1],
    });
    const labels = points.map(([, label]) => label);
    disc.points(labels, points.map((_, i) => i).filter((i) => i !== point), { size: SIZE, edge: 1 });
    const { colour, marker } = look.ofClass(labels[point]);
    /** @param {Pen} pen @param {number} angle @param {Drawing} style */ const draw = (pen, angle, style) => {
      const { x, y } = at(angle);
      pen.path(mark(marker, x, y, SIZE), { fill: colour, ...style });
    };
    draw(disc.pen, points[point][0], { stroke: look.edge, opacity: 0.35 });
    this.own.dot(at(this.angle), 20, { fill: "transparent" });
    this.own.dot(at(this.angle), 12, { stroke: look.ink, "stroke-dasharray": "4 3" });
    draw(this.own, this.angle, { stroke: look.ink });
    const words = `your prediction for point ${point}: ${Math.round(this.angle)} degrees`;
    const now = Math.round(this.angle);
    renew(this.guess, { "aria-label": words, "aria-valuenow": now, "aria-disabled": String(answer !== null) });
    this.guess.style.cursor = answer === null ? "grab" : "default";
    const gone = way ? way.slice(0, 1 + Math.round(share * (way.length - 1))) : [];
    const path = gone.map((angle, k) => `${k ? "L" : "M"}${disc.px(...unit(angle))}`).join("");
    disc.below.path(path, { stroke: look.ink, "stroke-width": 3 });
    if (gone.length) draw(disc.above, gone.at(-1), { stroke: look.ink });
    this.own.done();
    disc.done();
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

/** @param {number} angle @returns {[number, number]} */ function unit(angle) {
  const turn = angle * Math.PI / 180;
  return [Math.cos(turn), Math.sin(turn)];
}

export const { mount, unmount } = component(Predict, "predict.css");
