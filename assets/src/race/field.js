import { columnsFor, largestIn, presentedHeight } from "../draw/columns.js";
import { CROWD } from "../runs/group.js";
import { marker } from "../draw/marker.js";
import { aside, element, key, Panel, say, sayOrHide } from "../draw/panel.js";
import { RaceCell } from "./cell.js";
import { nameOf, pointsOf, rowOf, spread } from "./data.js";
import { lately, together, whyLast } from "./last.js";
import { Camera, projected } from "../draw/sphere.js";

const NARROWEST = 200; // pixels of a racer's picture
const [LEAST, WIDEST] = [180, 420]; // pixels of one that is exported
const [MANY, NARROWER] = [8, 146]; // of so many racers each has less
const GAP = 10; // pixels between two
const WORDS = 50; // pixels above a picture of a race that is presented
/** @type {Record<number, string>} */ const TITLES = { 2: "Embeddings on the circle", 3: "Embeddings on the sphere" };
/** @type {Record<number, number>} */
const ROOM = { 2: 1.06, 3: 1.03 }; // how far from the centre a picture of so many dimensions reaches

/** The racers' embeddings side by side: one step, camera and group of points; above three dimensions each fills its cell. */
export class RaceField {
  follows = ["hover", "turn"];

  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.camera = new Camera();
    this.panel = new Panel("race-field", TITLES[3]);
    this.panel.picture.removeAttribute("role");
    this.panel.picture.removeAttribute("aria-label");
    this.box = element("div", { class: "dml-cells" });
    this.why = element("p", { class: "dml-caution" });
    this.panel.picture.append(this.box);
    this.panel.picture.after(this.why);
    /** @type {RaceCell[]} */ this.cells = [];
    this.sizes = new ResizeObserver(() => {
      this.#lay();
      desk.redraw();
    });
    this.sizes.observe(this.panel.picture);
  }

  /** @param {boolean} fresh */ open(fresh) {
    const { subject, group, look, dim } = this.desk;
    const { members: racers } = subject.header;
    if (fresh || this.cells.length !== racers.length) {
      this.cells = racers.map((_, k) => new RaceCell(this.desk, this, k));
      this.box.replaceChildren(...this.cells.map(({ root }) => root));
      this.#lay();
    }
    const dims = [...new Set(racers.map((racer) => racer.dim ?? dim))].sort((a, b) => a - b);
    const many = `Embeddings of ${dims.join(", ").replace(/, (\d+)$/, " and $1")} dimensions`;
    const mapped = this.cells.some((cell) => cell.mapped);
    const picture = mapped ? "neighbour map" : "plane";
    const one = TITLES[dim] ?? `Embeddings of ${dim} dimensions, each in a ${picture} of its own`;
    say(this.panel.title, dims.length > 1 ? many : one);
    const { classes: shown } = group;
    const named = shown.length > CROWD ? [] : shown.map((c) => {
      const { colour, marker: symbol } = look.ofClass(c);
      return key(marker(symbol, colour), subject.header.classes[c]);
    });
    const crowd = key(`${shown.length} classes by colour and marker`, aside(": point at one for its name"));
    const chips = subject.header.data?.length ? [key("each on its own data")] : named.length ? named : [crowd];
    const first = subject.header.seeds > 1 ? [key("points and R@1 of each one's first seed")] : [];
    const planes = dims.length > 1 && dims.at(-1) > 3 ? [key(`above three: each in a ${picture} of its own`)] : [];
    const radius = "each in its own scale: radius, how far its points reach";
    const scales = dims.at(-1) > 3 ? [key(mapped ? "turned as that of A; distances between groups mean nothing" : radius)] : [];
    const stacks = dims[0] === 2 ? [key("points of equal angle are stacked inwards")] : [];
    this.panel.legend.replaceChildren(...chips, ...planes, ...scales, ...stacks, ...first);
    for (const cell of this.cells) cell.open();
  }

  draw() {
    for (const cell of this.cells) cell.measure();
    for (const cell of this.cells) cell.draw();
    sayOrHide(this.why, this.#whyLast());
  }

  // Once the race is under way: at its start all are equal.
  #whyLast() {
    const { frame, history, group, subject: { header } } = this.desk;
    if (!frame.header.step || header.data?.length) return "";
    return whyLast(this.cells.map(({ desk, k }) => {
      /** @param {string} metric @param {number} row */
      const at = (metric, row) => spread(history, header.seeds, k, metric, row).mean;
      const row = rowOf(history, frame, k);
      const map = at(`map.${group.name}`, row);
      // Points of more dimensions are drawn in a plane, which says nothing of their cosines.
      const points = desk.flat ? null : pointsOf(frame, k, "view");
      const { notes } = frame.header.members[k];
      return {
        collapsed: notes.some((note) => note.startsWith("Collapse")),
        name: `${header.members[k].letter} ${nameOf(header.members, k)}`,
        map,
        active: at("active", row),
        began: at("active", 0),
        rose: map - at(`map.${group.name}`, lately(history, row)),
        together: points ? together(points, desk.dim, group.points) : NaN,
      };
    }));
  }

  close() {
    this.sizes.disconnect();
  }

  /** The promise that all maps of the frame shown are made. */
  async settled() {
    await Promise.all(this.cells.map((cell) => cell.settled()));
  }

  /** Whether all pictures show the frame. */
  get exact() {
    return this.cells.every(({ exact }) => exact);
  }

  /** Whether all pictures are drawn. */
  get ready() {
    return this.cells.length > 0 && this.cells.every(({ width }) => width);
  }

  /** The pictures in vectors, for export/sheet.js. */
  get sheet() {
    const { length } = this.cells;
    const cells = () => this.cells.map((cell) => cell.written());
    return () => ({ width: this.box.clientWidth, least: length > MANY ? NARROWER : LEAST, most: WIDEST, cells });
  }

  words() {
    const each = this.cells.map(({ svg }) => svg.getAttribute("aria-label"));
    const parts = [this.panel.title.textContent, ...each, this.why.textContent].filter(Boolean);
    return `${parts.map((one) => one.replace(/\.$/, "")).join(". ")}.`;
  }

  // How far from the centre the pictures of embeddings of so many dimensions reach; undefined where each has its own bound.
  /** @param {number} dim @returns {number | undefined} */ boundOf(dim) {
    return ROOM[dim];
  }

  /** Where every racer has the points that are shown. */
  table() {
    const { frame, subject: { header: { members: racers } } } = this.desk;
    const axes = ["x", "y", "z"].slice(0, this.cells.some(({ desk }) => desk.solid) ? 3 : 2);
    const rows = racers.flatMap(({ letter }, k) => {
      if (!frame.header.members[k].there) return [];
      const { subject, group } = this.cells[k].desk;
      const { classes } = subject.header;
      const view = drawnIn(this.cells[k], frame, k);
      const [, width] = view.shape;
      /** @param {number} i */ const place = (i) => axes.map((_, axis) => axis < width ? view[width * i + axis] : "");
      return group.points.map((i) => [letter, nameOf(racers, k), i, classes[subject.arrays.y[i]], ...place(i)]);
    });
    // Racers of up to three dimensions have coordinates, the others places in a picture of each one's own.
    const places = racers.flatMap(({ letter, dim }, k) => {
      const { mapped, desk } = this.cells[k];
      return desk.flat ? [`of ${letter}, place in its own ${mapped ? "neighbour map" : "plane"} of ${dim} dimensions`] : [];
    });
    /** @param {string} axis */ const meaning = (axis) =>
      [...(places.length < racers.length ? [`coordinate ${axis} of the embedding`] : []), ...places].join("; ");
    const notes = axes.map((axis) => `column ${axis}: ${meaning(axis)}`);
    return { columns: ["racer", "loss", "point", "class", ...axes], rows, notes };
  }

  /** Rows (n, width) as {x, y} and, where they are `solid`, front. @param {Packed} points @param {boolean} solid */
  project(points, solid) {
    return projected(points, points.shape[1], solid ? this.camera : null);
  }

  // As few rows as the width has room for, and these equally long.
  #lay() {
    const narrowest = this.cells.length > MANY ? NARROWER : NARROWEST;
    const { clientWidth } = this.panel.picture;
    const tall = presentedHeight(this.box) < Infinity ? this.panel.picture.clientHeight : Infinity;
    let columns = columnsFor(clientWidth, this.cells.length, narrowest, GAP);
    this.box.style.removeProperty("--dml-tall");
    if (tall < Infinity) {
      const fit = largestIn(clientWidth, tall, this.cells.length, GAP, WORDS);
      columns = fit.columns;
      this.box.style.setProperty("--dml-tall", `${fit.side}px`);
    }
    this.box.style.setProperty("--dml-columns", String(columns));
    this.box.dataset.rows = String(Math.ceil(this.cells.length / columns));
  }
}

/** The points of a racer as they are drawn. @param {RaceCell} cell @param {Frame} frame @param {number} k */
function drawnIn({ mapped, places }, frame, k) {
  if (!mapped) return pointsOf(frame, k, "view");
  const { length } = places.x;
  const rows = Float32Array.from({ length: 2 * length }, (_, at) => (at % 2 ? places.y : places.x)[at >> 1]);
  return Object.assign(rows, { shape: [length, 2] });
}
