// What a room asks for, in the browser: settings answered from what was changed, and the controls that are noted on the way.

import { write } from "../scene/scene.js";
import { Dict, dict, plainly } from "./library.js";

/** @typedef {FromPython} Value */

/** Settings answered from what was changed; what is asked for is noted. `last` has the state in which a button is pressed.
 * @param {Value} room @param {Record<string, Value>} link @param {{state: import("./visit.js").Standing}} last */
export function asking({ key: page, shared: { Ask } }, link, last) {
  const now = () => {
    const { scene, base } = last.state;
    return { ...link, [`${page}.at`]: write(scene), [`${page}.scene`]: base, [`${page}.dim`]: scene.dim };
  };
  /** @type {Value[]} */ const controls = [];
  /** @type {Record<string, Value>} */ const defaults = {};
  class Asking extends Ask {
    /** @param {string} key @param {Value} knob */ setting(key, knob) {
      const given = link[key];
      if (given === undefined) return defaults[key] ?? knob.default;
      if (typeof given === typeof knob.default) return given;
      return typeof knob.default === "number" ? Number(given) : knob.read?.(given) ?? given;
    }
    /** @param {string} key @param {Value} value */ follow_default(key, value) {
      defaults[key] = value;
    }
    /** @param {Value} knob @param {string} key */ control(knob, key, { note = "", named = new Dict(), menu = false } = {}) {
      const value = this.setting(key, knob);
      const [low, high] = knob.slider ?? [];
      const kind = knob.kind_name === "bool" ? "switch" : knob.choices.length ? "choice" : knob.slider ? "slider" : "number";
      const { step, log, unit, symbol, meaning, label_text: label, choices: options } = knob;
      const scale = { low, high, step, log, whole: knob.kind_name === "int" };
      const words = { label, note, unit, symbol, meaning, named: plainly(named) };
      controls.push({ kind, key, value, default: knob.default, options, menu, ...scale, ...words });
      return value;
    }
    /** @param {string} text */ heading(text) {
      controls.push({ kind: "heading", text });
    }
    /** @param {string} text */ remark(text) {
      controls.push({ kind: "remark", text });
    }
    /** @param {string} key @param {string} label @param {Dict} actions */ buttons(key, label, actions) {
      const act = (/** @type {Value} */ does) => plainly(does(dict(Object.entries(now()))));
      const each = actions.items().map((/** @type {Value} */ [name, does]) => [name, () => act(does)]);
      controls.push({ kind: "buttons", key, label, actions: Object.fromEntries(each) });
    }
    /** @param {string} key @param {string} label @param {Value} knob @param {Value} sets @param {Value} named */
    several(key, label, knob, sets, named = new Dict()) {
      const value = this.setting(key, knob);
      const sorts = { options: knob.options, some: knob.names(value), sets: plainly(sets), named: plainly(named) };
      const write = (/** @type {string[]} */ names) => knob.write(names);
      controls.push({ kind: "several", key, label, value, default: knob.default, ...sorts, write });
      return value;
    }
    bar() {}
  }
  return { asker: new Asking(), controls };
}
