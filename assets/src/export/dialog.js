import declared from "./declared.js";
import { make, shared } from "./files.js";
import { bounded, sizeOf, typed, UNITS } from "./sizes.js";
import { save } from "../draw/save.js";
import { button, element, say } from "../draw/panel.js";

const PIXELS = 96; // to the inch
const WAIT = 250; // ms from the last change to the next preview
const FREE = "free"; // a size of one's own
const WORDS = [5, declared.mostPoints]; // pt
/** @type {Record<string, {label: string, width?: number, height?: number, points: number, outlines?: boolean}>} */
const PRESETS = {
  one: { label: "One column, 3.3 in", width: 3.3, height: null, points: 8 },
  two: { label: "Two columns, 6.9 in", width: 6.9, height: null, points: 8 },
  // Programs for slides read no fonts inside an SVG.
  slide: { label: "Slide, 16:9", width: 13.333, height: 7.5, points: 18, outlines: true },
  poster: { label: "Poster, 24 × 18 in", width: 24, height: 18, points: 32, outlines: true },
  [FREE]: { label: "Another size…", points: 8 },
};
const FONTS = { sans: "Sans (DML Sans)", serif: "Serif (DML Serif)", modern: "Computer Modern" };
const ELSE = "EPS: pdftops -eps figure.pdf. TikZ: svg2tikz figure.svg. This app writes neither.";
const PREVIEW = { writer: "svg", type: "image/svg+xml" };
const SCALE = 3; // of pixels
const PALETTES = { light: "Light", dark: "Dark", grey: "Greys that print apart" };

/** Words in a box to be copied by hand, where the clipboard is out of reach.
 * @param {string} title @param {string} words @param {HTMLElement} from */
export function showForCopying(title, words, from) {
  const area = element("textarea", { readonly: true, "aria-label": title });
  area.value = words;
  const acts = element("div", { class: "dml-write-up-acts" }, button(() => box.close(), {}, "Close"));
  const box = openDialog(title, from, [area, acts]);
  area.select();
}

/** The dialog for a picture at a fixed size, with a preview of exactly that. Without a button to go `back` to it is a part of the
 * page, with `more` controls, which begins with `options` and calls `changed` with those that are chosen. */
export class ExportDialog {
  #serial = 0;
  /** @type {string[]} */ notes = []; // on options that are not as typed

  /** @param {AnyPicture} picture @param {HTMLElement} from @param {HTMLButtonElement} back @param {DialogSettings} settings */
  constructor(picture, from, back, { more = [], options = null, changed = (_) => {} } = {}) {
    this.picture = picture;
    this.changed = changed;
    const sizes = Object.fromEntries(Object.entries(PRESETS).map(([name, { label }]) => [name, label]));
    /** @param {string | number} value @param {Attributes} more */
    const number = (value, more) => element("input", { type: "number", value, ...more });
    /** @param {string} words @param {HTMLElement} control */
    const tick = (words, control) => element("label", { class: "dml-line" }, control, words);
    const box = (more = {}) => element("input", { type: "checkbox", ...more });
    this.size = select(sizes, "one");
    this.width = number(80, { step: "any" });
    this.height = number("", { step: "any", placeholder: "as needed" });
    this.typedIn = "mm"; // the unit of both
    this.unit = select({ mm: "mm", in: "inches" }, this.typedIn);
    this.font = select(FONTS, "serif");
    this.palette = select(PALETTES, "light");
    this.points = number(PRESETS.one.points, { min: WORDS[0], max: WORDS[1], step: 0.5 });
    this.line = number(1, { min: declared.line[0], max: declared.line[1], step: 0.1 });
    this.title = box();
    this.legend = box({ checked: true });
    this.clear = box();
    this.outlines = box();
    this.note = element("p", { class: "dml-write-up-note" });
    this.status = element("p", { class: "dml-write-up-note", role: "status" });
    this.image = element("img", { alt: "" });
    const formats = shared("formats").filter(({ drawn, writer }) => drawn || (!back && writer === "html"));
    /** @param {string} words @param {HTMLElement} control */
    const label = (words, control) => element("label", {}, words, control);
    /** @param {string} kind @param {...Node} nodes */
    const row = (kind, ...nodes) => element("div", { class: `dml-${kind}` }, ...nodes);
    this.free = row("triple", label("Width", this.width), label("Height", this.height), label("Unit", this.unit));
    this.free.hidden = true;
    /** @type {HTMLElement[]} */ const rail = [
      label("Size", this.size),
      this.free,
      ...more.map(([words, control]) => label(words, control)),
      label("Font", this.font),
      row("pair", label("Words, pt", this.points), label("Lines, times", this.line)),
      label("Palette", this.palette),
      row("pair", tick("Title", this.title), tick("Legend", this.legend)),
      tick("Transparent ground", this.clear),
      tick("Words as outlines in SVG, for programs without the fonts", this.outlines),
      row("write-up-acts", ...formats.map((format) => button(() => this.#save(format), {}, format.label))),
      this.status,
      element("p", { class: "dml-write-up-note" }, ELSE),
      ...(back ? [row("write-up-acts", button(() => /** @type {HTMLDialogElement} */ (this.box).close(), {}, "Close"))] : []),
    ];
    const preview = row("write-up-preview", this.note, this.image);
    this.box = back
      ? openDialog("For a write-up", from, rail, preview)
      : from.appendChild(element("div", { class: "dml-write-up dml-in-page" }, formOf(rail, [preview])));
    if (options) this.setOptions(options);
    this.box.addEventListener("input", ({ target }) => this.#changed(target));
    this.box.addEventListener("close", () => {
      this.close();
      back.focus();
    });
    this.redraw();
  }

  /** Gives up the preview, which would stay in the browser's memory. */
  close() {
    this.#giveUp();
    URL.revokeObjectURL(this.image.src);
  }

  // Gives up the next preview, and what has not been told yet, for newer ones.
  #giveUp() {
    clearTimeout(this.waiting);
    clearTimeout(this.telling);
  }

  /** Draws the preview anew. */
  redraw() {
    clearTimeout(this.waiting);
    this.#busy(true);
    this.waiting = setTimeout(() => this.#preview(), 0);
  }

  /** Sets the controls as `options` has them; a change that has not been told yet is given up. @param {ExportOptions} options */
  setOptions(options) {
    this.#giveUp();
    const preset = Object.entries(PRESETS).find(([, { width, height }]) => width === options.width && height === options.height);
    this.size.value = preset?.[0] ?? FREE;
    this.free.hidden = Boolean(preset);
    /** @param {number} inches */ const length = (inches) => (inches ? String(typed(inches, this.typedIn)) : "");
    if (!preset) [this.width.value, this.height.value] = [length(options.width), length(options.height)];
    for (const name of /** @type {const} */ (["font", "palette", "points", "line"])) this[name].value = String(options[name]);
    for (const name of /** @type {const} */ (["title", "legend"])) this[name].checked = options[name];
    this.clear.checked = options.ground === "none";
    this.outlines.checked = options.letters === "outlines";
  }

  /** The options chosen, with notes on those that are not as typed; an error where there is no file of that size. */
  #read() {
    this.notes = [];
    const own = this.size.value === FREE;
    const { width, height } = own
      ? sizeOf(this.width.value, this.height.value, this.unit.value, this.notes)
      : PRESETS[this.size.value];
    return {
      width,
      height,
      font: this.font.value,
      points: bounded(this.points.value, WORDS, "Words, pt", this.notes),
      line: bounded(this.line.value, declared.line, "Lines, times", this.notes),
      palette: this.palette.value,
      letters: this.outlines.checked ? "outlines" : "words",
      ground: this.clear.checked ? "none" : "paper",
      title: this.title.checked,
      legend: this.legend.checked,
    };
  }

  /** @param {EventTarget} target */ #changed(target) {
    this.free.hidden = this.size.value !== FREE;
    if (target === this.size) {
      const { points, outlines = false } = PRESETS[this.size.value];
      this.points.value = String(points);
      this.outlines.checked = outlines;
    }
    if (target === this.unit) {
      const before = UNITS[this.typedIn];
      this.typedIn = this.unit.value;
      for (const field of [this.width, this.height]) {
        if (field.value) field.value = String(typed(Number(field.value) / before, this.typedIn));
      }
    }
    this.#giveUp();
    this.#busy(true);
    this.waiting = setTimeout(() => this.#preview(), WAIT);
    try {
      const options = this.#read();
      // Apart from the preview: one that is drawn anew meanwhile must not lose the change.
      this.telling = setTimeout(() => this.changed(options), WAIT);
    } catch {
      // The preview says why.
    }
  }

  async #preview() {
    this.#serial += 1;
    const serial = this.#serial;
    try {
      const options = this.#read();
      /** @type {FileRemarks} */ const remarks = {};
      const blob = await make(this.picture, PREVIEW, options, 1, remarks);
      if (serial !== this.#serial || !this.box.isConnected) return;
      URL.revokeObjectURL(this.image.src);
      this.image.src = URL.createObjectURL(blob);
      await this.image.decode();
      const { naturalWidth: width, naturalHeight: height } = this.image;
      this.image.alt = `Preview: ${this.picture.about().words}`;
      // At its true size where there is room for it.
      this.image.style.width = `${width}px`;
      const unit = this.size.value === FREE ? this.unit.value : "in";
      /** @param {number} pixels */ const long = (pixels) => ((pixels / PIXELS) * UNITS[unit]).toFixed(unit === "mm" ? 0 : 2);
      const size = `${long(width)} × ${long(height)} ${unit}, ${(blob.size / 1024).toFixed(0)} KB as SVG.`;
      say(this.note, [size, ...this.notes, remarks.words, ...remarks.notes].filter(Boolean).join(" "));
      this.box.dataset.shown = JSON.stringify(options);
      this.#busy(false);
    } catch (error) {
      say(this.note, [`The preview could not be drawn: ${error.message}.`, ...this.notes].join(" "));
      this.#busy(false);
    }
  }

  // The preview of before stays until the next one is drawn, and looks so.
  /** @param {boolean} busy */ #busy(busy) {
    this.image.ariaBusy = String(busy);
    if (busy) say(this.note, "Drawing…");
  }

  /** @param {FileFormat} format */ async #save(format) {
    say(this.status, `Making the ${format.label}…`);
    try {
      const name = `${this.picture.name}-${this.size.value}.${format.name}`;
      save(await make(this.picture, format, this.#read(), SCALE), name);
      say(this.status, `${format.label} saved.`);
    } catch (error) {
      say(this.status, `The ${format.label} could not be made: ${error.message}`);
    }
  }
}

/** @param {HTMLElement[]} rail @param {HTMLElement[]} more */ function formOf(rail, more) {
  /** @param {Event} event */ const onsubmit = (event) => event.preventDefault();
  return element("form", { onsubmit }, element("div", { class: "dml-write-up-rail" }, ...rail), ...more);
}

/** A dialog with a rail of controls, and what is beside it.
 * @param {string} title @param {HTMLElement} from @param {HTMLElement[]} rail @param {...HTMLElement} more */
export function openDialog(title, from, rail, ...more) {
  const form = formOf([element("h2", {}, title), ...rail], more);
  const box = element("dialog", { class: "dml-write-up", "aria-label": title }, form);
  box.addEventListener("close", () => box.remove());
  from.append(box);
  box.showModal();
  return box;
}

/** A menu of `options`, words by value. @param {Record<string, string>} options @param {string} value */
export function select(options, value) {
  const each = Object.entries(options).map(([name, label]) => element("option", { value: name }, label));
  const control = element("select", {}, ...each);
  control.value = value;
  return control;
}
