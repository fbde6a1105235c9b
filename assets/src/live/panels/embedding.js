import { Chart } from "../../kit/chart.js";
import { neighbours } from "../../kit/group.js";
import { marker } from "../../kit/marker.js";
import { element, Panel, say } from "../../kit/panel.js";
import { nearest } from "../../kit/nearest.js";
import { Pointer } from "../../kit/pointer.js";
import { Scene } from "../scene.js";
import { Sketch } from "../sketch.js";
import { Thumbnails } from "../thumbnails.js";
import { Camera } from "../../kit/sphere.js";
import { Tooltip } from "../../kit/tooltip.js";
import { isNumber } from "../../kit/words.js";

const TITLES = { 2: "Embedding on the circle", 3: "Embedding on the sphere" };
const REACH = 18; // pixels from which a point is picked
const FAINT = 0.12;
const CROWD = 16; // classes
const TURNING = 80; // ms between two small turns
const ANGLE = -0.006;

/** The evaluated points where the net puts them: on the circle, on the sphere, or in a plane above that. */
export class Embedding {
  follows = ["hover", "turn"];
  constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("embedding", TITLES[2]);
    this.stage = element("div", { class: "dml-stage", tabindex: 0, role: "group" });
    this.panel.picture.replaceWith(this.stage);
    this.stage.append(this.panel.picture);
    this.share = element("span", { class: "dml-key" });
    this.sketch = new Sketch(this.panel.picture);
    this.thumbnails = new Thumbnails(this.stage);
    this.images = element("button", { class: "dml-chip", type: "button", "aria-pressed": "false" }, "images");
    this.images.title = "Draw the images in place of the points";
    this.images.addEventListener("click", () => this.#showImages(!this.thumbnails.shown));
    this.tooltip = new Tooltip(this.stage);
    this.camera = new Camera();
    this.scene = new Scene(desk, this.camera);
    this.pointer = new Pointer(this);
    for (const touch of ["pointerdown", "keydown"]) {
      this.stage.addEventListener(touch, () => this.#stopTurning(), { capture: true });
    }
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.turning = setInterval(() => this.#turn(), TURNING);
    }
  }

  /** Takes up a subject or another group of it. */
  open(fresh) {
    const { subject, group, library, dim, solid, flat } = this.desk;
    const keys = solid ? "Arrow keys rotate; n and p step through the points" : "Arrow keys step through the points";
    this.stage.setAttribute("aria-label", `${keys}; Enter makes one the query.`);
    this.stage.classList.toggle("dml-solid", solid);
    say(this.panel.title, TITLES[dim] ?? "Embedding in a plane");
    this.single = null;
    this.thumbnails.open();
    // Of so many classes no colour tells which is which; an image does.
    if (fresh) this.thumbnails.shown = group.classes.length > CROWD;
    this.images.setAttribute("aria-pressed", String(this.thumbnails.shown));
    this.share.hidden = !flat;
    this.panel.legend.replaceChildren(
      this.share,
      this.images,
      ...(subject.arrays.sets ? [this.#colouring()] : []),
      ...group.kinds.map((c) => this.#chip(c, group.kindNames[c])),
    );
    if (this.chart) this.chart.rebuild(fresh);
    else this.chart = new Chart(library, this.panel.picture, () => this.scene.build(), { square: true });
    if (this.thumbnails.shown) this.#showOnly(null);
  }

  draw() {
    this.chart.move(this.scene.changes());
    if (this.chart.ready) {
      this.sketch?.close();
      this.sketch = null;
    }
    this.sketch?.draw(this.scene, this.desk);
    if (this.desk.flat) this.#fit();
    if (this.chart.ready) {
      this.thumbnails.draw(this.#placed(), this.desk, (x, y) => this.chart.pixel(x, y));
    }
    this.#tip();
    this.panel.describe(() => this.#words());
  }

  /** Point nearest to a pointer event within reach, front side first; null where there is none. */
  pick(event) {
    const place = this.chart?.where(event);
    if (!place || !this.scene.at) return null;
    const { x, y } = this.scene.at;
    const cost = (i) => Math.hypot(x[i] - place.x, y[i] - place.y) + (this.scene.behind(i) ? 8 * place.unit : 0);
    return nearest(this.desk.group.points, cost, REACH * place.unit);
  }

  /** Turns the sphere under the hand by angles in radians. */
  rotate(right, down) {
    this.camera.rotate(right, down);
    this.desk.redraw("turn");
  }

  /** The images that are drawn in place of the points, as one of a Plotly layout; undefined where the points are. */
  layoutImages() {
    const seen = this.thumbnails.shown && this.chart.seen();
    if (!seen) return undefined;
    const source = this.thumbnails.whole(seen.width, seen.height, this.#placed(), this.desk, (x, y) => {
      const place = this.chart.pixel(x, y);
      return { x: place.x - seen.left, y: place.y - seen.top };
    });
    const [[left, right], [bottom, top]] = [seen.x, seen.y];
    const place = { x: left, y: top, sizex: right - left, sizey: top - bottom, sizing: "stretch" };
    return [{ source, xref: "x", yref: "y", xanchor: "left", yanchor: "top", ...place }];
  }

  /** Every point that is shown: its image, its class, and where it is drawn. */
  table() {
    const { subject, group, frame, dim } = this.desk;
    const view = frame.arrays["0.view"];
    const [, wide] = view.shape;
    const axes = dim <= 3 ? ["x", "y", "z"].slice(0, wide) : ["first direction", "second direction"].slice(0, wide);
    const { y } = subject.arrays;
    const rows = group.points.map((i) => [
      i,
      y[i],
      subject.header.classes[y[i]],
      group.name,
      ...Array.from(view.subarray(wide * i, wide * (i + 1))),
    ]);
    const notes = ["column image: number of the image among the points", "column class: number of its class"];
    notes.push("column name: what its class is called", "column group: classes seen in training, or not");
    notes.push(
      ...axes.map((axis) =>
        `column ${axis}: ${dim <= 3 ? "coordinate of the embedding" : `place in the plane drawn, of ${dim} dimensions`}`
      ),
    );
    return { columns: ["image", "class", "name", "group", ...axes], rows, notes };
  }

  close() {
    this.#stopTurning();
    this.chart?.close();
  }

  // A sphere turns slowly until it is touched, and waits while a point is looked at.
  #turn() {
    if (this.desk.still || !this.desk.solid || !this.chart?.ready || document.hidden || this.desk.hovered != null) {
      return;
    }
    this.rotate(ANGLE, 0);
  }

  #stopTurning() {
    clearInterval(this.turning);
  }

  #placed() {
    return { at: this.scene.at, behind: (i) => this.scene.behind(i) };
  }

  #showImages(shown) {
    this.thumbnails.shown = shown;
    this.images.setAttribute("aria-pressed", String(shown));
    this.#showOnly(this.single);
    this.desk.redraw();
  }

  #fit() {
    const { history, frame, group, dim } = this.desk;
    const { at } = this.scene;
    const share = history.at("plane.share", history.row(frame.header.step));
    const shown = isNumber(share) ? `${Math.round(100 * share)} % of the variance of ${dim} dimensions` : "";
    say(this.share, `the plane of step ${frame.header.plane ?? 0}: ${shown}; the numbers are of all ${dim}`);
    const furthest = Math.max(...group.points.map((i) => Math.max(Math.abs(at.x[i]), Math.abs(at.y[i]))));
    const known = this.chart.rangeOf("xaxis")?.[1] ?? 0;
    if (furthest < known && furthest > known / 2) return;
    const bound = Math.max(0.2, Math.ceil(furthest * 11) / 10);
    this.chart.range("xaxis", [-bound, bound]);
    this.chart.range("yaxis", [-bound, bound]);
  }

  #tip() {
    const { hovered, subject, look } = this.desk;
    const { at } = this.scene;
    if (hovered == null) this.tooltip.hide();
    else this.tooltip.show(this.chart.pixel(at.x[hovered], at.y[hovered]), subject, hovered, look);
  }

  #words() {
    const { subject, group, frame, dim } = this.desk;
    const right = group.points.filter((i) => neighbours(this.desk, i)[0]?.right).length;
    const where = TITLES[dim] ?? `Embedding in ${dim} dimensions, seen in a plane`;
    const names = group.classes.map((c) => subject.header.classes[c]).join(", ");
    return (
      `${where} at step ${frame.header.step}: ${group.points.length} images of ${group.classes.length} classes (${names}); ` +
      `the nearest neighbour of ${right} of them is of their class.`
    );
  }

  // What points of one colour have in common, and the button that changes it.
  #colouring() {
    const bySet = this.desk.colouring === "set";
    const switched = element(
      "button",
      { class: "dml-chip dml-colouring", type: "button", title: `Colour by ${bySet ? "concept" : "icon set"} instead` },
      `coloured by ${bySet ? "icon set" : "concept"} ⇄`,
    );
    switched.addEventListener("click", () => this.desk.colourBy(bySet ? "class" : "set"));
    return switched;
  }

  #chip(c, name) {
    const { colour, marker: symbol } = this.desk.look.ofClass(c);
    const chip = element("button", {
      class: "dml-chip",
      type: "button",
      "aria-pressed": "false",
      title: "Show these alone",
    });
    chip.append(marker(symbol, colour), name);
    chip.addEventListener("click", () => this.#showOnly(this.single === c ? null : c));
    return chip;
  }

  #showOnly(single) {
    this.single = single;
    const { kinds } = this.desk.group;
    const chips = [...this.panel.legend.querySelectorAll("[aria-pressed]")].filter((chip) => chip !== this.images);
    // Of many classes the images say more than a list of names.
    const hidden = this.thumbnails.shown && kinds.length > CROWD;
    chips.forEach((chip, k) => {
      chip.setAttribute("aria-pressed", String(kinds[k] === single));
      chip.hidden = hidden;
    });
    const opacity = kinds.map((c) => (single === null || c === single ? 1 : FAINT));
    const { front, back, ring } = this.scene.index;
    const points = opacity.map((share) => (this.thumbnails.shown ? 0 : share));
    for (const [traces, shares] of [[front, points], [back, points], [ring, opacity]]) this.chart.fade(traces, shares);
  }
}
