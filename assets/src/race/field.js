import { columnsFor, largestIn, roomOf } from "../kit/columns.js";
import { CROWD } from "../kit/group.js";
import { marker } from "../kit/marker.js";
import { element, key, Panel, say } from "../kit/panel.js";
import { RaceCell } from "./cell.js";
import { pointsOf } from "./data.js";
import { Camera, projected } from "../kit/sphere.js";

const NARROWEST = 200; // pixels of a racer's picture
const [LEAST, WIDEST] = [180, 420]; // pixels of one that is exported
const [MANY, NARROWER] = [8, 146]; // of so many racers each has less
const GAP = 10; // pixels between two
const [ABOVE, WORDS] = [110, 50]; // pixels above the pictures of a race that is presented, and above each
const TITLES = { 2: "Embeddings on the circle", 3: "Embeddings on the sphere" };
const ROOM = { 2: 1.06, 3: 1.03 };

/** The racers' embeddings side by side, in step: one camera, one group of points, one scale for those of equal dimension. */
export class RaceField {
  follows = ["hover", "turn"];

  constructor(desk) {
    this.desk = desk;
    this.camera = new Camera();
    this.panel = new Panel("race-field", TITLES[3]);
    this.panel.picture.removeAttribute("role");
    this.panel.picture.removeAttribute("aria-label");
    this.box = element("div", { class: "dml-cells" });
    this.panel.picture.append(this.box);
    this.cells = [];
    this.sizes = new ResizeObserver(() => {
      this.#lay();
      desk.redraw();
    });
    this.sizes.observe(this.panel.picture);
  }

  open(fresh) {
    const { subject, group, look, dim } = this.desk;
    const { members: racers } = subject.header;
    if (fresh || this.cells.length !== racers.length) {
      this.cells = racers.map((_, k) => new RaceCell(this.desk, this, k));
      this.box.replaceChildren(...this.cells.map(({ root }) => root));
      this.bound = 0.2; // of those drawn in a plane
      this.#lay();
    }
    const dims = [...new Set(racers.map((racer) => racer.dim ?? dim))].sort((a, b) => a - b);
    const many = `Embeddings of ${dims.join(", ").replace(/, (\d+)$/, " and $1")} dimensions`;
    const one = TITLES[dim] ?? `Embeddings of ${dim} dimensions, each in a plane of its own`;
    say(this.panel.title, dims.length > 1 ? many : one);
    const { classes: shown } = group;
    const named = shown.length > CROWD ? [] : shown.map((c) => {
      const { colour, marker: symbol } = look.ofClass(c);
      return key(marker(symbol, colour), subject.header.classes[c]);
    });
    const crowd = key(`${shown.length} classes by colour and marker: point at one for its name`);
    const chips = subject.header.data?.length ? [key("each on its own data")] : named.length ? named : [crowd];
    const first = subject.header.seeds > 1 ? [key("points and R@1 of each one's first seed")] : [];
    const planes = dims.length > 1 && dims.at(-1) > 3 ? [key("above three: each in a plane of its own")] : [];
    this.panel.legend.replaceChildren(...chips, ...planes, ...first);
    for (const cell of this.cells) cell.open();
  }

  draw() {
    for (const cell of this.cells) cell.measure();
    for (const cell of this.cells) cell.draw();
    const furthest = Math.max(...this.cells.filter(({ desk }) => desk.flat).map(({ reach }) => reach));
    if (!Number.isFinite(furthest)) return;
    if (furthest < this.bound && furthest > this.bound / 2) return;
    this.bound = Math.max(0.2, Math.ceil(furthest * 11) / 10);
    for (const cell of this.cells) cell.draw();
  }

  close() {
    this.sizes.disconnect();
  }

  /** Whether all pictures are drawn. */
  get ready() {
    return this.cells.length > 0 && this.cells.every(({ unit }) => unit);
  }

  /** The pictures in vectors, for export/sheet.js. */
  get sheet() {
    const { length } = this.cells;
    const cells = () => this.cells.map((cell) => cell.written());
    return () => ({ width: this.box.clientWidth, least: length > MANY ? NARROWER : LEAST, most: WIDEST, cells });
  }

  words() {
    const each = this.cells.map(({ svg }) => svg.getAttribute("aria-label"));
    return `${[this.panel.title.textContent, ...each].map((one) => one.replace(/\.$/, "")).join(". ")}.`;
  }

  /** How far from the centre the pictures of embeddings of so many dimensions reach. */
  boundOf(dim) {
    return ROOM[dim] ?? this.bound;
  }

  /** Where every racer has the points that are shown. */
  table() {
    const { frame, subject: { header: { members: racers } } } = this.desk;
    const axes = ["x", "y", "z"].slice(0, this.cells.some(({ desk }) => desk.solid) ? 3 : 2);
    const rows = racers.flatMap(({ letter, title }, k) => {
      if (!frame.header.members[k].there) return [];
      const { subject, group } = this.cells[k].desk;
      const { classes } = subject.header;
      const view = pointsOf(frame, k, "view");
      const [, width] = view.shape;
      const place = (i) => axes.map((_, axis) => axis < width ? view[width * i + axis] : "");
      return group.points.map((i) => [letter, title, i, classes[subject.arrays.y[i]], ...place(i)]);
    });
    return { columns: ["racer", "loss", "point", "class", ...axes], rows, drawn: { x: "x", y: ["y"], by: "loss" } };
  }

  /** Rows (n, width) as {x, y} and, where they are `solid`, depth. */
  project(points, solid) {
    return projected(points, this.camera, solid);
  }

  // As few rows as the width has room for, and these equally long.
  #lay() {
    const narrowest = this.cells.length > MANY ? NARROWER : NARROWEST;
    const { clientWidth } = this.panel.picture;
    const tall = roomOf(this.box) - ABOVE;
    let columns = columnsFor(clientWidth, this.cells.length, narrowest, GAP);
    this.box.style.removeProperty("--dml-tall");
    if (tall < Infinity) {
      const fit = largestIn(clientWidth, tall, this.cells.length, GAP, WORDS);
      columns = fit.columns;
      this.box.style.setProperty("--dml-tall", `${fit.side}px`);
    }
    this.box.style.setProperty("--dml-columns", columns);
    this.box.dataset.rows = Math.ceil(this.cells.length / columns);
  }
}
