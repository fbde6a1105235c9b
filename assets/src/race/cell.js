import { Disc } from "../draw/disc.js";
import { DiscControls } from "../draw/disc_controls.js";
import { element, say, sayOrHide } from "../draw/panel.js";
import { renew } from "../draw/svg.js";
import { nameOf, pointsOf, rowOf } from "./data.js";
import { RacerDesk } from "./racer_desk.js";
import { stacked } from "./stack.js";
import { racerStyle, setRacerColour } from "./style.js";
import { Tooltip } from "../runs/tooltip.js";
import { broken, count, score } from "../draw/words.js";
import { Glide } from "../runs/glide.js";
import { shareRight } from "../runs/group.js";
import { mirrors, turned } from "./turned.js";
/** @import { Group } from "../runs/group.js" */

const EDGE = 3; // pixels kept free around the picture

/** One racer's embedding, in its own scale: the points, group and camera of all others, unless its data or dimension differ. */
export class RaceCell {
  width = 0;
  height = 0;
  /** @type {SeenRows | null} */ at = null;
  /** @type {unknown[] | null} */ shown = null;
  /** @type {SeenRows | null} */ places = null;
  exact = true; // whether they are those of the frame shown: a map takes a while to be made
  /** @type {{frame: Frame, group: Group, share: number} | null} */ agreed = null;
  glide = new Glide();
  bound = 0.2; // how far from the centre the picture reaches, of one drawn in a plane

  /** @param {RunDesk} desk @param {RaceField} field @param {number} k */
  constructor(desk, field, k) {
    this.desk = new RacerDesk(desk, k);
    this.whole = desk;
    this.field = field;
    this.k = k;
    this.letter = element("b", { class: "dml-letter" });
    this.name = element("span", { class: "dml-racer-name" });
    this.recall = element("b");
    this.mapping = element("span");
    this.value = element("span", { class: "dml-racer-value" }, element("span", {}, "R@1 "), this.recall, this.mapping);
    this.disc = new Disc({ class: "dml-cell-picture", role: "img", "aria-label": "being drawn" });
    this.svg = this.disc.svg;
    this.stage = element("div", { class: "dml-stage", tabindex: 0, role: "group" }, this.svg);
    this.note = element("p", { class: "dml-cell-note" });
    const head = element("div", { class: "dml-cell-head" }, this.letter, this.name, this.value);
    this.root = element("div", { class: "dml-cell" }, head, this.stage, this.note);
    this.tooltip = new Tooltip(this.stage);
    this.controls = new DiscControls(this.disc, this.stage, this.svg, {
      hover: (point) => this.desk.hover(point),
      select: (point) => point !== null && this.desk.select(point),
      next: (by) => this.desk.step(by),
      lit: () => this.desk.hovered,
      redraw: () => desk.redraw("turn"),
      words: (point, entered) => {
        const { subject } = this.desk;
        return `${subject.header.classes[subject.arrays.y[point]]}, point ${point}${entered ? ", is held" : ""}.`;
      },
    });
  }

  open() {
    this.desk = new RacerDesk(this.whole, this.k);
    const { subject } = this.desk;
    const { members: racers } = subject.header;
    const racer = racers[this.k];
    const name = nameOf(racers, this.k);
    setRacerColour(this.root, this.whole.look, this.k);
    say(this.letter, racer.letter);
    say(this.name, name);
    this.name.title = name;
    this.value.title = subject.header.seeds > 1 ? "of the first seed, which is the one drawn" : "";
    const turn = this.desk.solid ? "Arrow keys rotate all; n and p step through the points" : "Arrow keys step";
    this.stage.setAttribute("aria-label", `${racer.letter}, ${name}. ${turn}; Enter holds one.`);
    this.stage.classList.toggle("dml-solid", this.desk.solid);
    Object.assign(this.disc, { camera: this.field.camera, solid: this.desk.solid, round: !this.desk.flat });
    this.disc.whole();
  }

  /** Measures the cell: all cells do so before one is drawn, because the browser lays the page out again after each drawing. */
  measure() {
    [this.width, this.height] = [this.svg.clientWidth, this.svg.clientHeight];
  }

  draw() {
    if (this.whole.frame.arrays[`${this.k}.y`] !== this.desk.labels) this.open();
    const { whole: { frame, history }, desk: { group } } = this;
    const racer = frame.header.members[this.k];
    this.#say(racer);
    this.places = racer.there ? this.#belong() : null;
    this.at = this.places && this.desk.flat ? this.glide.towards(this.places, group, this.whole) : this.places;
    this.#scale();
    if (this.at && this.desk.dim === 2) this.at = stacked(this.at, group.points, (2 * this.size * this.disc.most) / this.half);
    this.#paint();
    const row = rowOf(history, frame, this.k);
    // Of the seed that is drawn: the mean over all is in the curves and the table.
    const r1 = history.at(`${this.k}.0.r1.${group.name}`, row);
    const inPicture = Number.isNaN(r1) ? null : this.#inPicture();
    say(this.recall, racer.there ? score(r1) : "–");
    const making = racer.there && !this.exact && !Number.isNaN(r1) ? ", its map is being made" : "";
    say(this.mapping, inPicture == null ? making : `, in the ${this.mapped ? "map" : "plane"} ${score(inPicture)}`);
    const { members: racers } = this.whole.subject.header;
    const seen = `${group.points.length} points of ${group.classes.length} classes at step ${frame.header.step}`;
    const words = racer.there ? `${seen}, R@1 ${score(r1)}` : "not yet under way";
    renew(this.svg, { "aria-label": `${racers[this.k].letter}, ${nameOf(racers, this.k)}: ${words}.` });
    this.#tip();
  }

  /** Whether it is drawn in a neighbour map. */
  get mapped() {
    return this.whole.isMapped(this.k);
  }

  /** Where the points belong, turned in a map as in that of the first racer; null before there is a map. */
  #belong() {
    const { desk: { group, subject, solid }, whole, field, k } = this;
    this.exact = true;
    if (!this.mapped) return field.project(pointsOf(whole.frame, k, "view"), solid);
    const { places, exact } = whole.mapOf(k, group);
    this.exact = exact;
    if (!places) return null;
    const own = field.project(places, false);
    if (!k || !whole.isMapped(0) || subject !== field.cells[0].desk.subject) return own;
    const first = whole.mapOf(0, group);
    this.exact &&= first.exact;
    if (!first.places) return null;
    const [from, to] = [k, 0].map((racer) => whole.history.maps.first(racer, group));
    const mirrored = from && to && mirrors(field.project(from, false), field.project(to, false), group.points);
    return turned(own, field.project(first.places, false), group.points, mirrored);
  }

  // The share of points whose nearest neighbour in the map or the plane is of their class; null without a picture of the step.
  #inPicture() {
    const { whole: { frame }, desk: { group, subject, flat } } = this;
    if (!flat || !this.places || !this.exact) return null;
    if (this.agreed?.frame !== frame || this.agreed.group !== group) {
      this.agreed = { frame, group, share: shareRight(this.places, group.points, subject.arrays.y) };
    }
    return this.agreed.share;
  }

  /** The promise that the map of the frame shown is made. */
  async settled() {
    if (this.mapped) await this.whole.exactMap(this.k, this.desk.group);
  }

  /** How far the points reach from the centre. */
  get reach() {
    const { at } = this;
    return at ? this.desk.group.points.reduce((far, i) => Math.max(far, Math.hypot(at.x[i], at.y[i])), 0) : 0;
  }

  // A cloud fills its cell; while it changes little, so does the scale.
  #scale() {
    if (this.mapped) this.bound = Math.max(1, 1.04 * this.reach);
    else if (this.desk.flat && this.at) {
      const { reach } = this;
      if (reach > this.bound || reach < 0.7 * this.bound) this.bound = Math.max(0.02, 1.15 * reach);
    }
    this.disc.bound(this.field.boundOf(this.desk.dim) ?? this.bound);
    this.half = Math.max(1, Math.min(this.width, this.height) / 2 - EDGE);
    this.size = Math.max(2.2, Math.min(4.2, Math.min(this.width, this.height) / 68));
  }

  /** @param {FrameRacer} racer */ #say({ there, notes, at }) {
    const { members: racers } = this.desk.subject.header;
    const failed = this.whole.now.members[this.k].failed;
    const { branch } = racers[this.k];
    const waits = there ? "" : `leaves ${racers[branch?.[1] ?? 0].letter} at step ${count(branch?.[0] ?? 0)}`;
    const wrong = waits ? "" : failed[0] || notes[0];
    const words = wrong ? `⚠ ${wrong}` : waits || (at == null ? "" : `its newest frame is of step ${count(at)}`);
    sayOrHide(this.note, words);
  }

  #paint() {
    const { desk, disc, field, width, height, whole: { frame, look } } = this;
    const { turn, tilt } = field.camera;
    const { middle, reach } = disc;
    const shown = [desk.flat ? this.at : frame, desk.group, look, turn, tilt, width, height, middle, reach];
    // Pointing at a point changes nothing but the mark.
    if (!shown.every((one, k) => one === this.shown?.[k])) this.#points({ width, height, edge: EDGE });
    this.shown = shown;
    this.#mark();
  }

  // The chosen point: the same image in every panel.
  #mark() {
    const { disc, desk, at } = this;
    const lit = desk.hovered ?? desk.query;
    if (at && lit != null && desk.group.has(lit)) disc.ring(lit, this.size + 4.5);
    disc.above.done();
  }

  /** Whether the cell has a scale of its own, in which the points reach as far as `#radius` says. */
  get #scaled() {
    return Boolean(this.at && this.desk.flat && !this.mapped);
  }

  get #radius() {
    return `radius ${this.reach.toFixed(2)}`;
  }

  /** @param {{width: number, height: number, edge: number}} frame */ #points(frame, worded = true) {
    const { desk, disc, at, whole: { look } } = this;
    const { group, subject } = desk;
    disc.look = look;
    disc.begin(frame);
    if (at) {
      disc.seen = at;
      const corner = { x: EDGE, y: frame.height - EDGE };
      if (worded && this.#scaled) disc.ground.text(corner, this.#radius, { fill: look.quiet, "font-size": 12 });
      // On a circle points are so many that their edges would hide them.
      disc.points(subject.arrays.y, group.points, { size: this.size, far: 0.62, edge: desk.dim === 2 ? 0 : 0.6 });
      this.#proxies(pointsOf(this.whole.frame, this.k, "proxies"));
    }
    disc.done();
  }

  /** @param {Packed | null} proxies */ #proxies(proxies) {
    if (!proxies || this.mapped) return;
    const { subject, group } = this.desk;
    const { trained } = subject.header;
    const [many, wide] = proxies.shape;
    /** @param {number} row */ const owner = (row) => trained[Math.floor((row * trained.length) / many)];
    const rows = [...Array(many).keys()].filter((row) => group.classes.includes(owner(row)));
    const at = rows.flatMap((row) => [...proxies.subarray(row * wide, (row + 1) * wide)]);
    this.disc.proxies(rows.map(owner), this.disc.project(at, wide));
  }

  /** What it shows in vectors, all of it, with its words, for export/sheet.js. */
  written() {
    const side = Math.min(this.width, this.height);
    const node = () => {
      const { middle, reach } = this.disc;
      this.disc.whole();
      this.#points({ width: side, height: side, edge: EDGE }, false);
      this.#mark();
      const group = this.disc.copy();
      this.disc.show(middle, reach);
      this.shown = null;
      this.#paint();
      return group;
    };
    const { tone: colour } = racerStyle(this.whole.look, this.k);
    const [letter, name, value] = [this.letter, this.name, this.value].map(({ textContent }) => textContent);
    const notes = this.note.hidden ? [] : broken(this.note.textContent.replace("⚠ ", "")).map((text) => ({ text }));
    const words = [value, ...(this.#scaled ? [this.#radius] : [])];
    return {
      head: [{ text: letter, colour, bold: true }, { text: name }],
      drawings: [{ node, width: side, height: side }],
      lines: [...words.map((text) => ({ text, colour: this.whole.look.quiet })), ...notes],
    };
  }

  #tip() {
    const { hovered, subject } = this.desk;
    const pointed = hovered != null && this.at && this.stage.matches(":hover, :focus");
    if (!pointed) return this.tooltip.hide();
    return this.tooltip.show(this.disc.pixel(hovered), subject, hovered, this.whole.look);
  }
}
