import { make, save } from "./files.js";
import { element, say } from "../kit/panel.js";

const PIXELS = 96; // to the inch
const WAIT = 250; // ms from the last change to the next preview
const PRESETS = {
  one: { label: "One column, 3.3 in", width: 3.3, height: null, points: 8 },
  two: { label: "Two columns, 6.9 in", width: 6.9, height: null, points: 8 },
  slide: { label: "Slide, 16:9", width: 13.333, height: 7.5, points: 18 },
  poster: { label: "Poster, 24 × 18 in", width: 24, height: 18, points: 32 },
};
const FONTS = { sans: "Sans (DML Sans)", serif: "Serif (DML Serif)" };
const PREVIEW = { writer: "svg", type: "image/svg+xml" };
const SCALE = 3; // of pixels
const PALETTES = { light: "Light", grey: "Greys that print apart" };

/** Words in a box to be copied by hand, where the clipboard is out of reach. */
export function shown(title, words, from) {
  const area = element("textarea", { readonly: true, "aria-label": title });
  area.value = words;
  const close = element("button", { type: "button" }, "Close");
  const box = element("dialog", { class: "dml-write-up", "aria-label": title });
  const rail = element("div", { class: "dml-write-up-rail" }, element("h2", {}, title), area);
  rail.append(element("div", { class: "dml-write-up-acts" }, close));
  box.append(rail);
  close.addEventListener("click", () => box.close());
  box.addEventListener("close", () => box.remove());
  from.append(box);
  box.showModal();
  area.select();
}

/** The dialog for a picture at a fixed size, with a preview of exactly that. */
export class WriteUp {
  #serial = 0;

  constructor(picture, from, back) {
    this.picture = picture;
    this.size = this.#select("Size", Object.fromEntries(Object.entries(PRESETS).map(([k, v]) => [k, v.label])), "one");
    this.font = this.#select("Font", FONTS, "serif");
    this.palette = this.#select("Palette", PALETTES, "light");
    this.points = this.#number("Words, pt", { min: 5, max: 60, step: 0.5, value: PRESETS.one.points });
    this.line = this.#number("Lines, times", { min: 0.5, max: 3, step: 0.1, value: 1 });
    this.title = this.#box("Title", false);
    this.legend = this.#box("Legend", true);
    const drawn = picture.recipe().formats.filter((format) => format.drawn);
    this.acts = drawn.map((format) => this.#act(format.label, () => this.#save(format)));
    this.note = element("p", { class: "dml-write-up-note" });
    this.status = element("p", { class: "dml-write-up-note", role: "status" });
    this.image = element("img", { alt: "" });
    const close = this.#act("Close", () => this.box.close());
    const rail = element(
      "div",
      { class: "dml-write-up-rail" },
      element("h2", {}, "For a write-up"),
      this.size.label,
      this.font.label,
      element("div", { class: "dml-pair" }, this.points.label, this.line.label),
      this.palette.label,
      element("div", { class: "dml-pair" }, this.title.label, this.legend.label),
      element("div", { class: "dml-write-up-acts" }, ...this.acts),
      this.status,
      element("div", { class: "dml-write-up-acts" }, close),
    );
    const preview = element("div", { class: "dml-write-up-preview" }, this.note, this.image);
    const form = element("form", {}, rail, preview);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", ({ target }) => this.#changed(target));
    this.box = element("dialog", { class: "dml-write-up", "aria-label": "For a write-up" }, form);
    this.box.addEventListener("close", () => {
      URL.revokeObjectURL(this.image.src);
      this.box.remove();
      back.focus();
    });
    from.append(this.box);
    this.box.showModal();
    this.#preview();
  }

  /** The options chosen. */
  get options() {
    const { width, height } = PRESETS[this.size.control.value];
    return {
      width,
      height,
      font: this.font.control.value,
      points: within(this.points.control),
      line: within(this.line.control),
      palette: this.palette.control.value,
      title: this.title.control.checked,
      legend: this.legend.control.checked,
    };
  }

  #changed(target) {
    if (target === this.size.control) this.points.control.value = PRESETS[target.value].points;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.#preview(), WAIT);
  }

  async #preview() {
    this.#serial += 1;
    const [serial, options] = [this.#serial, this.options];
    try {
      const blob = await make(this.picture, PREVIEW, options);
      if (serial !== this.#serial || !this.box.isConnected) return;
      URL.revokeObjectURL(this.image.src);
      this.image.src = URL.createObjectURL(blob);
      await this.image.decode();
      const [wide, tall] = [this.image.naturalWidth / PIXELS, this.image.naturalHeight / PIXELS];
      this.image.alt = `Preview: ${this.picture.words()}`;
      // At its true size where there is room for it.
      this.image.style.width = `${this.image.naturalWidth}px`;
      say(
        this.note,
        `${wide.toFixed(2)} × ${tall.toFixed(2)} in, ${
          (blob.size / 1024).toFixed(0)
        } KB as SVG. Words are ${options.points} pt.`,
      );
      this.box.dataset.shown = JSON.stringify(options);
    } catch (error) {
      say(this.note, `The preview could not be drawn: ${error.message}`);
    }
  }

  async #save(format) {
    try {
      save(
        await make(this.picture, format, this.options, SCALE),
        `${this.picture.name}-${this.size.control.value}.${format.name}`,
      );
      say(this.status, `${format.label} saved.`);
    } catch (error) {
      say(this.status, `The ${format.label} could not be made: ${error.message}`);
    }
  }

  #select(words, options, value) {
    const control = element("select", {});
    control.append(...Object.entries(options).map(([name, label]) => element("option", { value: name }, label)));
    control.value = value;
    return { control, label: element("label", {}, words, control) };
  }

  #number(words, attributes) {
    const control = element("input", { type: "number", ...attributes });
    return { control, label: element("label", {}, words, control) };
  }

  #box(words, checked) {
    const control = element("input", { type: "checkbox" });
    control.checked = checked;
    return { control, label: element("label", { class: "dml-line" }, control, words) };
  }

  #act(words, act) {
    const button = element("button", { type: "button" }, words);
    button.addEventListener("click", act);
    return button;
  }
}

function within({ value, min, max }) {
  const number = Number(value);
  return Number.isFinite(number) && value !== "" ? Math.min(Number(max), Math.max(Number(min), number)) : Number(min);
}
