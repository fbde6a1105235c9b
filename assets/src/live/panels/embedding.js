import { EmbeddingDisc } from "../embedding_disc.js";
import { agreement, askable, CROWD, groupName, neighbours, shareRight } from "../../runs/group.js";
import { noun, pictured } from "../../runs/image.js";
import { viewOf } from "../../runs/packing.js";
import { DiscControls } from "../../draw/disc_controls.js";
import { marker } from "../../draw/marker.js";
import { button, element, key, Panel, say } from "../../draw/panel.js";
import { Thumbnails } from "../thumbnails.js";
import { Tooltip } from "../../runs/tooltip.js";
import { isNumber, MAP, placeIn } from "../../draw/words.js";

/** @type {Record<number, string>} */ const TITLES = { 2: "Embedding on the circle", 3: "Embedding on the sphere" };
const PLANE_AXES = ["first direction", "second direction"];
const MAP_AXES = ["map x", "map y"];
const [SMALLEST, LARGEST] = [240, 720]; // px of the picture in a file
const TURNING = 80; // ms between two small turns
const TRAINING_TURNS = 5; // turns drawn at once while a run trains, at the latest: its frames show them, too
const ANGLE = -0.006;

/** @typedef {{width: number, height: number}} Size */
/** @param {HTMLElement} node @returns {Size} */ const sizeOf = ({ clientWidth, clientHeight }) => ({
  width: clientWidth,
  height: clientHeight,
});

/** The embedded evaluated points: on the circle, on the sphere, or, of more dimensions, in a neighbour map or a plane. */
export class Embedding {
  follows = ["hover", "turn"];
  #turns = 0; // not drawn yet
  /** @type {unknown[]} */ #origin = []; // what the words about the picture were computed of
  /** @type {Size | null} */ #size = null; // of the picture, in px, until it changes: to measure it lays out the page

  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("embedding", TITLES[2]);
    const { picture } = this.panel;
    this.stage = element("div", { class: "dml-stage", tabindex: 0, role: "group" });
    picture.replaceWith(this.stage);
    this.stage.append(picture);
    this.share = key();
    this.disc = new EmbeddingDisc(desk);
    picture.append(this.disc.svg);
    this.thumbnails = new Thumbnails(picture);
    const images = { class: "dml-chip", "aria-pressed": "false", title: "Draw the images in place of the points" };
    this.images = button(() => this.#showImages(!this.thumbnails.shown), images, "images");
    const whole = { class: "dml-chip", title: "Show all points again", hidden: true };
    this.whole = button(() => this.controls.whole(), whole, "show all");
    this.tooltip = new Tooltip(this.stage);
    this.controls = new DiscControls(this.disc, this.stage, picture, {
      hover: (point) => desk.hover(point),
      select: (point) => point !== null && desk.select(point),
      next: (by) => desk.step(by),
      lit: () => desk.hovered,
      redraw: () => desk.redraw("turn"),
      words: (point, entered) => this.#wordsOf(point, entered),
    });
    for (const touch of ["pointerdown", "keydown"]) {
      this.stage.addEventListener(touch, () => this.#stopTurning(), { capture: true });
    }
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.turning = setInterval(() => this.#turn(), TURNING);
    }
    this.sizes = new ResizeObserver(() => {
      this.#size = null;
      desk.redraw("turn");
    });
    this.sizes.observe(picture);
  }

  /** Takes up a subject or another group of it. @param {boolean} fresh */
  open(fresh) {
    const { group, dim, solid, flat, mapped, marks, subject } = this.desk;
    const keys = solid ? "Arrow keys rotate; n and p step through the points" : "Arrow keys step through the points";
    this.stage.setAttribute("aria-label", `${keys}; Enter makes one the query; + and − zoom.`);
    this.stage.classList.toggle("dml-solid", solid);
    say(this.panel.title, mapped ? "Neighbour map" : (TITLES[dim] ?? "Embedding in a plane"));
    if (fresh) this.disc.open();
    this.thumbnails.open();
    // So many classes cannot be distinguished by colour, only by their images.
    if (fresh || marks) this.thumbnails.shown = marks ? marks === "images" : group.classes.length > CROWD;
    this.thumbnails.shown &&= pictured(subject);
    this.images.hidden = !pictured(subject);
    this.images.setAttribute("aria-pressed", String(this.thumbnails.shown));
    this.share.hidden = !flat;
    this.panel.legend.style.minHeight = "";
    this.panel.legend.replaceChildren(...this.#keys());
    this.#press();
  }

  draw() {
    const { desk, disc, thumbnails } = this;
    this.#turns = 0;
    disc.place();
    const { width, height } = (this.#size ??= sizeOf(this.panel.picture));
    if (!(width && height)) return;
    disc.draw({ width, height, imaged: thumbnails.shown, single: this.#single });
    thumbnails.draw(disc, desk, this.#single);
    this.whole.hidden = !disc.moved;
    if (desk.flat) this.#agree();
    this.#tip();
    this.panel.describe(() => this.#words());
  }

  /** Whether it is drawn. */
  get ready() {
    return this.disc.width > 0;
  }

  /** The picture for export/sheet.js: all of it, wherever the visitor has moved it. */
  get sheet() {
    const { disc, thumbnails, desk } = this;
    /** @param {(colour: string) => string} tone */ const drawn = (tone) => {
      const { width, height, middle, reach } = disc;
      const side = Math.min(width, height);
      disc.whole();
      disc.draw({ width: side, height: side, imaged: thumbnails.shown, single: this.#single });
      const group = disc.copy();
      if (thumbnails.shown) group.append(thumbnails.whole(disc, desk, this.#single, tone));
      disc.show(middle, reach);
      disc.draw({ width, height, imaged: thumbnails.shown, single: this.#single });
      return group;
    };
    return () => {
      const side = Math.min(disc.width, disc.height);
      /** @param {ExportFrame} frame */
      const cells = ({ colour }) => [{ drawings: [{ node: () => drawn(colour), width: side, height: side }] }];
      return { width: side, least: SMALLEST, most: LARGEST, cells };
    };
  }

  /** Every point that is shown: its image, its class, all of its coordinates, and where it is drawn. */
  async table() {
    const { subject, group, frame, dim } = this.desk;
    const z = dim > 3 ? await this.desk.embeddings() : null;
    const names = z ? Array.from({ length: dim }, (_, k) => `z${k + 1}`) : [];
    const view = this.desk.mapped ? await this.desk.exactMap() : viewOf(frame, 0);
    const [, wide] = view.shape;
    const axes = (dim <= 3 ? ["x", "y", "z"] : this.desk.mapped ? MAP_AXES : PLANE_AXES).slice(0, wide);
    const { y } = subject.arrays;
    /** @param {Packed | null} rows @param {number} width @param {number} i */
    const numbers = (rows, width, i) => (rows ? Array.from(rows.subarray(width * i, width * (i + 1))) : []);
    /** @param {number} i */ const row = (i) => [i, y[i], subject.header.classes[y[i]], groupName(subject, group.name)];
    const rows = group.points.map((i) => [...row(i), ...numbers(z, dim, i), ...numbers(view, wide, i)]);
    const notes = [`column ${noun(subject)}: its number among those drawn`, "column class: number of its class"];
    notes.push("column name: what its class is called", "column group: which of the evaluated points are shown");
    notes.push(...names.map((name, k) => `column ${name}: coordinate ${k + 1} of ${dim} of the embedding`));
    if (dim > 3 && !z) {
      const where = "the app's table has them once the run is trained";
      notes.push(`The ${dim} coordinates of the embedding are not stored with this step; ${where}.`);
    }
    const place = placeIn(this.desk.mapped ? MAP : "plane", dim);
    notes.push(...axes.map((axis) => `column ${axis}: ${place}`));
    return { columns: [noun(subject), "class", "name", "group", ...names, ...axes], rows, notes };
  }

  /** The promise that the map of the frame shown is made, if it is drawn in one. */
  async settled() {
    if (this.desk.mapped) await this.desk.exactMap();
  }

  /** Whether the points drawn are those of the frame shown. */
  get exact() {
    return this.disc.exact;
  }

  close() {
    this.#stopTurning();
    this.sizes.disconnect();
  }

  // A sphere turns slowly until it is touched, and stops while a point is under the mouse.
  #turn() {
    if (this.desk.still || !this.desk.solid || !this.ready || document.hidden || this.desk.hovered != null) return;
    this.disc.turn(ANGLE, 0);
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
    this.#press();
    this.desk.redraw();
  }

  // What the picture keeps of all dimensions: R@1 twice, in them and in the picture.
  #agree() {
    const { desk: { frame, mapped, group, coloured }, disc: { exact, rows } } = this;
    const origin = [frame, group, `${coloured}`, mapped ? rows : null, exact];
    if (origin.every((part, k) => part === this.#origin[k])) return;
    this.#origin = origin;
    if (mapped) this.stage.dataset.mapped = exact ? String(frame.header.step) : "";
    say(this.share, exact ? `${this.#agreement()}${this.#some()}` : "The map of this step is being made.");
  }

  #agreement() {
    const { group, subject: { arrays: { y } }, dim, mapped, frame } = this.desk;
    if (!this.desk.scored) return "The points of this step are not scored.";
    const counted = askable(group.points, y);
    const right = counted.filter((i) => neighbours(this.desk, i)[0]?.right).length / counted.length;
    const words = agreement(right, shareRight(this.disc.places, group.points, y), dim, mapped ? "map" : "plane");
    return mapped ? words : `${this.#variance()}${frame.header.plane ? `, in that of step ${frame.header.plane}` : ""}. ${words}`;
  }

  #variance() {
    const { history, frame } = this.desk;
    const share = history.at("plane.share", history.row(frame.header.step));
    return isNumber(share) ? `The plane of most variance, ${Math.round(100 * share)} %` : "All points coincide";
  }

  #some() {
    const { coloured, group } = this.desk;
    return coloured ? ` ${coloured.length} of ${group.classes.length} classes are in colour.` : "";
  }

  #tip() {
    const { hovered, subject, look } = this.desk;
    if (hovered == null) this.tooltip.hide();
    else this.tooltip.show(this.disc.pixel(hovered), subject, hovered, look);
  }

  /** A point in words, as it is read aloud. @param {number} point @param {boolean} entered */
  #wordsOf(point, entered) {
    const { subject } = this.desk;
    const near = this.desk.scored ? neighbours(this.desk, point) : [];
    const right = near.length ? `; ${near.filter(({ right }) => right).length} of its ${near.length} nearest are right` : "";
    const name = `${subject.header.classes[subject.arrays.y[point]]}, ${noun(subject)} ${point}`;
    return `${name}${entered ? ", is the query" : ""}${right}.`;
  }

  #words() {
    const { subject, group, frame, dim, mapped } = this.desk;
    const right = group.points.filter((i) => neighbours(this.desk, i)[0]?.right).length;
    const flat = TITLES[dim] ?? `Embedding in ${dim} dimensions, seen in a plane`;
    const where = mapped ? `Neighbour map of ${dim} dimensions` : flat;
    const names = group.classes.map((c) => subject.header.classes[c]).join(", ");
    const points = `${group.points.length} points of ${group.classes.length} classes (${names})`;
    const nearest = `the nearest neighbour of ${right} of them is of their class`;
    return `${where} at step ${frame.header.step}: ${points}; ${nearest}.`;
  }

  #keys() {
    const { subject, group } = this.desk;
    const colouring = subject.arrays.sets ? [this.#colouring()] : [];
    return [this.share, this.whole, this.images, ...colouring, ...group.kinds.map((c) => this.#chip(c, group.kindNames[c]))];
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
    this.#press();
    this.desk.redraw();
  }

  get #single() {
    const { single, group: { kinds } } = this.desk;
    return kinds.includes(single) ? single : null;
  }

  #press() {
    const { kinds } = this.desk.group;
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (this.panel.legend.querySelectorAll("[aria-pressed]"));
    const chips = [...buttons].filter((chip) => chip !== this.images);
    // Of many classes the images say more than a list of names.
    const hidden = this.thumbnails.shown && kinds.length > CROWD;
    chips.forEach((chip, k) => {
      chip.setAttribute("aria-pressed", String(kinds[k] === this.#single));
      chip.hidden = hidden;
    });
  }
}
