import { renderOffscreen } from "../export/aside.js";
import { Composition } from "../export/composition.js";
import { ExportDialog, select } from "../export/dialog.js";
import { make } from "../export/files.js";
import { AS_SEEN } from "../export/recipe.js";
import { pictures } from "../export/menu.js";
import { keep, ownAddress, panelName, tray } from "../export/tray.js";
import { imported, needed, pause } from "../host/attempt.js";
import { component } from "../host/mount.js";
import { button, element, say } from "../draw/panel.js";
import { stylesheet } from "../host/assets.js";
import { onPaper } from "../host/theme.js";
import { plotly } from "../plot/library.js";

const COLUMNS = { 1: "1", 2: "2", 3: "3", 4: "4" };
const NAMES = { "(a)": "(a), (b), (c)", a: "a, b, c", A: "A, B, C", none: "none" };
const OUT_OF_SIGHT = "position:fixed;left:-20000px;top:0";
const THUMBNAIL = { ...AS_SEEN, width: 2.2, points: 7, palette: "light", ground: "none", legend: false };
const SVG_FILE = { writer: "svg", type: "image/svg+xml" };
const EMPTY = "The tray is empty. Every figure has a menu at its top right: choose “Add to the tray” there, on any page.";
const EXAMPLE = "An example, not your tray: four figures of the Gallery. Figures that you add on any page take its place.";
/** @param {unknown} value */ const key = (value) => JSON.stringify(value); // what the tray has of a figure, as a name
/** @param {string} module */
const load = (module) => needed((failures) => imported(new URL(`./${module}.js`, import.meta.url).href, failures));

/** @typedef {{picture?: AnyPicture, close?: () => void, thumbnail?: string, fault?: string}} Made */

/** The tray: its figures in order, and the one picture that they are composed to. Python makes each figure again. */
class Compose {
  #drawing = Promise.resolve();
  listed = ""; // what the list shows, as text
  composed = ""; // what is composed, as text
  given = ""; // the tray that the page gave last, as text
  emptied = false; // whether the example is away
  fault = ""; // why the page does not take over what was reported
  /** @type {ExportDialog | null} */ writeUp = null;
  /** @type {Record<"columns" | "letters", HTMLSelectElement> | null} */ controls = null;
  controlled = ""; // the style that the controls have, as text
  /** @type {EventTarget | null} */ dragged = null; // the entry of the list that is dragged
  /** @type {(() => void)[]} */ #waiting = []; // saves, until the page's link has what is shown

  /** @param {Host} host */ constructor(host) {
    /** @type {Map<string, Made>} */
    this.made = new Map(); // by what the tray has of a figure: its {picture, close, thumbnail}, or its {fault}
    this.list = element("ol", { class: "dml-tray", "aria-label": "Figures in the tray, in order" });
    this.status = element("p", { class: "dml-tray-status", role: "status" });
    this.keeps = button(() => this.#change({}), {}, "Keep it in my tray");
    // Shows an empty tray in place of the example, or the example again.
    const turn = () => {
      this.emptied = !this.emptied;
      this.update(this.component);
    };
    this.example = button(turn, {}, "");
    const head = element("div", { class: "dml-compose-head" }, this.status, this.keeps, this.example);
    this.root = element("div", { class: "dml-compose" }, head, this.list);
    host.append(this.root);
    const about = () => {
      const { palette, recipe } = this.component.data;
      const { letters } = this.#shown;
      const words = this.panels.map(({ picture }, k) => `${panelName(letters, k)} ${picture.about().words}`).join(" ");
      return { palette, theme: "light", recipe: { ...recipe, title: recipe.title }, words };
    };
    const state = () => ({ ...this.#shown, panels: this.panels.map(({ picture }) => picture) });
    this.picture = new Composition(state, about);
    this.picture.isDrawn = () => this.complete && this.panels.length > 0;
    this.picture.ready = () => this.#inLine();
  }

  // The example is in place of an empty tray, until the visitor asks for that; it is stored with its first change.
  get #exemplary() {
    return !tray().panels.length && !this.emptied && Boolean(this.component?.data.example);
  }

  get #shown() {
    return this.#exemplary ? this.component.data.example.tray : tray();
  }

  /** The figures that were made, in order. */
  get panels() {
    return this.#shown.panels.map((own) => this.made.get(key(own))).filter((made) => made?.picture);
  }

  get complete() {
    return this.#shown.panels.every((own) => this.made.has(key(own)));
  }

  /** @param {Given<ComposeData>} component */ update(component) {
    this.component = component;
    const { tray: given, arrived, panels, example, fault = "" } = component.data;
    if (this.fault && !fault) this.writeUp?.redraw();
    this.fault = fault;
    if (!this.begun) {
      this.begun = true;
      stylesheet("export.css");
      pictures().set(this.picture.name, this.picture);
    }
    if (key(given) !== this.given) { // at first, after each report, and where the browser's own buttons lead to another address
      this.given = key(given);
      const carried = arrived && given.panels.length > 0; // in the link
      if (carried) keep(given);
      if (carried || key(given) !== key(tray())) this.#report();
    }
    given.panels.forEach((own, k) => panels[k] && this.#make(key(own), panels[k]));
    if (this.#exemplary) {
      example.tray.panels.forEach((own, k) => example.panels[k] && this.#make(key(own), example.panels[k]));
    }
    const inLine = key(given) === key(tray());
    if (inLine || this.fault) this.#waiting.splice(0).forEach((goOn) => goOn());
    // Python sends a figure once: one that it sent before this component was there is asked for again.
    if (inLine && given.panels.some((own, k) => !panels[k] && !this.made.has(key(own)))) this.#report();
    this.#show();
  }

  close() {
    for (const name of [...this.made.keys()]) this.#drop(name);
    this.writeUp?.close();
    if (pictures().get(this.picture.name) === this.picture) pictures().delete(this.picture.name);
  }

  // One after another, because two may have the same name. What could not be made is made again later.
  /** @param {string} name @param {PictureRequest | Fault} request */
  #make(name, request, failures = 0) {
    this.#drawing = this.#drawing.then(async () => {
      const wanted = () => this.root.isConnected && this.#shown.panels.some((own) => key(own) === name);
      if (this.made.get(name)?.picture || !wanted()) return;
      try {
        this.made.set(name, "fault" in request ? request : await this.#thumbnailed(request));
      } catch ({ message }) {
        this.made.set(name, { fault: `${message}. The page goes on trying.` });
        setTimeout(() => wanted() && this.#make(name, request, failures + 1), pause(failures + 1));
      }
      if (!wanted()) this.#drop(name); // the visitor has left meanwhile: what is drawn out of sight would stay
      this.#show();
    });
  }

  /** @param {PictureRequest} request */ async #thumbnailed(request) {
    const paper = this.component.data.palette.paper.light;
    const made = await renderOffscreen(request, load, `${OUT_OF_SIGHT};${onPaper(paper)}`);
    try {
      const small = cropped(await (await make(made.picture, SVG_FILE, THUMBNAIL)).text());
      return { ...made, thumbnail: URL.createObjectURL(new Blob([small], { type: SVG_FILE.type })) };
    } catch (error) {
      made.close();
      throw error;
    }
  }

  /** @param {string} name */ #drop(name) {
    const { close, thumbnail } = this.made.get(name);
    this.made.delete(name);
    close?.();
    if (thumbnail) URL.revokeObjectURL(thumbnail);
  }

  // With the time, because the page takes over no report that is the same as its last one, after Back for example.
  #report() {
    this.component.setStateValue("report", { tray: tray(), known: [...this.made.keys()], at: Date.now() });
  }

  /** @param {Partial<TrayData>} state */ #change(state) {
    keep({ ...this.#shown, ...state });
    this.emptied = !tray().panels.length;
    this.#show();
    this.#report();
  }

  // Waits until the page's link has what is shown, an error where it cannot; the recipe of the example has a link of its own.
  async #inLine() {
    while (!this.#exemplary && key(this.component.data.tray) !== key(tray())) {
      if (this.fault) throw new Error(this.fault);
      await /** @type {Promise<void>} */ (new Promise((goOn) => this.#waiting.push(goOn)));
    }
  }

  // The focus stays with what moved: at its button of class `pressed`, where that still leads on.
  /** @param {number} from @param {number} to */ #move(from, to, pressed = "dml-tray-figure") {
    const panels = [...this.#shown.panels];
    if (from < 0 || to < 0 || to >= panels.length || from === to) return;
    panels.splice(to, 0, ...panels.splice(from, 1));
    this.#change({ panels });
    const moved = this.list.children[to];
    const button = moved?.querySelector(`.${pressed}:enabled`) ?? moved?.querySelector("button");
    /** @type {HTMLButtonElement | undefined} */ (button)?.focus();
  }

  /** @param {number} at */ #remove(at) {
    const away = key(this.#shown.panels[at]);
    this.#change({ panels: this.#shown.panels.filter((_, k) => k !== at) });
    if (this.made.has(away) && !tray().panels.some((own) => key(own) === away)) this.#drop(away);
    (this.list.children[Math.min(at, this.list.children.length - 1)]?.querySelector("button") ?? this.list).focus();
  }

  #show() {
    const { panels } = this.#shown;
    const left = panels.filter((own) => !this.made.has(key(own))).length;
    const about = this.#exemplary ? EXAMPLE : panels.length ? "" : EMPTY;
    const making = left ? `Making ${left} of ${panels.length} figures again…` : "";
    say(this.status, [this.fault && `${this.fault}.`, about, making].filter(Boolean).join(" "));
    this.keeps.hidden = !this.#exemplary;
    this.example.hidden = tray().panels.length > 0 || !this.component.data.example;
    say(this.example, this.#exemplary ? "Begin with an empty tray" : "Show the example");
    /** @type {string} */ const shown = JSON.stringify([
      this.#shown.letters,
      panels,
      panels.map((own) => this.made.get(key(own))?.thumbnail ?? this.made.get(key(own))?.fault ?? ""),
    ]);
    if (shown !== this.listed) {
      this.listed = shown;
      this.list.replaceChildren(...panels.map((own, k) => this.#thumbnail(own, k)));
    }
    if (this.writeUp) {
      this.writeUp.box.hidden = !this.panels.length;
      this.#setControls();
    }
    if (!this.complete || !this.panels.length) return;
    const drawn = this.#drawn(this.#shown);
    if (drawn === this.composed) return;
    this.composed = drawn;
    if (this.writeUp) this.writeUp.redraw();
    else this.#makeControls();
  }

  #makeControls() {
    const { columns, letters } = this.#shown;
    const controls = { columns: select(COLUMNS, String(columns)), letters: select(NAMES, letters) };
    /** @type {[string, HTMLElement][]} */ const more = [["Columns", controls.columns], ["Letters of panels", controls.letters]];
    const wanted = () => ({ ...this.#shown, columns: Number(controls.columns.value), letters: controls.letters.value });
    /** @param {ExportOptions} own */ const changed = (own) => {
      const state = { ...wanted(), options: { ...own } };
      this.composed = this.#drawn(state);
      this.controlled = styleOf(state);
      this.#change(state);
    };
    const store = () => {
      this.controlled = styleOf(wanted());
      keep(wanted());
    };
    for (const control of Object.values(controls)) control.addEventListener("input", store);
    this.controls = controls;
    this.controlled = styleOf(this.#shown);
    this.writeUp = new ExportDialog(this.picture, this.root, null, { more, options: this.#options, changed });
  }

  // The controls have the style of what is shown, also where that comes from the page's link; one that is typed in keeps its text.
  #setControls() {
    const style = styleOf(this.#shown);
    if (style === this.controlled) return;
    this.controlled = style;
    this.controls.columns.value = String(this.#shown.columns);
    this.controls.letters.value = this.#shown.letters;
    this.writeUp.setOptions(this.#options);
  }

  get #options() {
    return /** @type {ExportOptions} */ (/** @type {unknown} */ (this.#shown.options ?? this.component.data.options));
  }

  /** What is composed, as text. @param {TrayData} state */
  #drawn(state) {
    return JSON.stringify([state.panels, styleOf(state), this.panels.length]);
  }

  /** The title of the figure at `k` behind its panel's letter; one that cannot be made has no panel. @param {number} k */
  #titleOf(k) {
    const { panels, letters } = this.#shown;
    /** @param {TrayPanel} panel */ const isPanel = (panel) => !this.made.get(key(panel))?.fault;
    const { title } = panels[k];
    return isPanel(panels[k]) ? `${panelName(letters, panels.slice(0, k).filter(isPanel).length)} ${title}` : title;
  }

  /** @param {TrayPanel} own @param {number} k */ #thumbnail(own, k) {
    const { thumbnail, fault } = this.made.get(key(own)) ?? {};
    const words = this.#titleOf(k);
    const inside = thumbnail ? element("img", { src: thumbnail, alt: "" }) : fault ?? "…";
    /** @type {Record<string, number>} */ const moves = { ArrowLeft: k - 1, ArrowUp: k - 1, ArrowRight: k + 1, ArrowDown: k + 1 };
    /** @param {KeyboardEvent} event */ const onkeydown = (event) => {
      if (event.key === "Delete" || event.key === "Backspace") this.#remove(k);
      else if (event.key in moves) this.#move(k, moves[event.key]);
      else return;
      event.preventDefault();
    };
    const hint = "Arrow keys move it, Delete removes it";
    const attributes = { class: "dml-tray-figure", title: hint, "aria-label": `${words}. ${hint}.`, onkeydown };
    const main = button(() => {}, attributes, inside);
    const away = button(() => this.#remove(k), { class: "dml-tray-away", "aria-label": `Remove ${words}` }, "×");
    const link = element("a", { href: ownAddress(own.link) }, words);
    /** @param {number} to @param {string} where @param {string} sign */ const mover = (to, where, sign) => {
      const name = `dml-tray-${where}`;
      const disabled = !(to in this.#shown.panels);
      return button(() => this.#move(k, to, name), { class: name, disabled, "aria-label": `Move ${words} ${where}` }, sign);
    };
    const row = element("div", { class: "dml-tray-row" }, mover(k - 1, "earlier", "←"), link, mover(k + 1, "later", "→"));
    /** @type {Attributes} */ const dragged = {
      draggable: "true",
      ondragstart: (event) => {
        this.dragged = event.currentTarget;
        event.dataTransfer.setData("text/plain", own.title); // Firefox drags nothing without data
      },
      ondragend: () => this.dragged = null,
      ondragover: (event) => event.preventDefault(),
      ondrop: (event) => {
        event.preventDefault();
        this.#move([...this.list.children].findIndex((entry) => entry === this.dragged), k);
      },
    };
    return element("li", dragged, main, row, away);
  }
}

/** The style of what is composed, as text. @param {TrayData} state */
function styleOf({ columns, letters, options }) {
  return key([columns, letters, options]);
}

/** An SVG file without the room around what is drawn in it. @param {string} text */
function cropped(text) {
  const holder = element("div", { style: OUT_OF_SIGHT, "aria-hidden": "true" });
  holder.innerHTML = text;
  document.body.append(holder);
  const svg = holder.querySelector("svg");
  const { width, height } = svg.viewBox.baseVal;
  const box = svg.getBBox();
  const [left, top] = [Math.max(0, box.x), Math.max(0, box.y)];
  const [right, bottom] = [Math.min(width, box.x + box.width), Math.min(height, box.y + box.height)];
  svg.setAttribute("viewBox", `${left} ${top} ${right - left} ${bottom - top}`);
  svg.setAttribute("width", `${right - left}`);
  svg.setAttribute("height", `${bottom - top}`);
  holder.remove();
  return new XMLSerializer().serializeToString(svg);
}

export const { mount, unmount } = component(Compose, "compose.css", plotly);
