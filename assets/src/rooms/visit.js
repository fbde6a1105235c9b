// A page's room in the browser, without a server: its settings, model, sentences and predictions, all translated from Python.

import { classes, read, rows, within, write } from "../scene/scene.js";
import { settle } from "../scene/roles.js";
import { asking } from "./asking.js";
import { array, call, Dict, NoModelError, once, plainly, replaced } from "./library.js";

/** @typedef {FromPython} Value */
/** Where a visitor is: the scene, its rows, the roles, and the settings that were changed.
 * @typedef {{scene: Scene, rows: {z: Float64Array, proxies: Float64Array | null}, picked: number[], base: string,
 *   link: Record<string, Value>, theme: string}} Standing */

/** The state of a room under settings by their whole keys. @param {Value} room @param {Record<string, Value>} link @returns {Standing} */
export function stateOf(room, link, theme = "light") {
  const settings = { ...plainly(room.opens), ...link };
  const of = (/** @type {string} */ name) => settings[`${room.key}.${name}`];
  const base = of("scene") ?? room.scene;
  const dim = Number(of("dim") ?? 2);
  const scene = of("at") ? read(room.placed.get(of("at")) ?? of("at")) : within(read(room.scenes.get(base)[0][dim - 2]), dim);
  const wanted = room.roles.map((/** @type {string} */ role, /** @type {number} */ k) => Number(of(role) ?? room.picked[k]));
  const picked = settle(wanted, room.roles, scene);
  const proxies = scene.proxies.length ? rows(scene.proxies) : null;
  return { scene, rows: { z: rows(scene.points), proxies }, picked, base, link: settings, theme };
}

/** What a room says in a state; each part is computed when it is first read. @param {Value} room @param {Standing} state */
export function visit(room, state) {
  return new Visit(room, state);
}

class Visit {
  /** @param {Value} room @param {Standing} state */ constructor(room, state) {
    this.room = room;
    this.shared = room.shared;
    this.state = state;
  }

  get #asked() {
    return once(this, "asked", () => {
      const { room, state } = this;
      const size = state.scene.points.length;
      let last = answers.get(state.link);
      if (last?.room !== room || last.size !== size) answers.set(state.link, last = answered(room, size, state));
      last.state = state;
      return last;
    });
  }

  get controls() {
    return this.#asked.controls;
  }

  get settings() {
    return once(this, "settled", () => replaced(this.#asked.plain, plainly(this.room.of_roles(this.state.picked))));
  }

  get embeddings() {
    return once(this, "embeddings", () => {
      const { scene, rows: { z, proxies } } = this.state;
      /** @type {Value} */ const learnt = new Dict();
      if (proxies) learnt.set("proxies", rowsOf(proxies, scene.dim));
      return new this.shared.Embeddings(rowsOf(z, scene.dim), array(scene.labels, "i"), this.provenance, learnt);
    });
  }

  get provenance() {
    const { state: { scene, base }, room, shared } = this;
    const [texts, sentence] = room.scenes.get(base);
    const moved = write(scene) !== texts[scene.dim - 2];
    const { points: { length }, labels, dim } = scene;
    return shared.provenance_of(base, moved ? shared.sentence_of_scene(length, new Set(labels).size, dim) : sentence, moved);
  }

  get #model() {
    return once(this, "modelled", () => {
      try {
        return { model: call(this.room.model, [this.embeddings, this.settings]), none: "" };
      } catch (error) {
        if (error instanceof NoModelError) return { model: null, none: error.message };
        throw error;
      }
    });
  }

  get model() {
    return this.#model.model;
  }

  get none() {
    return this.#model.none;
  }

  get display() {
    const { labels } = this.state.scene;
    return new this.shared.Display(this.state.theme, this.shared.class_names(classes(this.state.scene)), labels);
  }

  get claim() {
    const { claim, claimed_of_model } = this.room.words;
    return this.shared.text_of(claim, claimed_of_model ? this.model : this.settings);
  }

  get lookFor() {
    return this.shared.text_of(this.room.words.look_for, this.model);
  }

  get misleads() {
    return this.shared.text_of(this.room.words.misleads, this.model);
  }

  get line() {
    return this.shared.line(this.room.words, this.provenance, this.model, this.display);
  }

  get formulas() {
    const { words } = this.room;
    return words.formulas.map((/** @type {Value} */ part) => ({
      lines: [...part.lines(this.model, this.display)],
      remark: this.shared.text_of(part.remark, this.model),
    }));
  }

  /** What the figures that are computed here show, by their names: their losses, and in words these and what is otherwise. */
  get figures() {
    return once(this, "shown", () => {
      const { room, shared, settings } = this;
      const otherwise = [...room.variations(settings)];
      const shownBy = (/** @type {Value} */ [name, losses]) => {
        const parts = [...losses(settings)].map((loss) => shared.declared_part(loss));
        const words = parts.map((part) => shared.part_in_words(part.get("title"), part.get("knobs")));
        return [name, { loss: parts.map(deep), words: [...words, ...otherwise] }];
      };
      return Object.fromEntries(room.figures.items().map(shownBy));
    });
  }

  /** What is drawn around the points: the same object while the settings are the same. */ get drawn() {
    const { room, shared } = this;
    return (this.#asked.drawn ??= drawnOf(room, shared, this.#asked.plain));
  }

  get presets() {
    return this.room.presets.map((/** @type {Value} */ preset) => ({
      label: preset.label,
      settings: plainly(preset.settings),
      lesson: preset.label === this.room.lesson?.label,
    }));
  }

  /** The sentence of a preset on this model; null for one without. @param {string} label */
  says(label) {
    const preset = [...this.room.presets, this.room.lesson].find((each) => each?.label === label);
    return preset?.says && this.model ? this.shared.with_true_minus_signs(preset.says(this.model)) : null;
  }

  get questions() {
    return this.room.predictions.map((/** @type {Value} */ { name, title, settings, reveals, hides, bare }) => {
      return { name, title, settings: plainly(settings), reveals: plainly(reveals), hides, bare };
    });
  }

  /** The question of a prediction. @param {string} name */ ask(name) {
    return this.prediction(name).ask(this.model);
  }

  /** @param {string} name */ prediction(name) {
    return this.room.predictions.find((/** @type {Value} */ each) => each.name === name);
  }
}

/** The truth of a prediction, and what an answer was. @param {Visit} before @param {Visit} after @param {string} name @param {number} answer */
export function reveal(before, after, name, answer) {
  const prediction = before.prediction(name);
  const asked = prediction.ask(before.model);
  const round = new before.shared.Round(asked).lock(answer);
  const { revealed } = prediction.reveal(round, before.model, after.model);
  return { ...revealed, words: asked.by.words(revealed.truth), answerWords: asked.by.words(round.answer) };
}

/** Settings with the controls that ask for them, of a room with so many points. @typedef {{room: Value, size: number,
 *   state: Standing, controls: Value[], plain: Value, drawn: Value}} Answered */
/** @type {WeakMap<Record<string, Value>, Answered>} */ const answers = new WeakMap(); // of the settings that were changed

/** @param {Value} room @param {number} size @param {Standing} state @returns {Answered} */
function answered(room, size, state) {
  /** @type {Answered} */ const made = { room, size, state, controls: [], plain: null, drawn: null };
  const { asker, controls } = asking(room, state.link, made);
  const plain = room.settings(asker, { size, of_run: false, live: null });
  return Object.assign(made, { controls, plain });
}

/** @param {Value} room @param {Value} shared @param {Value} settings */ function drawnOf(room, shared, settings) {
  const [losses, drawn] = room.drawn(settings);
  const follow = (/** @type {Value} */ [name, loss]) => [name, deep(shared.followed(name, loss, room.proxies))];
  return { losses: Object.fromEntries(losses.items().map(follow)), settings: deep(drawn) };
}

/** @param {Float64Array} rows @param {number} dim */
function rowsOf(rows, dim) {
  return array(Array.from({ length: rows.length / dim }, (_, k) => Array.from(rows.subarray(k * dim, (k + 1) * dim))), "f");
}

/** Python's values as JSON has them. @param {Value} x @returns {Value} */
function deep(x) {
  if (x instanceof Dict) return Object.fromEntries(x.items().map(([key, value]) => [key, deep(value)]));
  return Array.isArray(x) ? x.map(deep) : x;
}
