import { ChartPanel } from "./chart_panel.js";
import { CROWD, nearestOf, neighbours } from "../../runs/group.js";
import { noun, pictured } from "../../runs/image.js";
import { marker } from "../../draw/marker.js";
import { button, element, key, say } from "../../draw/panel.js";
import { Pointer } from "../../runs/pointer.js";
import { Scene } from "../scene.js";
import { Sketch } from "../sketch.js";
import { Thumbnails } from "../thumbnails.js";
import { Camera } from "../../draw/sphere.js";
import { Tooltip } from "../../runs/tooltip.js";
import { isNumber, score } from "../../draw/words.js";

/** @type {Record<number, string>} */ const TITLES = { 2: "Embedding on the circle", 3: "Embedding on the sphere" };
const PLANE_AXES = ["first direction", "second direction"];
const MAP_AXES = ["map x", "map y"];
const APART = 0.1; // between the shares of right neighbours in all dimensions and in the picture, from which that is said
const FAINT = 0.12;
const TURNING = 80; // ms between two small turns
const TRAINING_TURNS = 5; // turns drawn at once while a run trains, at the latest: its frames show them, too
const ANGLE = -0.006;

/** The embedded evaluated points: on the circle, on the sphere, or, of more dimensions, projected to a plane. */
export class Embedding extends ChartPanel {
  follows = ["hover", "turn"];
  square = true;
  #turns = 0; // not drawn yet

  /** @param {RunDesk} desk */ constructor(desk) {
    super(desk, "embedding", TITLES[2]);
    this.picture = this.panel.picture;
    this.stage = element("div", { class: "dml-stage", tabindex: 0, role: "group" });
    this.picture.replaceWith(this.stage);
    this.stage.append(this.picture);
    this.share = key();
    this.sketch = new Sketch(this.picture);
    this.thumbnails = new Thumbnails(this.stage);
    const images = { class: "dml-chip", "aria-pressed": "false", title: "Draw the images in place of the points" };
    this.images = button(() => this.#showImages(!this.thumbnails.shown), images, "images");
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

  /** Takes up a subject or another group of it. @param {boolean} fresh */
  open(fresh) {
    const { group, dim, solid, flat, mapped } = this.desk;
    const keys = solid ? "Arrow keys rotate; n and p step through the points" : "Arrow keys step through the points";
    this.stage.setAttribute("aria-label", `${keys}; Enter makes one the query.`);
    this.stage.classList.toggle("dml-solid", solid);
    say(this.panel.title, mapped ? "Neighbour map" : (TITLES[dim] ?? "Embedding in a plane"));
    this.thumbnails.open();
    // So many classes cannot be distinguished by colour, only by their images.
    const { marks, subject } = this.desk;
    if (fresh || marks) this.thumbnails.shown = marks ? marks === "images" : group.classes.length > CROWD;
    this.thumbnails.shown &&= pictured(subject);
    this.images.hidden = !pictured(subject);
    this.images.setAttribute("aria-pressed", String(this.thumbnails.shown));
    this.share.hidden = !flat;
    super.open(fresh);
    this.#showOnly();
  }

  keys() {
    const { subject, group } = this.desk;
    const colouring = subject.arrays.sets ? [this.#colouring()] : [];
    return [this.share, this.images, ...colouring, ...group.kinds.map((c) => this.#chip(c, group.kindNames[c]))];
  }

  build() {
    return this.scene.build();
  }

  draw() {
    this.#turns = 0;
    this.chart.move(this.scene.changes());
    if (this.chart.ready) {
      this.sketch?.close();
      this.sketch = null;
    }
    this.sketch?.draw(this.scene, this.desk);
    if (this.desk.flat) this.#fit();
    if (this.chart.ready) this.thumbnails.draw(this, this.desk, (x, y) => this.chart.pixel(x, y));
    this.#tip();
    this.panel.describe(() => this.#words());
  }

  /** Where every point is drawn, in units. */
  get at() {
    return this.scene.at;
  }

  /** Whether point `i` is on the far side. @param {number} i */
  behind(i) {
    return this.scene.behind(i);
  }

  /** A pointer event's place in units, with the units of a pixel; null before there is a chart. @param {PointerEvent} event */
  where(event) {
    return this.chart?.where(event) ?? null;
  }

  /** Turns the sphere by angles in radians. @param {number} right @param {number} down */
  rotate(right, down) {
    this.camera.rotate(right, down);
    this.desk.redraw("turn");
  }

  /** The images that are drawn in place of the points, as one of a Plotly layout; undefined where the points are. */
  layoutImages() {
    const seen = this.thumbnails.shown && this.chart.seen();
    if (!seen) return undefined;
    const source = this.thumbnails.whole(seen.width, seen.height, this, this.desk, (x, y) => {
      const place = this.chart.pixel(x, y);
      return { x: place.x - seen.left, y: place.y - seen.top };
    });
    const [[left, right], [bottom, top]] = [seen.x, seen.y];
    const place = { x: left, y: top, sizex: right - left, sizey: top - bottom, sizing: "stretch" };
    return [{ source, xref: "x", yref: "y", xanchor: "left", yanchor: "top", ...place }];
  }

  /** Every point that is shown: its image, its class, all of its coordinates, and where it is drawn. */
  async table() {
    const { subject, group, frame, dim } = this.desk;
    const z = dim > 3 ? await this.desk.embeddings() : null;
    const names = z ? Array.from({ length: dim }, (_, k) => `z${k + 1}`) : [];
    const view = this.desk.mapped ? await this.desk.exactMap() : frame.arrays["0.view"];
    const [, wide] = view.shape;
    const axes = (dim <= 3 ? ["x", "y", "z"] : this.desk.mapped ? MAP_AXES : PLANE_AXES).slice(0, wide);
    const { y } = subject.arrays;
    /** @param {Packed | null} rows @param {number} width @param {number} i */
    const numbers = (rows, width, i) => (rows ? Array.from(rows.subarray(width * i, width * (i + 1))) : []);
    /** @param {number} i */ const row = (i) => [i, y[i], subject.header.classes[y[i]], group.name];
    const rows = group.points.map((i) => [...row(i), ...numbers(z, dim, i), ...numbers(view, wide, i)]);
    const notes = [`column ${noun(subject)}: its number among those drawn`, "column class: number of its class"];
    notes.push("column name: what its class is called", "column group: classes seen in training, or not");
    notes.push(...names.map((name, k) => `column ${name}: coordinate ${k + 1} of ${dim} of the embedding`));
    if (dim > 3 && !z) {
      notes.push("The coordinates before the projection are not recorded at this step; train the run to have them.");
    }
    const picture = this.desk.mapped ? "neighbour map" : "plane";
    const place = dim <= 3 ? "coordinate of the embedding" : `place in the ${picture} drawn, of ${dim} dimensions`;
    notes.push(...axes.map((axis) => `column ${axis}: ${place}`));
    return { columns: [noun(subject), "class", "name", "group", ...names, ...axes], rows, notes };
  }

  /** The promise that the map of the frame shown is made, if it is drawn in one. */
  async settled() {
    if (this.desk.mapped) await this.desk.exactMap();
  }

  /** Whether the points drawn are those of the frame shown. */
  get exact() {
    return this.scene.exact;
  }

  close() {
    this.#stopTurning();
    super.close();
  }

  // A sphere turns slowly until it is touched, and stops while a point is under the mouse.
  #turn() {
    if (this.desk.still || !this.desk.solid || !this.chart?.ready || document.hidden || this.desk.hovered != null) {
      return;
    }
    this.camera.rotate(ANGLE, 0);
    this.#turns += 1;
    if (this.#turns >= (this.desk.status === "running" ? TRAINING_TURNS : 1)) this.desk.redraw("turn");
  }

  #stopTurning() {
    clearInterval(this.turning);
  }

  /** @param {boolean} shown */ #showImages(shown) {
    this.thumbnails.shown = shown;
    this.desk.marks = shown ? "images" : "points";
    this.desk.viewed();
    this.images.setAttribute("aria-pressed", String(shown));
    this.#showOnly();
    this.desk.redraw();
  }

  #fit() {
    const { history, frame, group, dim } = this.desk;
    const { at } = this.scene;
    if (this.desk.mapped) {
      say(this.share, this.scene.exact ? this.#agreement() : "The map of this step is being made.");
      this.stage.dataset.mapped = this.scene.exact ? String(frame.header.step) : "";
      return;
    }
    const share = history.at("plane.share", history.row(frame.header.step));
    const shown = isNumber(share) ? `${Math.round(100 * share)} % of the variance is seen` : "all points coincide";
    say(this.share, `2 of ${dim} dimensions, as chosen at step ${frame.header.plane ?? 0}: ${shown}. Scores use all ${dim}.`);
    const furthest = Math.max(...group.points.map((i) => Math.max(Math.abs(at.x[i]), Math.abs(at.y[i]))));
    const known = this.chart.rangeOf("xaxis")?.[1] ?? 0;
    if (furthest < known && furthest > known / 2) return;
    const bound = Math.max(0.2, Math.ceil(furthest * 11) / 10);
    this.chart.range("xaxis", [-bound, bound]);
    this.chart.range("yaxis", [-bound, bound]);
  }

  // R@1 twice: in all dimensions, and in the picture.
  #agreement() {
    const { group, subject, dim } = this.desk;
    const right = group.points.filter((i) => neighbours(this.desk, i)[0]?.right).length / group.points.length;
    const near = nearestOf(this.scene.places, group.points);
    const { y } = subject.arrays;
    const seen = group.points.filter((i, k) => y[near[k]] === y[i]).length / group.points.length;
    const words = `Nearest neighbour of the same class: ${score(right)} in ${dim} dimensions, ${score(seen)} in this map`;
    const some = this.desk.coloured ? ` ${this.desk.coloured.length} of ${group.classes.length} classes are in colour.` : "";
    const apart = Math.abs(right - seen) > APART ? ": here the map does not show what the net has learned." : ".";
    return `${words}${apart}${some}`;
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
      `${
        this.desk.mapped ? `Neighbour map of ${dim} dimensions` : where
      } at step ${frame.header.step}: ${group.points.length} points of ${group.classes.length} classes (${names}); ` +
      `the nearest neighbour of ${right} of them is of their class.`
    );
  }

  // What points of one colour have in common, and the button that changes it.
  #colouring() {
    const bySet = this.desk.colouring === "set";
    const [now, other] = bySet ? ["icon set", "class"] : ["class", "icon set"];
    const attributes = { class: "dml-chip dml-colouring", title: `Colour by ${other} instead` };
    return button(() => this.desk.colourBy(bySet ? "class" : "set"), attributes, `coloured by ${now} ⇄`);
  }

  /** @param {number} c @param {string} name */ #chip(c, name) {
    const { colour, marker: symbol } = this.desk.look.ofClass(c);
    const attributes = { class: "dml-chip", "aria-pressed": "false", title: "Show these alone" };
    return button(() => this.#choose(c), attributes, marker(symbol, colour), name);
  }

  /** @param {number} c */ #choose(c) {
    this.desk.single = this.desk.single === c ? null : c;
    this.desk.viewed();
    this.#showOnly();
  }

  #showOnly() {
    const { kinds } = this.desk.group;
    const single = kinds.includes(this.desk.single) ? this.desk.single : null;
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (this.panel.legend.querySelectorAll("[aria-pressed]"));
    const chips = [...buttons].filter((chip) => chip !== this.images);
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
