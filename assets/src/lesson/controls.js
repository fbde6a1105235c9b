import { button, element, say } from "../draw/panel.js";
import { plain } from "../draw/words.js";
import { fill, marked } from "../draw/marked.js";

/** @typedef {{root: HTMLElement, show: (control: RoomControl) => void}} Widget */
/** @typedef {(settings: Record<string, unknown>) => void} Change */

const SIDE_BY_SIDE = 4; // options; more are in a menu
const OPEN = 5; // controls in sight; the others are in a drawer

/** The controls of a room: made anew where there are others than before, else shown with their values. */
export class Controls {
  #kinds = "";
  /** @type {Widget[]} */ #widgets = [];

  /** `change(settings)` is called at every move. @param {Change} change @param {string} base */
  constructor(change, base) {
    this.change = change;
    this.base = base;
    this.root = element("div", { class: "dml-controls", role: "group", "aria-label": "Settings" });
  }

  /** @param {RoomControl[]} controls @param {Pick<LessonScene, "locked" | "hidden">} task */
  show(controls, { locked, hidden }) {
    const seen = controls.filter(({ key }) => !hidden.includes(key));
    const kinds = JSON.stringify(seen.map(({ kind, key, label, options }) => [kind, key, label, options]));
    if (kinds !== this.#kinds) {
      this.#kinds = kinds;
      const at = /** @type {HTMLInputElement | null} */ (document.activeElement);
      const focus = this.root.contains(at) && /** @type {HTMLElement | null} */ (at.closest("[data-key]"))?.dataset.key;
      const drawers = () => [...this.root.querySelectorAll("details")];
      const open = drawers().filter((drawer) => drawer.open).map(({ className }) => className);
      this.#widgets = seen.map((control) => this.#widget(control));
      this.#lay(seen);
      for (const drawer of drawers()) drawer.open = open.includes(drawer.className);
      if (focus) {
        const same = `[data-key="${CSS.escape(focus)}"] :is(input, select, button)`;
        const inputs = [.../** @type {NodeListOf<HTMLInputElement>} */ (this.root.querySelectorAll(same))];
        (inputs.find(({ value }) => value === at.value) ?? inputs[0])?.focus();
      }
    }
    seen.forEach((control, k) => {
      this.#widgets[k].show(control);
      const inputs =
        /** @type {NodeListOf<HTMLInputElement>} */ (this.#widgets[k].root.querySelectorAll("input, select, button"));
      for (const one of inputs) one.disabled = locked.includes(control.key);
    });
    this.root.hidden = !seen.length;
  }

  /** @param {RoomControl[]} controls */ #lay(controls) {
    let many = 0;
    const first = controls.findIndex(({ kind }) => (many += Number(kind !== "heading" && kind !== "remark")) > OPEN);
    const roots = this.#widgets.map(({ root }) => root);
    if (first < 0) return this.root.replaceChildren(...roots);
    const more = element("details", { class: "dml-more" }, element("summary", {}, "More settings"), ...roots.slice(first));
    this.root.replaceChildren(...roots.slice(0, first), more);
  }

  /** @param {RoomControl} control @returns {Widget} */ #widget(control) {
    const { kind, key, options = [], menu } = control;
    if (kind === "heading" || kind === "remark") return this.#words(kind);
    if (kind === "switch") return this.#switch(control);
    if (kind === "buttons") return this.#buttons(control);
    if (kind === "several") return this.#several(control);
    if (kind === "choice" && (menu || options.length > SIDE_BY_SIDE)) return this.#menu(control);
    if (kind === "choice") return this.#radios(control);
    return this.#slider(key, control);
  }

  /** @param {string} kind @returns {Widget} */ #words(kind) {
    const root = element("p", { class: `dml-control-${kind}` });
    return { root, show: ({ text = "" }) => fill(root, /^<.*? aria-label="([^"]*)"/s.exec(text)?.[1] ?? text, this.base) };
  }

  /** @param {RoomControl} control @returns {Widget} */ #switch({ key, note }) {
    /** @returns {void} */ const onchange = () => this.change({ [key]: input.checked });
    const input = element("input", { type: "checkbox", role: "switch", onchange });
    const words = element("span");
    const root = this.#box("label", key, note, input, words);
    return {
      root,
      show: ({ label, value }) => {
        input.checked = Boolean(value);
        say(words, label);
      },
    };
  }

  /** @param {RoomControl} control @returns {Widget} */ #menu({ key, options = [], named = {}, note }) {
    const each = options.map((option) => element("option", { value: String(option) }, named[option] ?? String(option)));
    /** @returns {void} */ const onchange = () => this.change({ [key]: options[input.selectedIndex] });
    const input = element("select", { onchange }, ...each);
    const words = element("span");
    const root = this.#box("label", key, note, words, input);
    return {
      root,
      show: ({ label, value }) => {
        input.value = String(value);
        say(words, label);
      },
    };
  }

  /** @param {RoomControl} control @returns {Widget} */ #radios({ key, options = [], named = {}, note }) {
    const words = element("legend");
    const inputs = options.map((option, k) => {
      const onchange = () => this.change({ [key]: options[k] });
      return element("input", { type: "radio", name: `dml-${key}`, value: String(option), onchange });
    });
    const labels = inputs.map((input, k) =>
      element("label", {}, input, element("span", {}, named[options[k]] ?? String(options[k])))
    );
    const root = this.#box("fieldset", key, note, words, element("div", { class: "dml-radios" }, ...labels));
    return {
      root,
      show: ({ label, value }) => {
        inputs.forEach((input, k) => (input.checked = String(options[k]) === String(value)));
        say(words, label);
      },
    };
  }

  /** Buttons that change other settings. @param {RoomControl} control @returns {Widget} */
  #buttons({ key, label, actions = {} }) {
    /** @type {Record<string, () => Record<string, unknown>>} */ let acts = actions;
    const each = Object.keys(actions).map((name) => button(() => this.change(acts[name]()), { class: "dml-button" }, name));
    const root = element("div", { class: "dml-control", "data-key": key, role: "group", "aria-label": label });
    root.append(element("span", {}, label), element("div", { class: "dml-row" }, ...each));
    return { root, show: ({ actions = {} }) => void (acts = actions) };
  }

  /** Some of many options, in a drawer. @param {RoomControl} control @returns {Widget} */
  #several({ key, options = [], named = {}, sets = {}, write = String }) {
    const take = (/** @type {(string | number)[]} */ some) => this.change({ [key]: write(some) });
    const inputs = options.map((option) => {
      /** @returns {void} */ const onchange = () => take(options.filter((_, k) => inputs[k].checked));
      return element("input", { type: "checkbox", value: String(option), onchange });
    });
    const labels = inputs.map((input) => element("label", {}, input, element("span", {}, named[input.value] ?? input.value)));
    const buttons = Object.entries(sets).map(([name, some]) => button(() => take(some), { class: "dml-button" }, name));
    const words = element("summary");
    const rows = [element("div", { class: "dml-row" }, ...buttons), element("div", { class: "dml-radios" }, ...labels)];
    const root = element("details", { class: "dml-control dml-several", "data-key": key }, words, ...rows);
    return {
      root,
      show: ({ label, some = [] }) => {
        for (const input of inputs) input.checked = some.includes(input.value);
        say(words, `${label}: ${some.length} of ${options.length}`);
      },
    };
  }

  /** A slider; of many sizes its places are marks. @param {string} key @param {RoomControl} control @returns {Widget} */
  #slider(key, { low = 0, high = 1, step, options = [], note }) {
    const marks = /** @type {number[]} */ (options);
    const range = marks.length ? { min: 0, max: marks.length - 1, step: 1 } : { min: low, max: high, step: step ?? "any" };
    /** @returns {void} */
    const oninput = () => this.change({ [key]: marks.length ? marks[Number(input.value)] : Number(input.value) });
    const input = element("input", { type: "range", ...range, oninput });
    const [words, number] = [element("span"), element("output")];
    const root = this.#box("label", key, note, element("span", { class: "dml-control-head" }, words, number), input);
    return {
      root,
      show: ({ label, value }) => {
        const place = marks.length ? marks.findIndex((mark) => mark >= Number(value) - 1e-12) : value;
        if (Number(input.value) !== Number(place)) input.value = String(place);
        const text = plain(Number(value), 4);
        input.setAttribute("aria-valuetext", text);
        say(number, text);
        say(words, label);
      },
    };
  }

  /** @param {"label" | "fieldset"} name @param {string} key @param {string | undefined} note @param {...Node} children */
  #box(name, key, note, ...children) {
    return element(name, { class: "dml-control", "data-key": key, title: note || null }, ...children);
  }
}

/** A row of buttons that bring a room into other states. @param {string} called @param {[string, () => void][]} each */
export function presetRow(called, each) {
  const buttons = each.map(([label, act]) => button(act, { class: "dml-button" }, ...marked(label)));
  return element("div", { class: "dml-presets", role: "group", "aria-label": called }, element("span", {}, called), ...buttons);
}
