import { WrittenContext, WrittenPath } from "../kit/written_context.js";
import { SHAPES } from "../kit/marker.js";
import { element, say } from "../kit/panel.js";
import { nearest } from "../kit/nearest.js";
import { Pointer } from "../kit/pointer.js";
import { nameOf, proxiesOf, viewOf } from "./data.js";
import { dressRacer, racerStyle } from "./style.js";
import { graticule } from "../kit/sphere.js";
import { Tooltip } from "../kit/tooltip.js";
import { broken, count, score } from "../kit/words.js";

const REACH = 14; // pixels from which a point is picked
const EDGE = 3; // pixels kept free around the picture
const BEHIND = -0.02;
const WHOLE = 2 * Math.PI;

/** One racer's embedding: the same points, group, camera and scale as in all others. */
export class RaceCell {
  constructor(desk, field, k) {
    this.desk = desk;
    this.field = field;
    this.k = k;
    this.letter = element("b", { class: "dml-letter" });
    this.name = element("span", { class: "dml-racer-name" });
    this.recall = element("b");
    this.value = element("span", { class: "dml-racer-value" }, element("span", {}, "R@1 "), this.recall);
    this.canvas = element("canvas", { class: "dml-cell-canvas", role: "img" });
    this.stage = element("div", { class: "dml-stage", tabindex: 0, role: "group" }, this.canvas);
    this.note = element("p", { class: "dml-cell-note" });
    const head = element("div", { class: "dml-cell-head" }, this.letter, this.name, this.value);
    this.root = element("div", { class: "dml-cell" }, head, this.stage, this.note);
    this.tooltip = new Tooltip(this.stage);
    // What Pointer asks of an embedding.
    this.panel = { picture: this.canvas };
    this.chart = { where: (event) => this.#where(event) };
    this.pointer = new Pointer(this);
  }

  open() {
    const { look, subject } = this.desk;
    const { members: racers } = subject.header;
    const racer = racers[this.k];
    const name = nameOf(racers, this.k);
    dressRacer(this.root, look, this.k);
    say(this.letter, racer.letter);
    say(this.name, name);
    this.name.title = name;
    this.value.title = subject.header.seeds > 1 ? "of the first seed, which is the one drawn" : "";
    const turn = this.desk.solid ? "Arrow keys rotate all; n and p step through the points" : "Arrow keys step";
    this.stage.setAttribute("aria-label", `${racer.letter}, ${racer.title}. ${turn}; Enter holds one.`);
    this.stage.classList.toggle("dml-solid", this.desk.solid);
  }

  rotate(right, down) {
    this.field.camera.rotate(right, down);
    this.desk.redraw("turn");
  }

  /** The point under a pointer event, front side first; null where there is none within reach. */
  pick(event) {
    const place = this.#where(event);
    if (!place || !this.at) return null;
    const { x, y } = this.at;
    const cost = (i) => Math.hypot(x[i] - place.x, y[i] - place.y) + (this.#behind(i) ? 6 * place.unit : 0);
    return nearest(this.desk.group.points, cost, REACH * place.unit);
  }

  draw() {
    const { frame, history, subject, group } = this.desk;
    const racer = frame.header.members[this.k];
    this.#say(racer);
    this.at = racer.there ? this.field.project(viewOf(frame, this.k)) : null;
    this.#paint();
    const row = history.row(frame.header.step);
    // Of the seed that is drawn: the mean over all is in the curves and the table.
    const r1 = history.at(`${this.k}.0.r1.${group.name}`, row);
    say(this.recall, racer.there ? score(r1) : "–");
    const { letter, title } = subject.header.members[this.k];
    this.canvas.setAttribute(
      "aria-label",
      racer.there
        ? `${letter}, ${title}: ${group.points.length} images of ${group.classes.length} classes at step ` +
          `${frame.header.step}, R@1 ${score(r1)}.`
        : `${letter}, ${title}: not yet under way.`,
    );
    this.#tip();
  }

  /** How far the points reach from the centre. */
  get reach() {
    const { x, y } = this.at ?? { x: [], y: [] };
    return this.desk.group.points.reduce((far, i) => Math.max(far, Math.abs(x[i] ?? 0), Math.abs(y[i] ?? 0)), 0);
  }

  #say({ there, notes }) {
    const { members: racers } = this.desk.subject.header;
    const failed = this.desk.frame.header.members[this.k].failed;
    const { branch } = racers[this.k];
    const waits = there ? "" : `leaves ${racers[branch?.[1] ?? 0].letter} at step ${count(branch?.[0] ?? 0)}`;
    const words = waits || failed[0] || notes[0] || "";
    say(this.note, words && !waits ? `⚠ ${words}` : words);
    this.note.hidden = !words;
  }

  #paint() {
    const { width, height } = this.canvas.getBoundingClientRect();
    const sharp = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(width * sharp), Math.round(height * sharp)];
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h });
    this.unit = Math.max(1, Math.min(width, height) / 2 - EDGE) / this.field.bound;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.translate(width / 2, height / 2);
    this.#drawOn(pen);
  }

  /** @param {any} pen @param {any} Path */
  #drawOn(pen, Path = Path2D) {
    if (!this.desk.flat) this.#ground(pen);
    if (this.at) this.#points(pen, Math.max(2.2, Math.min(4.2, this.unit / 34)), Path);
  }

  /** What it shows in vectors, with its words, for export/sheet.js. */
  written() {
    const side = Math.min(this.canvas.clientWidth, this.canvas.clientHeight);
    const node = () => {
      const pen = new WrittenContext();
      this.#drawOn(pen, WrittenPath);
      return pen.at(side / 2, side / 2);
    };
    const { tone: colour } = racerStyle(this.desk.look, this.k);
    const [letter, name, value] = [this.letter, this.name, this.value].map(({ textContent }) => textContent);
    const notes = this.note.hidden ? [] : broken(this.note.textContent.replace("⚠ ", "")).map((text) => ({ text }));
    return {
      head: [{ text: letter, colour, bold: true }, { text: name }],
      drawings: [{ node, width: side, height: side }],
      lines: [{ text: value, colour: this.desk.look.quiet }, ...notes],
    };
  }

  #ground(pen) {
    const { look } = this.desk;
    pen.lineWidth = 1;
    if (this.desk.solid) {
      const { front } = graticule(this.field.camera);
      pen.strokeStyle = look.faint;
      pen.beginPath();
      let pending = true;
      for (let i = 0; i < front.x.length; i += 1) {
        const [x, y] = [front.x[i] * this.unit, -front.y[i] * this.unit];
        if (Number.isNaN(x)) pending = true;
        else if (pending) pending = pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      pen.stroke();
    }
    pen.strokeStyle = look.quiet;
    pen.beginPath();
    pen.arc(0, 0, this.unit, 0, WHOLE);
    pen.stroke();
  }

  #points(pen, size, Path) {
    const { look, group, subject, frame, hovered, query } = this.desk;
    const layers = this.desk.solid ? [true, false] : [false];
    for (const far of layers) {
      pen.globalAlpha = far ? 0.3 : 0.9;
      group.members.forEach((members, place) => {
        const { colour, marker } = look.ofClass(group.classes[place]);
        const shown = members.filter((i) => this.#behind(i) === far);
        this.#markers(pen, shown, this.at, marker, far ? size * 0.62 : size, colour, look.edge, Path);
      });
    }
    pen.globalAlpha = 1;
    const proxies = proxiesOf(frame, this.k);
    if (proxies) {
      const at = this.field.project(proxies);
      const { trained } = subject.header;
      const each = proxies.shape[0] / trained.length;
      trained.forEach((label, place) => {
        const rows = Array.from({ length: each }, (_, row) => place * each + row).filter(
          (row) => !this.desk.solid || at.depth[row] >= BEHIND,
        );
        if (group.classes.includes(label)) {
          this.#markers(pen, rows, at, "star", size * 2, look.ofClass(label).colour, look.ink, Path);
        }
      });
    }
    const lit = hovered ?? query;
    if (lit != null && group.has(lit)) this.#mark(pen, lit, size);
  }

  // The point that is held: the same image in every panel.
  #mark(pen, lit, size) {
    const { look } = this.desk;
    const [x, y] = [this.at.x[lit] * this.unit, -this.at.y[lit] * this.unit];
    pen.globalAlpha = this.#behind(lit) ? 0.5 : 1;
    pen.strokeStyle = look.paper;
    pen.lineWidth = 4.5;
    pen.beginPath();
    pen.arc(x, y, size + 4.5, 0, WHOLE);
    pen.stroke();
    pen.strokeStyle = look.ink;
    pen.lineWidth = 2;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  #markers(pen, rows, at, marker, size, colour, edge, Path) {
    if (!rows.length) return;
    const corners = SHAPES[marker] ?? SHAPES.circle;
    const path = new Path();
    for (const i of rows) {
      const [x, y] = [at.x[i] * this.unit, -at.y[i] * this.unit];
      if (marker === "circle") {
        path.moveTo(x + size, y);
        path.arc(x, y, size, 0, WHOLE);
        continue;
      }
      corners.forEach(([cx, cy], corner) => {
        if (corner) path.lineTo(x + cx * size, y + cy * size);
        else path.moveTo(x + cx * size, y + cy * size);
      });
      path.closePath();
    }
    pen.fillStyle = colour;
    pen.fill(path);
    if (this.desk.dim === 2) return; // on a circle points overlap so much that their edges hide them
    pen.strokeStyle = edge;
    pen.lineWidth = 0.6;
    pen.stroke(path);
  }

  #behind(i) {
    return this.desk.solid && this.at.depth[i] < BEHIND;
  }

  #where(event) {
    if (!this.unit) return null;
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2];
    return { x: x / this.unit, y: -y / this.unit, unit: 1 / this.unit };
  }

  #tip() {
    const { hovered, subject, look } = this.desk;
    const pointed = hovered != null && this.at && this.stage.matches(":hover, :focus");
    if (!pointed) return this.tooltip.hide();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const [x, y] = [width / 2 + this.at.x[hovered] * this.unit, height / 2 - this.at.y[hovered] * this.unit];
    return this.tooltip.show({ x, y, inside: true }, subject, hovered, look);
  }
}
