import { className, present } from "./scene.js";
import { marker } from "../draw/marker.js";
import { button, element, key, say } from "../draw/panel.js";
import { rove } from "../draw/rove.js";
import { plain } from "../draw/words.js";

const BUTTONS = [
  ["add", "+ point", "Add a point beside the one touched last (double-click: where you want it)"],
  ["remove", "− point", "Remove the point touched last"],
  ["relabel", "next class", "Give the point touched last the next class"],
  ["undo", "↶", "Undo"],
  ["redo", "↷", "Redo"],
  ["reset", "reset", "Reset: back to the preset"],
];
// Where the focus goes from a button that can do no more.
/** @type {Record<string, string>} */ const BESIDE = { add: "remove", remove: "add", undo: "redo", redo: "undo", reset: "undo" };
const SHAPES = { 2: "circle", 3: "sphere" };

/** The controls around the picture: presets, circle or sphere, what to do with points, and which role a click gives. */
export class Bar {
  #drawn = ""; // what was drawn last

  /** `act(name, value)` does what is asked. @param {(name: string, value?: string | number) => void} act */
  constructor(act) {
    const onchange = () => this.presets.value && act("preset", this.presets.value);
    this.presets = element("select", { class: "dml-scene-presets", "aria-label": "Scene", onchange });
    this.shapes = this.#group("Circle or sphere", Object.entries(SHAPES), (dim) => act("dim", Number(dim)));
    this.buttons = BUTTONS.map(([name, text, title]) =>
      button(() => act(name), { class: "dml-button", title, "aria-label": title, "data-act": name }, text)
    );
    this.roles = element("div", { class: "dml-scene-roles", role: "radiogroup", "aria-label": "A click chooses the" });
    /** @param {number} place */ this.choose = (place) => act("role", place);
    this.settle = [this.shapes, this.roles].map((radios) => rove(radios));
    this.legend = element("div", { class: "dml-scene-legend" });
    this.placeText = element("span", { class: "dml-scene-place" });
    this.spoken = element("span", { class: "dml-scene-spoken", role: "status" });
    const doing = element("div", { class: "dml-scene-doing" }, ...this.buttons);
    this.top = element("div", { class: "dml-scene-bar" }, this.presets, this.shapes);
    const below = [doing, this.legend, this.roles, this.placeText, this.spoken];
    this.bottom = element("div", { class: "dml-scene-bar" }, ...below);
  }

  /** Says what has been done. @param {string} words */
  speak(words) {
    this.spoken.textContent = words;
  }

  /** @param {SceneState} state @param {Look} look */ draw(state, look) {
    const degrees = state.placeOf(state.touched).map((angle) => `${plain(angle, 5)}°`).join(", ");
    say(this.placeText, `${state.nameOf(state.touched)}: ${degrees}`);
    const { scene: { dim, labels, proxies }, presets, base, untouched, roles, picked, place, lesson } = state;
    const can = BUTTONS.map(([name]) => state.can(name));
    const chosen = [Object.keys(presets), base, untouched, roles, picked, place, lesson];
    const drawn = JSON.stringify([look.theme, dim, labels, proxies.length, chosen, can]);
    if (drawn === this.#drawn) return; // as in most frames of a drag
    this.#drawn = drawn;
    this.#drawPresets(state);
    for (const button of this.shapes.children) {
      button.setAttribute("aria-checked", String(Number(button.dataset.value) === state.scene.dim));
    }
    this.#drawLesson(state);
    const focused = this.buttons.find((button) => button === document.activeElement);
    for (const button of this.buttons) button.disabled = !state.can(button.dataset.act);
    if (focused?.disabled) this.buttons.find(({ dataset }) => dataset.act === BESIDE[focused.dataset.act])?.focus();
    this.#drawRoles(state);
    for (const settle of this.settle) settle();
    this.#drawLegend(state, look);
  }

  /** What a lesson locks is seen and cannot be used; what it hides is not there. @param {SceneState} state */
  #drawLesson(state) {
    /** @param {string} part */ const hidden = (part) => state.lesson?.[part] === "hidden";
    const parts = { scene: this.presets, dim: this.shapes };
    for (const [part, control] of Object.entries(parts)) {
      control.hidden = hidden(part);
      const buttons = control === this.presets ? [control] : control.children;
      for (const one of /** @type {Iterable<HTMLButtonElement | HTMLSelectElement>} */ (buttons)) {
        one.disabled = !state.free(part);
      }
    }
    for (const button of this.buttons) {
      const tool = ["add", "remove", "relabel"].includes(button.dataset.act);
      button.hidden = hidden("tools") && (tool || !state.free("move"));
    }
  }

  /** @param {SceneState} state */ #drawPresets({ presets, base, untouched }) {
    const names = Object.keys(presets).join("|");
    if (names !== this.presets.dataset.names) {
      this.presets.dataset.names = names;
      const moved = element("option", { value: "", disabled: true }, "moved by hand");
      const options = Object.keys(presets).map((name) => element("option", { value: name }, name));
      this.presets.replaceChildren(moved, ...options);
    }
    this.presets.options[0].hidden = untouched;
    say(this.presets.options[0], `${base}, moved by hand`);
    this.presets.value = untouched ? base : "";
  }

  /** @param {SceneState} state */ #drawRoles(state) {
    const { roles, picked, place } = state;
    this.roles.hidden = roles.length < 2 || state.lesson?.pick === "hidden";
    for (let k = this.roles.children.length; k < roles.length; k += 1) {
      this.roles.append(button(() => this.choose(k), { class: "dml-button", role: "radio", "data-place": k }));
    }
    const chips = /** @type {HTMLButtonElement[]} */ ([...this.roles.children]);
    chips.forEach((chip, k) => {
      chip.disabled = !state.free("pick");
      chip.setAttribute("aria-checked", String(k === place));
      say(chip, picked[k] < 0 ? `${roles[k]}: none` : `${roles[k]} #${picked[k]}`);
    });
  }

  /** @param {SceneState} state @param {Look} look */ #drawLegend({ scene }, look) {
    const shown = present(scene);
    const keys = shown.map((c) => {
      const { colour, marker: symbol } = look.ofClass(c);
      return key(marker(symbol, colour, 12), className(c));
    });
    if (scene.proxies.length) keys.push(key(marker("star", look.quiet, 14), "proxy"));
    this.legend.replaceChildren(...keys);
  }

  /** @param {string} label @param {[string, string][]} options @param {(value: string) => void} choose */
  #group(label, options, choose) {
    const buttons = options.map(([value, text]) =>
      button(() => choose(value), { role: "radio", "aria-checked": "false", "data-value": value }, text)
    );
    return element("div", { class: "dml-switch", role: "radiogroup", "aria-label": label }, ...buttons);
  }
}
