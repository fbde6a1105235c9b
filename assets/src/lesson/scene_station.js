import { element, say } from "../draw/panel.js";
import { read, rows, write } from "../scene/scene.js";
import { Controls, presetRow } from "./controls.js";
import { frozenFigure } from "./frozen.js";
import { QuestionCard } from "./question.js";
import { formula } from "./tex.js";
import { fill } from "./words.js";

const [LEAST, SHARE] = [30, 4]; // ms between two texts, and how many times as long as they take

/** A page's scene in a file: the editor, what stands beside it, its controls, and its sentences as the points move. */
export class SceneStation {
  #serial = -1;
  #revision = 0;
  /** @type {RoomHere | null} */ #here = null;
  #wait = LEAST;
  #last = -Infinity;
  #timer = 0;
  /** @type {QuestionCard | null} */ card = null;

  /** @param {LessonStation} station @param {LessonData} lesson @param {LessonParts} parts */
  constructor(station, lesson, parts) {
    this.station = station;
    this.lesson = lesson;
    this.parts = parts;
    this.made = /** @type {LessonScene} */ (station.scene);
    this.begin();
    const { base } = lesson;
    this.controls = new Controls((key, value) => this.#set({ [key]: value }), base);
    const box = (/** @type {string} */ name) => element("div", { class: name });
    const words = (/** @type {string} */ name) => element("p", { class: name, hidden: true });
    this.hosts = { scene: box("dml-host"), twin: box("dml-host"), panels: box("dml-host dml-wide") };
    this.claim = element("h2", { class: "dml-claim" });
    this.line = words("dml-line-of");
    this.none = words("dml-none");
    this.lookFor = words("dml-notes-of");
    this.misleads = words("dml-caption");
    this.formulas = box("dml-formulas");
    this.presets = box("dml-preset-row");
    this.status = element("p", { class: "dml-caption dml-as-saved", role: "status", hidden: true });
    this.figures = station.figures.filter(({ svg }) => svg).map((figure) => frozenFigure(figure, this.made.data.palette, base));
    const notes = [this.none, this.line, this.lookFor, this.misleads, this.status];
    const first = element("div", { class: "dml-first" }, this.claim, this.hosts.scene, ...notes);
    const beside = element("div", { class: "dml-beside-first" }, this.hosts.twin, ...this.figures);
    beside.hidden = !this.made.twin && !this.figures.length;
    this.hosts.panels.hidden = !this.made.panels;
    const columns = element("div", { class: "dml-columns" }, this.controls.root, first, beside);
    this.ask = box("dml-ask");
    this.root = element(
      "div",
      { class: "dml-station", "data-page": station.page },
      this.ask,
      this.presets,
      columns,
      this.hosts.panels,
      this.formulas,
    );
    if (station.question) this.#ask(station.question);
  }

  /** Takes the state in which the file was written. */
  begin() {
    const { data, settings } = this.made;
    this.#take(data, settings);
  }

  /** Draws everything; also where the theme of the page has changed. */
  show() {
    this.#look();
    this.#mount();
    this.card?.redraw();
  }

  close() {
    clearTimeout(this.#timer);
    const { components } = this.parts;
    const modules = { scene: "scene_editor", twin: "second_view", panels: "panels" };
    this.root.remove();
    for (const [name, host] of Object.entries(this.hosts)) components[modules[/** @type {"scene"} */ (name)]].unmount(host);
  }

  /** @param {SceneData} data @param {Record<string, unknown>} settings @param {boolean} revealed */
  #take(data, settings, revealed = false) {
    this.#revision += 1;
    this.data = { ...data, revealed };
    this.link = { ...settings };
  }

  /** The state of the room as its points and settings are now. @returns {RoomState} */
  get state() {
    const scene = read(this.data.scene);
    const { picked, base } = this.data;
    const made = { z: rows(scene.points), proxies: scene.proxies.length ? rows(scene.proxies) : null };
    const theme = document.documentElement.dataset.shown ?? "light";
    return { scene, rows: made, picked: [...picked], base, link: this.link, theme };
  }

  /** Whether the points and the settings are those that the file was written with. */
  get asSaved() {
    const { data, after, settings } = this.made;
    return [data, after].some((one) => one?.scene === this.data.scene && String(one.picked) === String(this.data.picked)) &&
      Object.keys(this.link).every((key) => key in settings);
  }

  /** @param {Record<string, unknown>} settings */ #set(settings) {
    this.link = { ...this.link, ...settings };
    this.show();
  }

  /** What the room says here: computed, or as it was saved. */ #look() {
    const begun = performance.now();
    const { station, parts } = this;
    const here = parts.rooms.visit(station.page, this.state) ?? saved(station);
    this.#here = here;
    this.#say(here);
    this.controls.show(here.controls, this.made);
    this.#wait = Math.max(LEAST, SHARE * (performance.now() - begun));
    this.#last = performance.now();
  }

  /** @param {RoomHere} here */ #say(here) {
    const { base } = this.lesson;
    fill(this.none, here.none, base);
    const told = here.none
      ? { ...here, claim: this.station.notes.claim, line: "", lookFor: "", misleads: "", formulas: [] }
      : here;
    fill(this.claim, told.claim, base);
    fill(this.line, told.line, base);
    fill(this.lookFor, told.lookFor && `**Look for** ${told.lookFor}`, base);
    fill(this.misleads, told.misleads && `**How this picture misleads:** ${told.misleads}`, base);
    const live = Boolean(here.drawn);
    const shown = [this.figures.length && "the figure beside", !live && "these sentences"].filter(Boolean).join(" and ");
    say(this.status, `The points have moved: ${shown} ${this.figures.length && live ? "is" : "are"} as saved.`);
    this.status.hidden = this.asSaved || !shown;
    const lines = JSON.stringify(told.formulas);
    if (this.formulas.dataset.lines !== lines) {
      this.formulas.dataset.lines = lines;
      this.formulas.replaceChildren(...told.formulas.flatMap(({ lines: each, remark }) => [
        ...each.map((line) =>
          element("div", { class: "dml-formula", tabindex: 0, role: "group", "aria-label": "Formula" }, ...formula(line, true))
        ),
        ...(remark ? [filled("dml-caption", remark, base)] : []),
      ]));
    }
    const labels = here.presets.map(({ label }) => label).join("|");
    if (this.presets.dataset.labels === labels) return;
    this.presets.dataset.labels = labels;
    const each = here.presets.map((
      { label, settings },
    ) => /** @type {[string, () => void]} */ ([label, () => this.#preset(settings)]));
    this.presets.replaceChildren(...(each.length ? [presetRow("Break it", each)] : []));
  }

  /** @param {Record<string, unknown>} settings */ #preset(settings) {
    const { page } = this.station;
    const { scene, picked, base, link } = this.parts.rooms.stateOf(page, { ...this.link, ...settings });
    this.#take({ ...this.data, scene: write(scene), picked, base }, link);
    this.show();
  }

  #mount() {
    const { components } = this.parts;
    const { theme } = this.state;
    const drawn = this.#here?.drawn ?? { losses: this.data.losses, settings: this.data.settings };
    const lesson = this.data.lesson ?? {};
    const data = { ...this.data, ...drawn, lesson, theme, revision: this.#revision, serial: this.#serial };
    const setStateValue = (/** @type {string} */ _, /** @type {unknown} */ report) =>
      this.#report(/** @type {SceneReport} */ (report));
    const given = { setStateValue, setTriggerValue() {} };
    components.scene_editor.mount({ ...given, parentElement: this.hosts.scene, data });
    const { twin, panels } = this.made;
    if (twin) {
      components.second_view.mount({
        parentElement: this.hosts.twin,
        data: { ...twin, theme },
        setStateValue() {},
        setTriggerValue() {},
      });
    }
    if (panels) {
      components.panels.mount({
        parentElement: this.hosts.panels,
        data: emptyPanels(panels, this.link, theme),
        setStateValue() {},
        setTriggerValue() {},
      });
    }
  }

  /** What the editor reports of its points; the sentences follow as soon as there is time. @param {SceneReport} report */
  #report(report) {
    const { scene, base, picked, view, serial, revision } = report;
    if (revision !== this.#revision) return;
    this.#serial = serial;
    Object.assign(this.data, { scene, base, picked, view });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look();
      this.#mount();
    }, Math.max(0, this.#last + this.#wait - performance.now()));
  }

  /** @param {LessonQuestion} question */ #ask(question) {
    const { predict } = this.parts.components;
    const { base } = this.lesson;
    const hide = (/** @type {boolean} */ hidden) => {
      this.root.classList.toggle("dml-bare", hidden && question.bare);
      for (const figure of this.figures) figure.hidden = hidden && question.hides.includes(figure.dataset.figure ?? "");
      this.hosts.scene.classList.toggle("dml-hidden", hidden && question.hides.includes(this.station.page));
    };
    const reveal = (/** @type {number} */ answer) => {
      hide(false);
      const truth = this.#truth(question, answer);
      const { after, afterSettings } = this.made;
      this.#take({ ...this.data, ...after }, afterSettings ?? this.link, true);
      this.show();
      return truth;
    };
    const again = () => {
      this.begin();
      this.#ask(question);
      this.show();
    };
    this.card = new QuestionCard({ asked: question.asked, predict, palette: this.data.palette, base, reveal, again });
    this.ask.replaceChildren(this.card.root);
    hide(true);
  }

  /** @param {LessonQuestion} question @param {number} answer */ #truth(question, answer) {
    const found = question.answers.find(({ value }) => Math.abs(value - answer) < 1e-9) ?? question.answers[Math.round(answer)];
    return { said: found?.said ?? question.truth, verdict: found?.verdict ?? "", way: question.way };
  }
}

/** @typedef {{scene: string, base: string, picked: number[], view: string, serial: number, revision: number}} SceneReport */

/** A station as it was saved. @param {LessonStation} station @returns {RoomHere} */ function saved({ notes }) {
  return { ...notes, none: "", controls: [], drawn: null, presets: [], questions: [], says: () => null };
}

/** @param {string} name @param {string} text @param {string} base */ function filled(name, text, base) {
  const made = element("p", { class: name });
  fill(made, text, base);
  return made;
}

/** The message of panels that have nothing but their names: the scene's overlay computes all else.
 * @param {PanelsData} header @param {Record<string, unknown>} link @param {string} theme @returns {Message<PanelsData>} */
function emptyPanels(header, link, theme) {
  /** @param {"scale" | "part" | "draw"} name */ const set = (name) => String(link[`gradients.${name}`] ?? header[name]);
  const panels = header.panels.map((panel) => ({ ...panel, proxies: 0 }));
  const names = ["places", "y", "arrows", "lengths", "partners", "weights", "proxies", "owners"];
  const empty = () => Object.assign(new Float32Array(), { shape: [panels.length, 0, 0] });
  const arrays = Object.fromEntries(names.map((name) => [name, empty()]));
  return { header: { ...header, scale: set("scale"), part: set("part"), draw: set("draw"), theme, n: 0, panels }, arrays };
}
