import { button, element } from "../../draw/panel.js";
import { save } from "../../draw/save.js";
import { csv } from "../../export/csv.js";
import { png } from "../../export/png.js";
import { aboutOf, AS_SEEN, captionOf } from "../../export/recipe.js";
import { renderForExport, svgText } from "../../export/svg.js";

// In place of export/menu.js: the files that a lesson makes of its figures by itself.

const WHAT = "Save this figure";
const SCALE = 2; // of pixels
const STATUS_STAYS = 2500; // ms
const ICON =
  '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M8 1.5v8M4.8 6.5 8 9.7l3.2-3.2M2.5 11v3h11v-3" ' +
  'fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** Makers of a file's content, by its suffix, and what the menu calls it.
 * @type {Record<string, {label: string, type: string, make: (picture: AnyPicture, about: FileAbout) => Promise<BlobPart>}>} */
const FILES = {
  svg: { label: "SVG", type: "image/svg+xml", make: (picture, about) => drawn(picture, async (made) => svgText(made, about)) },
  png: {
    label: "PNG",
    type: "image/png",
    make: (picture, about) => drawn(picture, async (made) => png(svgText(made, about), made.inches, SCALE, about.recipe)),
  },
  csv: { label: "Data (CSV)", type: "text/csv", make: async (picture, about) => csv(await picture.table(), about, ",") },
};

/** @template T @param {AnyPicture} picture @param {(made: Engraving) => Promise<T>} use @returns {Promise<T>} */
async function drawn(picture, use) {
  const made = await (picture.renderForExport?.(AS_SEEN) ?? renderForExport(picture, AS_SEEN));
  try {
    return await use(made);
  } finally {
    made.close();
  }
}

/** @type {Map<string, AnyPicture>} */ const shown = new Map();

/** Pictures of the lesson by key. */
export function pictures() {
  return shown;
}

/** The small menu of a picture. */
export class ExportMenu {
  /** `box` holds the picture, and the menu at its top right. @param {HTMLElement} box @param {AnyPicture} picture */
  constructor(box, picture) {
    this.picture = picture;
    this.button = element("summary", { class: "dml-export-button", title: WHAT, "aria-label": WHAT });
    this.button.innerHTML = ICON;
    this.status = element("span", { class: "dml-export-status", role: "status" });
    const suffixes = Object.keys(FILES).filter((suffix) => suffix !== "csv" || picture.about().table);
    const items = suffixes.map((suffix) => button(() => this.#save(suffix), { "data-format": suffix }, FILES[suffix].label));
    items.push(button(() => this.#copy(), { "data-copy": "caption" }, "Copy caption"));
    this.list = element("details", {}, this.button, element("div", { class: "dml-export-menu" }, ...items));
    this.root = element("div", { class: "dml-export", "data-figure": picture.name }, this.status, this.list);
    this.root.addEventListener("keydown", (event) => event.key === "Escape" && this.close());
    this.list.addEventListener("toggle", () => this.list.open && this.picture.hold?.());
    this.outside = (/** @type {PointerEvent} */ event) => event.composedPath().includes(this.root) || this.close();
    window.addEventListener("pointerdown", this.outside, { capture: true });
    box.classList.add("dml-exported");
    box.append(this.root);
    shown.set(picture.name, picture);
  }

  remove() {
    window.removeEventListener("pointerdown", this.outside, { capture: true });
    if (shown.get(this.root.dataset.figure) === this.picture) shown.delete(this.root.dataset.figure);
    this.root.remove();
  }

  close() {
    if (!this.list.open) return;
    const focused = this.list.contains(document.activeElement);
    this.list.open = false;
    if (focused) this.button.focus({ preventScroll: true });
  }

  /** @param {string} suffix */ async #save(suffix) {
    const { picture } = this;
    const { label, type, make } = FILES[suffix];
    this.close();
    try {
      await picture.ready?.();
      save(new Blob([await make(picture, aboutOf(picture))], { type }), `${picture.name}.${suffix}`);
      this.#say(`${label} saved`);
    } catch (error) {
      this.#say(`The ${label} could not be made: ${error.message}`);
    }
  }

  async #copy() {
    const words = captionOf(this.picture);
    this.close();
    try {
      await navigator.clipboard.writeText(words);
      this.#say("Caption copied");
    } catch {
      this.#say(words); // a frame may have no clipboard: the words can be marked
    }
  }

  /** @param {string} words */ #say(words) {
    this.status.textContent = words;
    clearTimeout(this.saying);
    if (words.length < 60) this.saying = setTimeout(() => (this.status.textContent = ""), STATUS_STAYS);
  }
}
