import { framed, inRow } from "../../runs/framed_images.js";
import { groupName, neighbours } from "../../runs/group.js";
import { paint } from "../../runs/image.js";
import { marker } from "../../draw/marker.js";
import { button, element, Panel } from "../../draw/panel.js";
import { rove } from "../../draw/rove.js";
import { look as lookOf } from "../../draw/look.js";

const COLUMNS = 14;
const [SIZE, GAP, FRAME] = [30, 4, 2]; // px of an image that is exported, between two, and of a frame
const MANY = 6; // classes from which on each has one line only

/** The images themselves, a row for each class; pointing at one points at its embedding, and the other way round. */
export class Gallery {
  follows = ["hover"];
  pixels = true; // for exports

  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("gallery", "Images");
    this.tiles = new Map();
    this.panel.picture.setAttribute("role", "group");
    /** @param {Event} event */ const pointed = (event) => {
      const tile = /** @type {Element} */ (event.target).closest("button");
      return tile ? Number(tile.dataset.point) : null;
    };
    /** @param {string} event @param {(event: Event) => void} act */
    const on = (event, act) => this.panel.picture.addEventListener(event, act);
    for (const event of ["pointerover", "focusin"]) on(event, (e) => desk.hover(pointed(e)));
    for (const event of ["pointerleave", "focusout"]) on(event, () => desk.hover(null));
    this.settle = rove(this.panel.picture, () => this.panel.picture.querySelector(".dml-tiles").children.length);
  }

  open() {
    const { subject, group, look } = this.desk;
    const each = group.classes.length > MANY ? COLUMNS : 2 * COLUMNS;
    this.tiles.clear();
    const rows = group.classes.map((c, k) => {
      const { colour, marker: symbol } = look.ofClass(c);
      const name = element("span", { class: "dml-name" }, marker(symbol, colour, 12), subject.header.classes[c]);
      const shown = group.members[k].slice(0, each);
      const tiles = shown.map((point) => this.#tile(point, colour, subject.header.classes[c]));
      return [name, element("div", { class: "dml-tiles" }, ...tiles)];
    });
    this.panel.picture.dataset.many = String(rows.length > COLUMNS);
    this.panel.picture.replaceChildren(...rows.flat());
    const which = `Images by class (${groupName(subject, group.name)}): ${rows.length} rows, one for each class.`;
    this.panel.picture.setAttribute("aria-label", `${which} Arrow keys go from image to image.`);
    this.settle();
  }

  draw() {
    const { active, hovered } = this.desk;
    const near = new Map(neighbours(this.desk, active).map(({ point, right }) => [point, right]));
    for (const [point, tile] of this.tiles) {
      const role = point === active ? "query" : near.has(point) ? (near.get(point) ? "right" : "wrong") : "";
      if (tile.dataset.role !== role) tile.dataset.role = role;
    }
    this.panel.picture.dataset.pointing = String(hovered != null);
  }

  /** Whether there is anything to see. */
  get ready() {
    return this.tiles.size > 0;
  }

  /** The rows of images, for export/sheet.js. */
  get sheet() {
    return () => ({
      width: this.panel.picture.clientWidth,
      columns: 1,
      cells: (/** @type {Look} */ { theme }) => this.#rows(theme),
    });
  }

  /** Which image is of which class. */
  table() {
    const { header, arrays } = this.desk.subject;
    return { columns: ["image", "class"], rows: [...this.tiles.keys()].map((point) => [point, header.classes[arrays.y[point]]]) };
  }

  /** @param {string} theme */ #rows(theme) {
    const { subject, group, look, palette } = this.desk;
    const drawn = lookOf(palette, theme);
    return group.classes.map((c, k) => {
      const { colour } = look.ofClass(c);
      const shown = group.members[k].filter((point) => this.tiles.has(point));
      const images = shown.map((point) => () => framed(subject, point, drawn, SIZE, { colour, width: FRAME }));
      return { head: [{ text: subject.header.classes[c], bold: true }], drawings: [inRow(images, SIZE, GAP)] };
    });
  }

  /** @param {number} point @param {string} colour @param {string} name */
  #tile(point, colour, name) {
    const canvas = element("canvas", { class: "dml-image" });
    paint(canvas, this.desk.subject, point, this.desk.look);
    const attributes = { class: "dml-thumb", "data-point": point, "aria-label": `${name}, image ${point}` };
    const tile = button(() => this.desk.select(point), attributes, canvas);
    tile.style.setProperty("--dml-class", colour);
    this.tiles.set(point, tile);
    return tile;
  }
}
