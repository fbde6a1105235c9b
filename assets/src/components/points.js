import { ExportMenu } from "../export/menu.js";
import { axesOf, classKey } from "../export/pictures.js";
import { SheetPicture } from "../export/sheet.js";
import { attempt, fetched } from "../host/attempt.js";
import { component } from "../host/mount.js";
import { applyTheme } from "../host/theme.js";
import { renderNearest } from "../runs/nearest_rows.js";
import { decode } from "../runs/packing.js";
import { PICTURED, RowAnswers } from "../runs/row_answers.js";
import { putNextTo } from "../runs/tooltip.js";
import { Cloud, IN_FILES } from "../draw/cloud.js";
import { mix } from "../draw/look.js";
import { mark, marker } from "../draw/marker.js";
import { button, element, key, say } from "../draw/panel.js";
import { svgNode } from "../draw/svg.js";
import { apart, count, MAP, placeIn } from "../draw/words.js";

/** @typedef {Message<PointsData>} PointsMessage */
/** @typedef {{k: number, disc: Cloud, file: FilePoints, y: Packed, right?: Packed, looks?: Packed, tip: HTMLElement,
 *   box: HTMLElement, rows: RowAnswers}} Cell */

const NO_QUERY = 255; // as in dml_viz/explain/your_data/all_rows.py
const CROWD = 16; // classes, beyond which no legend helps
const NAMED = 2000; // classes whose names the search offers
const [LEAST, MOST] = [240, 700]; // px of a picture in a file
const REST = 120; // ms at rest, after which the nearest rows of a row and the images of those in sight are asked for
const DIFFERS = 0.1; // between the shares of right neighbours in a picture and in all dimensions
const [NEAREST, LOOKS] = ["nearest of its class", "looks like"]; // columns of the table
/** @type {{file: FilePoints | null, y: Packed | null}} */ const NOTHING = { file: null, y: null };
const COLOURS = { class: "class", looks: "suspected labels", right: "nearest rows" };

/** All rows of one file or of two as points, coloured by their class or by what their nearest rows say. */
class Points {
  /** @type {Look | null} */ look = null;
  /** @type {Cell[]} */ cells = [];
  /** @type {string | null} */ chosen = null; // the name of a class that alone is not pale
  /** @type {ExportMenu | null} */ menu = null;
  by = "class";
  /** @type {{k: number, row: number} | null} */ pinned = null;

  /** @param {Host} host */ constructor(host) {
    const choices = Object.entries(COLOURS).map(([value, text]) => element("option", { value }, text));
    const colour = (/** @type {Event} */ { target }) => this.#colourBy(/** @type {HTMLSelectElement} */ (target).value);
    this.colours = element("select", { onchange: colour, "aria-label": "Colour by" }, ...choices);
    this.names = element("datalist", { id: `dml-names-${Math.random().toString(36).slice(2)}` });
    const find = (/** @type {Event} */ { target }) => this.#find(/** @type {HTMLInputElement} */ (target).value.trim());
    const what = "Find a class or a row";
    const asked = { type: "search", list: this.names.id, placeholder: what, "aria-label": what };
    this.search = element("input", { ...asked, onchange: find });
    /** @param {string} sign @param {string} title @param {(disc: Cloud) => void} act */
    const tool = (sign, title, act) =>
      button(() => this.cells.forEach(({ disc }) => act(disc)), { title, "aria-label": title }, sign);
    this.bar = element(
      "div",
      { class: "dml-points-bar" },
      element("label", {}, "Colour by ", this.colours),
      this.search,
      this.names,
      tool("+", "Zoom in", (disc) => disc.zoom(1.5)),
      tool("−", "Zoom out", (disc) => disc.zoom(1 / 1.5)),
      tool("⤢", "Show all", (disc) => disc.whole()),
    );
    this.grid = element("div", { class: "dml-points-grid" });
    this.legend = element("div", { class: "dml-points-legend" });
    this.status = element("p", { role: "status" });
    this.nearest = element("div", { class: "dml-points-near", hidden: true });
    this.note = element("p", { class: "dml-points-note" });
    this.root = element("div", { class: "dml-points" }, this.bar, this.grid, this.legend, this.status, this.nearest, this.note);
    host.append(this.root);
    this.host = host;
  }

  /** @param {Given<PointsData | Uint8Array>} given */ update(given) {
    const { data } = given;
    this.given = given;
    if (data instanceof Uint8Array) this.#open(decode(data));
    else if (data.source === this.source) this.#paint(data);
    else this.#fetch(data);
  }

  close() {
    clearTimeout(this.resting);
    clearTimeout(this.joining);
    this.menu?.remove();
    this.cells.forEach(({ disc }) => disc.close());
  }

  /** @param {PointsData} data */ async #fetch(data) {
    const { source } = data;
    this.source = source;
    const wanted = () => this.source === source && this.root.isConnected;
    /** @param {number} failures @param {AbortSignal} signal */ const ask = async (failures, signal) => {
      if (failures === 1) this.given.setTriggerValue("stale", source); // the server may have forgotten what it offered
      return (await fetched(new URL(source, document.baseURI), signal)).arrayBuffer();
    };
    const bytes = await attempt(ask, (words) => say(this.status, words), { what: "The picture of all rows", wanted });
    if (!bytes || !wanted()) return;
    /** @type {PointsMessage} */ const { header, arrays } = decode(bytes);
    this.#open({ header: { ...header, ...data }, arrays });
  }

  /** Takes up files; those that were shown before keep what is seen of them. @param {PointsMessage} message */
  #open({ header, arrays }) {
    const before = this.cells;
    this.cells = header.files.map((file, k) => {
      const [places, y, right, looks] = ["places", "y", "right", "looks"].map((name) => arrays[`${k}.${name}`]);
      const cell = before[k] ?? this.#cell(k);
      const { rows } = cell.disc;
      const known = rows.length === places.length && rows.every((value, at) => value === places[at]);
      Object.assign(cell, { file, y, right, looks });
      cell.rows.ask(this.source, k);
      say(/** @type {Node} */ (cell.box.firstChild), `${file.title}: ${wordsOf(cell)}`);
      cell.disc.root.setAttribute(
        "aria-label",
        `${file.title}. Arrow keys move or turn, + and − zoom, n and p step, Enter lists the nearest rows, 0 shows all.`,
      );
      if (!known) cell.disc.take(places);
      this.#inSight(cell);
      return cell;
    });
    for (const { disc, box } of before.slice(header.files.length)) {
      disc.close();
      box.remove();
    }
    const names = new Set(header.files.flatMap(({ names }) => [...names]));
    if (!names.has(this.chosen)) this.chosen = null;
    if (this.pinned && !(this.pinned.row < (this.cells[this.pinned.k]?.disc.count ?? 0))) this.#pin(null);
    this.names.replaceChildren(...[...names].slice(0, NAMED).map((value) => element("option", { value })));
    const ranked = header.files.every(({ near }) => near);
    for (const option of this.colours.options) option.disabled = option.value !== "class" && !ranked;
    if (!ranked) this.by = this.colours.value = "class";
    const many = this.cells.some(({ disc }) => disc.count > IN_FILES);
    say(
      this.note,
      `Drag to move, + and − or Ctrl and the wheel to zoom; a click lists the nearest rows. Files hold ${
        many ? "these points as an image" : "each point in vectors"
      }: more than ${count(IN_FILES)} in a picture are an image.`,
    );
    this.#paint(header);
  }

  /** @param {number} k @returns {Cell} */ #cell(k) {
    const disc = new Cloud((point) => this.#point(k, point), (point) => this.#pin(point === null ? null : { k, row: point }));
    const tip = element("div", { class: "dml-tooltip", "aria-hidden": "true", hidden: true });
    disc.root.append(tip);
    const box = element("figure", {}, element("figcaption"), disc.root);
    this.grid.append(box);
    const cell = { k, disc, tip, box, rows: new RowAnswers(), ...NOTHING };
    disc.onView = () => this.#inSight(cell);
    return cell;
  }

  /** @param {PointsData} data */ #paint(data) {
    this.data = data;
    applyTheme(this, data);
    if (!this.cells.length) return;
    for (const cell of this.cells) cell.disc.colour(this.#paintOf(cell), this.look);
    this.#explain();
    if (data.recipe) this.menu ??= this.#offer();
  }

  /** The classes of all files: what has one name has one colour in all of them. */
  get #names() {
    return [...new Set(this.cells.flatMap(({ file }) => [...file.names]))];
  }

  /** @param {Cell} cell @returns {import("../draw/cloud.js").Paint} */ #paintOf({ file, y, right, looks }) {
    const { look, by, chosen } = this;
    const only = chosen === null ? -1 : file.names.indexOf(chosen);
    const pale = only >= 0 || by === "looks"
      ? Uint8Array.from(y, (c, i) => Number((only >= 0 && c !== only) || (by === "looks" && !looks[i])))
      : null;
    if (by === "right") {
      return { kindOf: right, pale, ofKind: (share) => ({ colour: this.#colourOf(share, file.near), marker: "circle" }) };
    }
    const none = { colour: look.quiet, marker: "circle" };
    const all = this.#names;
    const kinds = file.names.map((name) => all.indexOf(name));
    if (by === "looks") {
      const kindOf = Int32Array.from(looks, (c) => (c ? kinds[c - 1] + 1 : 0));
      return { kindOf, pale, ofKind: (c) => (c ? look.ofClass(c - 1) : none) };
    }
    return { kindOf: Int32Array.from(y, (c) => kinds[c]), pale, ofKind: look.ofClass };
  }

  /** @param {number} right @param {number} near */ #colourOf(right, near) {
    const { positive, negative, quiet } = this.look;
    return right === NO_QUERY ? quiet : mix(positive, negative, right / near);
  }

  /** @param {string} by */ #colourBy(by) {
    this.by = by;
    this.#paint(this.data);
  }

  #key() {
    const [{ file }] = this.cells;
    if (this.by === "right") {
      return [0, 0.5, 1].map((share) => {
        const fill = this.#colourOf(share * file.near, file.near);
        const text = `${Math.round(100 * share)} % of ${file.near} nearest rows of its class`;
        return { text, colour: fill, symbol: "circle", sign: () => svgNode("path", { d: mark("circle", 0, 0, 6), fill }) };
      });
    }
    const names = this.#names;
    const classes = names.length > CROWD ? [] : names.map((name, c) => /** @type {[number, string]} */ ([c, name]));
    return classKey(classes, this.look, false).map((entry, c) => {
      const { colour, marker: symbol } = this.look.ofClass(c);
      return { ...entry, colour, symbol, text: this.by === "looks" ? `looks like ${entry.text}` : entry.text };
    });
  }

  // The key and, where they add something, the words below the pictures.
  #explain() {
    this.legend.replaceChildren(...this.#key().map(({ colour, symbol, text }) => key(marker(symbol, colour), text)));
    /** @param {(cell: Cell) => number} of */ const counts = (of) => this.cells.map((cell) => count(of(cell))).join(" and ");
    const alone = this.chosen === null ? "" : `${this.chosen} alone: ${counts((cell) => this.#rowsOf(cell).length)} rows. `;
    const seen = {
      class: () => "",
      looks: () => `${counts(({ looks }) => looks.filter(Boolean).length)} rows look like another class.`,
      right: () => `${counts(({ right }) => right.filter((n) => !n).length)} rows have none of their class among their nearest.`,
    };
    say(this.status, alone + seen[/** @type {keyof typeof COLOURS} */ (this.by)]());
  }

  /** @param {Cell} cell */ #rowsOf({ file, y }) {
    const only = file.names.indexOf(this.chosen);
    return [...y.keys()].filter((i) => y[i] === only);
  }

  /** @param {string} words */ #find(words) {
    const exact = words.replaceAll("<", "‹").replaceAll(">", "›"); // as files' names are shown
    const [small, names] = [exact.toLowerCase(), this.#names];
    const name = names.find((each) => each === exact) ??
      names.find((each) => each.toLowerCase() === small) ??
      names.find((each) => each.toLowerCase().startsWith(small)) ??
      names.find((each) => each.toLowerCase().includes(small));
    const row = Number(/^(?:row )?(\d+)$/.exec(small)?.[1] ?? NaN);
    const there = this.cells.filter(({ disc }) => row < disc.count);
    if (words && name === undefined && !there.length) return say(this.status, `No class or row is called ${words}.`);
    this.chosen = words && name !== undefined ? name : null;
    this.#paint(this.data);
    for (const cell of this.cells) {
      if (!words) cell.disc.whole();
      else if (name !== undefined) cell.disc.zoomTo(this.#rowsOf(cell));
      else if (row < cell.disc.count) {
        cell.disc.zoomTo([row]);
        this.#point(cell.k, cell.disc.lit = row);
      }
    }
  }

  /** Shows a class alone, or all again if it is. @param {string} name */ #choose(name) {
    this.chosen = name === this.chosen ? null : name;
    this.search.value = this.chosen ?? "";
    this.#paint(this.data);
    this.#pin(this.pinned);
  }

  /** Shows the rows in sight by their images, once there are few and the picture rests. @param {Cell} cell */ #inSight(cell) {
    const { disc, rows: images } = cell;
    clearTimeout(this.resting);
    if (!cell.file?.images) return;
    this.resting = setTimeout(async () => {
      const rows = disc.inSight(PICTURED);
      await images.picture(rows);
      disc.depict(images.of(rows));
    }, REST);
  }

  /** Lists the nearest rows of a row until another is clicked. @param {{k: number, row: number} | null} pinned */
  async #pin(pinned) {
    this.pinned = pinned;
    this.nearest.hidden = !pinned;
    if (!pinned) return;
    const cell = this.cells[pinned.k];
    const { file, y, rows: answers, disc } = cell;
    const near = await answers.nearest(pinned.row);
    if (file.images) await answers.picture([pinned.row, ...(near?.rows ?? [])]);
    if (this.pinned !== pinned) return;
    const name = file.names.length > 1 ? file.names[y[pinned.row]] : "";
    renderNearest(this.nearest, {
      ...pinned,
      near,
      imageOf: (row) => answers.images.get(row),
      nameOf: (row) => name && file.names[y[row]],
      show: (row) => {
        disc.lit = row;
        disc.redraw();
        this.#pin({ ...pinned, row });
      },
      alone: this.chosen === name,
      choose: () => this.#choose(name),
      close: () => this.#pin(null),
    });
  }

  /** Draws lines from a row that rests under the pointer to its nearest rows. @param {Cell} cell @param {number | null} row */
  #join(cell, row) {
    clearTimeout(this.joining);
    cell.disc.join(null);
    if (row === null) return;
    this.joining = setTimeout(async () => {
      const near = await cell.rows.nearest(row);
      if (near && cell.disc.lit === row) {
        cell.disc.join(near.rows.map((other) => ({ other, right: cell.y[other] === cell.y[row] })));
      }
    }, REST);
  }

  /** @param {number} k @param {number | null} point */ #point(k, point) {
    const { disc, tip } = this.cells[k];
    tip.hidden = point === null || !disc.pixel(point).inside;
    this.#join(this.cells[k], point);
    if (point === null) return this.#explain();
    const words = this.#rowWords(this.cells[k], point);
    say(tip, words);
    say(this.status, words);
    putNextTo(tip, disc.pixel(point), disc.root.clientWidth);
  }

  /** @param {Cell} cell @param {number} i */ #rowWords({ file, y, right, looks }, i) {
    const near = right && right[i] !== NO_QUERY ? `, ${right[i]} of its ${file.near} nearest rows are of its class` : "";
    return `row ${i}: ${apart(file.names[y[i]])}${near}${looks?.[i] ? `; it looks like ${apart(file.names[looks[i] - 1])}` : ""}`;
  }

  #offer() {
    const about = () => {
      const { palette, recipe } = this.data;
      const words = this.cells.map((cell) => `${cell.file.title}: ${wordsOf(cell)}`).join("; ");
      const seen = { words: `All rows as points. ${words}.`, key: this.#key(), table: () => tableOf(this.cells) };
      return { palette, theme: this.look.theme, recipe, ...seen };
    };
    const cells = () =>
      this.cells.map(({ disc, file }) => {
        const side = Math.min(disc.root.clientWidth, disc.root.clientHeight);
        return {
          head: [{ text: file.title, bold: true }],
          drawings: [{ node: () => disc.written(side), width: side, height: side }],
        };
      });
    const picture = new SheetPicture(() => ({ width: this.grid.clientWidth, least: LEAST, most: MOST, cells }), about);
    Object.assign(picture, { pixels: this.cells.some(({ disc }) => disc.count > IN_FILES) });
    picture.isDrawn = () => this.cells.every(({ disc }) => disc.root.dataset.drawn && disc.settled);
    return new ExportMenu(this.root, picture);
  }
}

/** Every row: its place in the picture, and what its nearest rows say.
 * @param {Pick<Cell, "disc" | "file" | "y" | "right" | "looks">[]} cells */
export function tableOf(cells) {
  const axes = axesOf(Math.max(...cells.map(({ disc }) => disc.rows.shape[1])));
  const rows = cells.flatMap(({ disc, file, y, right, looks }) => {
    const [n, wide] = disc.rows.shape;
    return Array.from({ length: n }, (_, i) => [
      file.title,
      i,
      file.names[y[i]],
      ...axes.map((_, axis) => axis < wide ? disc.rows[wide * i + axis] : ""),
      right && right[i] !== NO_QUERY ? right[i] : "",
      looks?.[i] ? file.names[looks[i] - 1] : "",
    ]);
  });
  const places = new Set(cells.map(({ file: { dim, picture } }) => placeIn(picture === "map" ? MAP : picture, dim)));
  const near = new Set(cells.map(({ file }) => file.near));
  const notes = [
    "column file: title of the file",
    "column row: number of the row in its file, from 0",
    ...axes.map((axis) => `column ${axis}: ${[...places].join("; ")}`),
    `column ${NEAREST}: how many of its ${[...near].join(" or ")} known nearest rows are of its class`,
    `column ${LOOKS}: the other class on which its nearest rows agree, if they do`,
  ];
  return { columns: ["file", "row", "class", ...axes, NEAREST, LOOKS], rows, notes };
}

/** @param {{file: FilePoints, y: Packed}} cell */ function wordsOf({ file, y }) {
  const { dim, right, share } = file;
  const classes = file.names.length > 1 ? `of ${count(file.names.length)} classes` : "without labels";
  const words = `${count(y.length)} rows ${classes}`;
  if (dim <= 3) return words;
  if (!share) return `${words}, all of them one point: none has a nearest row`;
  const where = file.picture === "map" ? "map" : "plane";
  const seen = where === "map"
    ? `${words}, a ${MAP}`
    : `${words}, ${Math.round(100 * share)} % of the variance of ${dim} dimensions`;
  if (!right) return seen;
  const [whole, here] = right;
  const more = Math.abs(here - whole) > DIFFERS ? `. The ${where} shows ${here > whole ? "more" : "less"} than there is` : "";
  return `${seen}. Nearest row right: ${whole.toFixed(2)} in ${dim} dimensions, ${here.toFixed(2)} in this ${where}${more}`;
}

export const { mount, unmount } = component(Points, "points.css");
