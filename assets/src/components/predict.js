import { follow } from "../kit/follow.js";
import { SHAPES } from "../kit/marker.js";
import { component } from "../kit/mount.js";
import { element } from "../kit/panel.js";
import { renew, svgNode } from "../kit/svg.js";
import { wear } from "../kit/theme.js";

const [RADIUS, SIZE, EDGE] = [100, 6.5, 124]; // of the circle, a marker and the picture, in its own units
const STEP = 5; // degrees of a key
const SECONDS = 1.6; // that the point takes for its way

/** A prediction by hand: a point of the scene is dragged to where it will go; then it goes there, and the prediction stays. */
class Predict {
  constructor(host) {
    this.host = host;
    const view = [-EDGE, -EDGE, 2 * EDGE, 2 * EDGE].join(" ");
    this.svg = svgNode("svg", { viewBox: view, class: "dml-predict", role: "group" });
    this.circle = this.svg.appendChild(svgNode("circle", { r: RADIUS, fill: "none" }));
    this.points = this.svg.appendChild(svgNode("g"));
    this.way = this.svg.appendChild(svgNode("path", { fill: "none", "stroke-width": 3 }));
    this.guess = this.svg.appendChild(svgNode("g", { tabindex: 0, role: "slider" }));
    this.guess.setAttribute("aria-valuemin", 0);
    this.guess.setAttribute("aria-valuemax", 360);
    this.mover = this.svg.appendChild(svgNode("polygon"));
    this.root = element("div", {}, this.svg);
    host.append(this.root);
    this.guess.addEventListener("pointerdown", (event) => this.#press(event));
    this.guess.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    this.guess.addEventListener("keydown", (event) => this.#key(event));
  }

  update(component) {
    this.component = component;
    wear(this, component.data);
    const { points, point, answer, way } = component.data;
    if (answer !== null) this.angle = answer;
    else if (this.told !== JSON.stringify(points)) this.angle = points[point][0];
    this.told = JSON.stringify(points);
    this.draw(way ? 0 : 1);
    if (way && this.shown !== String(way)) this.#play(performance.now());
    else if (way) this.draw(1);
    this.shown = String(way);
  }

  close() {
    this.root.remove();
  }

  /** Draws the scene with the point at a `share` of its way. */
  draw(share) {
    const { points, point, answer, way } = this.component.data;
    const { look } = this;
    renew(this.circle, { stroke: look.quiet });
    this.points.replaceChildren(...points.map(([angle, label], i) => {
      const { colour, marker } = look.ofClass(label);
      const faded = i === point ? 0.35 : 1;
      return svgNode("polygon", { points: corners(marker, angle), fill: colour, stroke: look.edge, opacity: faded });
    }));
    const { colour, marker } = look.ofClass(points[point][1]);
    const [x, y] = at(this.angle);
    this.guess.replaceChildren(
      svgNode("circle", { cx: x, cy: y, r: 20, fill: "transparent" }),
      svgNode("circle", { cx: x, cy: y, r: 12, fill: "none", stroke: look.ink, "stroke-dasharray": "4 3" }),
      svgNode("polygon", { points: corners(marker, this.angle), fill: colour, stroke: look.ink }),
    );
    const words = `your prediction for point ${point}: ${Math.round(this.angle)} degrees`;
    for (
      const [name, value] of [["label", words], ["valuenow", Math.round(this.angle)], ["disabled", answer !== null]]
    ) {
      this.guess.setAttribute(`aria-${name}`, value);
    }
    this.guess.style.cursor = answer === null ? "grab" : "default";
    const gone = way ? way.slice(0, 1 + Math.round(share * (way.length - 1))) : [];
    renew(this.way, { d: gone.map((angle, k) => `${k ? "L" : "M"}${at(angle)}`).join(""), stroke: look.ink });
    this.mover.style.display = gone.length ? "" : "none";
    if (gone.length) renew(this.mover, { points: corners(marker, gone.at(-1)), fill: colour, stroke: look.ink });
  }

  #play(began) {
    if (!this.host.isConnected) return;
    const share = Math.min(1, (performance.now() - began) / (1000 * SECONDS));
    this.draw(share);
    if (share < 1) requestAnimationFrame(() => this.#play(began));
  }

  #press(down) {
    if (this.component.data.answer !== null) return;
    down.preventDefault();
    this.guess.focus({ preventScroll: true });
    follow(down, { move: (event) => this.#move(this.#angleAt(event)), end: () => this.#tell() });
  }

  #key(event) {
    const turn = { ArrowLeft: STEP, ArrowUp: STEP, ArrowRight: -STEP, ArrowDown: -STEP }[event.key];
    if (!turn || this.component.data.answer !== null) return;
    event.preventDefault();
    event.stopPropagation();
    this.#move(this.angle + turn);
    this.#tell();
  }

  #move(angle) {
    this.angle = (angle + 360) % 360;
    this.draw(1);
  }

  #angleAt({ clientX, clientY }) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return Math.atan2(top + height / 2 - clientY, clientX - left - width / 2) * 180 / Math.PI;
  }

  #tell() {
    this.component.setStateValue("angle", this.angle);
  }
}

function at(angle) {
  const turn = angle * Math.PI / 180;
  return [RADIUS * Math.cos(turn), -RADIUS * Math.sin(turn)].map((value) => value.toFixed(2));
}

function corners(marker, angle) {
  const [x, y] = at(angle).map(Number);
  return SHAPES[marker].map((corner) => `${(x + SIZE * corner[0]).toFixed(2)},${(y + SIZE * corner[1]).toFixed(2)}`)
    .join(" ");
}

export const { mount, unmount } = component(Predict, "predict.css");
