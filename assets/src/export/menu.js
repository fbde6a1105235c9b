import { make, shared } from "./files.js";
import { faces } from "./fonts.js";
import { library } from "./pdf.js";
import { addressOf, captionOf, recipeOf } from "./recipe.js";
import { redrawable } from "./script.js";
import { collect, count } from "./tray.js";
import { needed } from "../host/attempt.js";
import { button, element } from "../draw/panel.js";
import { save } from "../draw/save.js";
import { stylesheet, textOf } from "../host/assets.js";

const WHAT = "Export this figure";
const NO_PROGRAM = "No Python script: a drawing, no chart";
const FORMULA = "formula"; // the loss that its user writes, which has no code in PyTorch
const STATUS_STAYS = 2500; // ms that a word of success stays
const LATE = 1000; // ms after which a visitor is told that a file is being made
const ICON =
  '<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M8 1.5v8M4.8 6.5 8 9.7l3.2-3.2M2.5 11v3h11v-3" ' +
  'fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

/** Pictures on the page by key, for code that needs one without a click on the menu. */
export function pictures() {
  window.dmlPictures ??= new Map();
  return window.dmlPictures;
}

/** The one small menu of every picture: files, what can be copied, and the dialog for a write-up. */
export class ExportMenu {
  #open = false;

  /** `box` holds the picture, and the menu at its top right. @param {HTMLElement} box @param {AnyPicture} picture */
  constructor(box, picture) {
    this.picture = picture;
    const named = { title: WHAT, "aria-haspopup": "menu", "aria-expanded": "false" };
    this.button = button(() => (this.#open ? this.close() : this.open()), { class: "dml-export-button", ...named });
    this.button.innerHTML = ICON;
    this.status = element("span", { class: "dml-export-status", role: "status" });
    this.root = element("div", { class: "dml-export", "data-figure": picture.name }, this.status, this.button);
    this.root.addEventListener("keydown", (event) => this.#key(event));
    const name = () => this.button.ariaLabel = `Export: ${picture.about().recipe.title}`;
    name();
    this.root.addEventListener("focusin", name); // the title of a panel changes with what is shown
    /** @param {PointerEvent} event */
    this.outside = (event) => this.#open && !event.composedPath().includes(this.root) && this.close();
    window.addEventListener("pointerdown", this.outside, { capture: true });
    box.classList.add("dml-exported");
    this.root.hidden = true; // without its style the button would stand below the picture
    box.append(this.root);
    stylesheet("export.css").then(() => this.root.hidden = false);
    pictures().set(picture.name, picture);
    count();
  }

  remove() {
    window.removeEventListener("pointerdown", this.outside, { capture: true });
    const { figure } = this.root.dataset;
    if (pictures().get(figure) === this.picture) pictures().delete(figure);
    this.root.remove();
  }

  open() {
    this.picture.hold?.();
    Promise.all([faces(), library()]).catch(() => {}); // while a format is chosen
    this.menu = element("div", { class: "dml-export-menu", role: "menu", "aria-label": WHAT }, ...this.#items());
    this.root.append(this.menu);
    this.#show(true);
    // A menu that would leave the screen below opens upwards.
    if (this.menu.getBoundingClientRect().bottom > innerHeight) this.menu.scrollIntoView({ block: "nearest" });
    /** @type {HTMLElement} */ (this.menu.querySelector("[role=menuitem]")).focus({ preventScroll: true });
  }

  close() {
    const focused = this.menu?.contains(document.activeElement);
    this.menu?.remove();
    this.#show(false);
    if (focused) this.button.focus({ preventScroll: true });
  }

  #items() {
    const { picture } = this;
    const losses = /** @type {LossOfRecipe[]} */ (picture.recipe().loss ?? []);
    const coded = losses.filter(({ name }) => name !== FORMULA);
    const redrawn = redrawable(picture.seen());
    const offered = shared("formats").filter(({ writer }) => writer !== "movie" && (redrawn || writer !== "script"));
    const films = shared("formats").filter(({ writer }) => writer === "movie");
    /** @param {string} label @param {FileFormat} format @param {number} scale @param {string} title */
    const file = (label, format, scale, title) => {
      const name = scale > 1 ? `${format.name}${scale}` : format.name;
      return this.#item(label, () => this.#save(format, scale), { title, "data-format": name });
    };
    /** @param {FileFormat} format */ const entry = (format) => {
      const { label, note, name, scales } = format;
      const words = name === "svg" && picture.pixels ? `${label} (holds pixels)` : label;
      if (scales.length === 1) return file(words, format, 1, note);
      /** @param {number} scale */ const title = (scale) => `${label}, ${scale} times the size on the screen`;
      const each = scales.map((scale) => file(`×${scale}`, format, scale, title(scale)));
      return element("div", { class: "dml-export-row", role: "none" }, element("span", {}, label), ...each);
    };
    const makeFilm = () =>
      this.#dialog(() => import("./film.js"), ({ Film }) => new Film(picture, films, this.root, this.button));
    const film = this.#item("As a film…", makeFilm, { "data-film": "" });
    /** @param {typeof import("./dialog.js")} dialog */
    const show = ({ ExportDialog }) => new ExportDialog(picture, this.root, this.button);
    const writeUp = () => this.#dialog(() => import("./dialog.js"), show);
    /** @param {string} label @param {string} name @param {() => string | Promise<string>} text */
    const copy = (label, name, text) => this.#item(label, () => this.#copy(label, text), { "data-copy": name });
    return [
      ...offered.map(entry),
      ...(redrawn ? [] : [element("p", { class: "dml-export-none", role: "none" }, NO_PROGRAM)]),
      ...(picture.moving && films.length ? [film] : []),
      this.#item("For a write-up…", writeUp, { "data-write-up": "" }),
      this.#item("Add to the tray", () => this.#collect(), { "data-tray": "" }),
      element("hr", { role: "separator" }),
      copy("Copy caption", "caption", () => captionOf(picture)),
      copy("Copy link", "link", () => addressOf(picture.recipe().link)),
      copy("Copy recipe (JSON)", "recipe", () => JSON.stringify(recipeOf(picture), null, 2)),
      ...coded.map((loss) =>
        copy(coded.length > 1 ? `Copy PyTorch: ${loss.title}` : "Copy PyTorch", `pytorch.${loss.name}`, () => pytorch(loss))
      ),
    ];
  }

  #collect() {
    try {
      const many = collect(this.picture);
      this.#say(many > 1 ? `In the tray, with ${many - 1} other${many > 2 ? "s" : ""}` : "In the tray");
    } catch (error) {
      this.#say(`Not added: ${error.message}`);
    }
  }

  /** @param {string} label @param {() => unknown} act @param {Attributes} attributes */
  #item(label, act, attributes) {
    const press = () => {
      this.close();
      act();
    };
    return button(press, { role: "menuitem", tabindex: "-1", ...attributes }, label);
  }

  /** @param {FileFormat} format @param {number} scale */ async #save(format, scale) {
    const begun = performance.now();
    const late = setTimeout(() => this.#say(`Making the ${format.name.toUpperCase()}…`, Infinity), LATE);
    try {
      const blob = await make(this.picture, format, undefined, scale);
      this.root.dataset.took = String(Math.round(performance.now() - begun));
      save(blob, `${this.picture.name}${scale > 1 ? `@${scale}x` : ""}.${format.name}`);
      const companion = shared("formats").find(({ name }) => name === format.companion);
      if (companion) save(await make(this.picture, companion), `${this.picture.name}.${companion.name}`);
      this.#say(`${format.name.toUpperCase()} saved`);
    } catch (error) {
      this.#say(`The ${format.name.toUpperCase()} could not be made: ${error.message}`);
    } finally {
      clearTimeout(late);
    }
  }

  /** @param {string} label @param {() => string | Promise<string>} text */
  async #copy(label, text) {
    try {
      // A promise of the text keeps the click's permission while it is fetched.
      const promised = Promise.resolve(text()).then((words) => new Blob([words], { type: "text/plain" }));
      if (!navigator.clipboard) throw new Error("this browser copies only on pages that are served securely");
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": promised })]);
      this.#say(label.replace("Copy", "Copied"));
    } catch (error) {
      const words = await Promise.resolve(text()).catch(() => error.message);
      const title = label.replace("Copy ", "");
      await this.#dialog(() => import("./dialog.js"), ({ showForCopying }) => showForCopying(title, words, this.root));
    }
  }

  /** @template T @param {() => Promise<T>} load @param {(dialog: T) => void} show */
  async #dialog(load, show) {
    const dialog = await needed(load).catch(({ message }) => this.#say(`The dialog could not be loaded: ${message}`));
    if (dialog) show(dialog);
  }

  /** @param {string} words */ #say(words, stays = STATUS_STAYS) {
    this.status.textContent = words;
    clearTimeout(this.saying);
    if (stays < Infinity) this.saying = setTimeout(() => (this.status.textContent = ""), stays);
  }

  /** @param {boolean} open */ #show(open) {
    this.#open = open;
    this.button.setAttribute("aria-expanded", String(open));
    if (!open) this.menu = null;
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const items = [...(this.menu?.querySelectorAll("[role=menuitem]") ?? [])];
    if (!items.length) {
      if (event.key === "ArrowDown" && event.target === this.button) this.open();
      else return;
    } else {
      const at = items.indexOf(document.activeElement);
      const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
      if (to !== undefined) /** @type {HTMLElement} */ (items.at(((to % items.length) + items.length) % items.length)).focus();
      else if (event.key === "Escape" || event.key === "Tab") this.close();
      else if (event.key !== "Enter" && event.key !== " ") return;
      if (event.key === "Tab" || event.key === "Enter" || event.key === " ") return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** @param {LossOfRecipe} loss */ function pytorch({ name, knobs }) {
  const address = new URL(`export/pytorch/${name}`, document.baseURI);
  for (const [knob, value] of Object.entries(knobs)) address.searchParams.set(knob, String(value));
  return textOf(address);
}
