import { framed } from "../../runs/framed_images.js";
import { neighbours } from "../../runs/group.js";
import { noun, paint } from "../../runs/image.js";
import { button, element, key, Panel, say } from "../../draw/panel.js";
import { look as lookOf } from "../../draw/look.js";

const NEIGHBOURS = 8;
const [SIZE, FRAME] = [88, 3]; // px of an image that is exported, and of its frame

/** @typedef {{canvas: HTMLCanvasElement, text: HTMLElement, root: HTMLElement}} Tile */

/** A query image and its nearest neighbours, right and wrong ones distinguished by frame, mark and line style. */
export class Strip {
  follows = ["hover"];
  pixels = true; // for exports

  /** @param {RunDesk} desk */ constructor(desk) {
    this.desk = desk;
    this.panel = new Panel("strip", "Retrieval strip");
    this.query = this.#tile("dml-query");
    this.tiles = this.#row(this.query.root);
    this.byPixels = this.#row(element("span", { class: "dml-row-name" }, "compared pixel by pixel"));
    /** @param {string} text @param {string} label @param {number} by */
    const step = (text, label, by) => button(() => desk.select(desk.step(by)), { class: "dml-chip", "aria-label": label }, text);
    this.summary = key();
    this.panel.legend.append(this.summary, step("‹", "Previous query", -1), step("›", "Next query", 1));
  }

  draw() {
    const { subject, active, hovered, frame, look } = this.desk;
    if (active == null) return;
    const { scored } = this.desk;
    const near = scored ? neighbours(this.desk, active) : [];
    /** @param {number} point */ const name = (point) => subject.header.classes[subject.arrays.y[point]];
    const right = near.filter((one) => one.right).length;
    const which = `${name(active)}, ${noun(subject)} ${active}`;
    say(this.panel.title, `${hovered == null ? "Query" : "Pointed at"}: ${which}`);
    say(this.summary, scored ? `${right} of its ${near.length} nearest are right` : "The points of this step are not scored.");
    paint(this.query.canvas, subject, active, look);
    say(this.query.text, name(active));
    const { near_pixels: nearPixels, sets } = subject.arrays;
    /** @param {Tile[]} tiles @param {Neighbour[]} found */ const show = (tiles, found) =>
      tiles.forEach((tile, k) => {
        const one = found[k];
        tile.root.hidden = !one;
        if (!one) return;
        tile.root.dataset.right = String(one.right);
        paint(tile.canvas, subject, one.point, look);
        say(tile.text, `${one.right ? "✓" : "✗"} ${name(one.point)}`);
        tile.root.title = sets ? subject.header.sets[sets[one.point]] : "";
        tile.root.dataset.same = String(Boolean(sets) && sets[one.point] === sets[active]);
      });
    show(this.tiles, near);
    this.byPixels[0].root.parentElement.hidden = !nearPixels?.length;
    if (nearPixels?.length) show(this.byPixels, neighbours(this.desk, active, nearPixels));
    this.panel.describe(() => {
      const list = near.map((one) => `${name(one.point)} ${one.right ? "right" : "wrong"}`).join(", ");
      return `${which}, at step ${frame.header.step}; its ${near.length} nearest neighbours: ${list}.`;
    });
  }

  /** Whether it has been drawn. */
  get ready() {
    return this.desk.active != null;
  }

  /** The images as they are seen, for export/sheet.js. */
  get sheet() {
    /** @param {Look} look */ const cells = ({ theme }) => this.#cells(theme);
    return () => ({ width: this.panel.picture.clientWidth, columns: this.#near.length + 1, cells });
  }

  /** The query and its neighbours, the nearest first. */
  table() {
    const { subject, active } = this.desk;
    /** @param {number} point */ const name = (point) => subject.header.classes[subject.arrays.y[point]];
    const near = this.#near.map(({ point, right }, k) => [k + 1, point, name(point), right ? 1 : 0]);
    return { columns: ["rank", noun(subject), "class", "right"], rows: [[0, active, name(active), ""], ...near] };
  }

  get #near() {
    return neighbours(this.desk, this.desk.active).slice(0, NEIGHBOURS);
  }

  /** @param {string} theme */ #cells(theme) {
    const { subject, active, look, palette } = this.desk;
    const drawn = lookOf(palette, theme);
    /** @param {number} point @param {string} mark @param {{colour: string, dash?: string}} frame */
    const cell = (point, mark, frame) => {
      const node = () => framed(subject, point, drawn, SIZE, { width: FRAME, ...frame });
      const text = `${mark}${subject.header.classes[subject.arrays.y[point]]}`;
      return { drawings: [{ node, width: SIZE, height: SIZE }], lines: [{ text }] };
    };
    const near = this.#near.map(({ point, right }) =>
      right ? cell(point, "✓ ", { colour: look.positive }) : cell(point, "✗ ", { colour: look.negative, dash: "6 4" })
    );
    return [cell(active, "", { colour: look.ink }), ...near];
  }

  /** A row of `first` and tiles of neighbours after it; the tiles. @param {Node} first */
  #row(first) {
    const tiles = Array.from({ length: NEIGHBOURS }, () => this.#tile());
    const arrow = element("span", { class: "dml-arrow", "aria-hidden": "true" }, "→");
    this.panel.picture.append(element("div", { class: "dml-row" }, first, arrow, ...tiles.map(({ root }) => root)));
    return tiles;
  }

  #tile(kind = "") {
    const canvas = element("canvas", { class: "dml-image" });
    const text = element("figcaption");
    return { canvas, text, root: element("figure", { class: `dml-tile ${kind}` }, canvas, text) };
  }
}
