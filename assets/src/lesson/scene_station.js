import { element, say } from "../draw/panel.js";
import { show } from "../host/mount.js";
import { read, rows, write } from "../scene/scene.js";
import { Controls, presetRow } from "./controls.js";
import { emptyPanels } from "./empty_panels.js";
import { frozenFigure } from "./frozen.js";
import { Notes } from "./notes.js";
import { Questions } from "./questions.js";
import { partsOf, saved } from "./reading.js";
import { recipeHere, roomIn } from "./recipe_here.js";
import { fill } from "../draw/marked.js";

const BUDGET = 4; // ms of a frame for sentences while points move: what is left is for drawing them

/** A page's scene in a file: the editor, what stands beside it, its controls, and its sentences as the points move. */
export class SceneStation {
  onLink = (/** @type {string} */ _link) => {}; // is told of the link of the state that is shown
  #serial = -1;
  #revision = 0;
  /** @type {RoomHere | null} */ #here = null;
  #frame = 0; // in which sentences are read next; 0 where none are
  #behind = false; // whether points have moved since the sentences that are being read
  /** @type {{label: string, settings: string} | null} */ #preset = null;
  #remark = "";

  /** @param {LessonStation} station @param {LessonData} lesson @param {LessonParts} parts */
  constructor(station, lesson, parts) {
    this.station = station;
    this.lesson = lesson;
    this.parts = parts;
    this.made = /** @type {LessonScene} */ (station.scene);
    this.begin();
    const { base } = lesson;
    this.controls = new Controls((settings) => this.#set(settings), base);
    const box = (/** @type {string} */ name) => element("div", { class: name });
    this.hosts = { scene: box("dml-host"), twin: box("dml-host"), panels: box("dml-host dml-wide") };
    this.notes = new Notes(base);
    this.presets = box("dml-preset-row");
    this.says = element("p", { class: "dml-says", role: "status", hidden: true });
    this.status = element("p", { class: "dml-caption dml-as-saved", role: "status", hidden: true });
    this.figures = station.figures.filter(({ svg }) => svg).map((figure) => frozenFigure(figure, this.made.data.palette, base));
    const { claim, below, formulas } = this.notes;
    const first = element("div", { class: "dml-first" }, claim, this.hosts.scene, ...below, this.status);
    const second = element("div", { class: "dml-beside-first" }, this.hosts.twin, ...this.figures);
    second.hidden = !this.made.twin && !this.figures.length;
    this.hosts.panels.hidden = !this.made.panels;
    const columns = element("div", { class: "dml-columns" }, this.controls.root, first, second);
    this.questions = new Questions(this);
    const nodes = [this.questions.root, this.presets, this.says, columns, this.hosts.panels, formulas];
    this.root = element("div", { class: "dml-station", "data-page": station.page }, ...nodes);
    if (station.question) this.questions.ask(station.question);
  }

  /** Takes the state in which the file was written. */
  begin() {
    const { data, settings } = this.made;
    this.take(data, settings);
  }

  /** The question on the screen. */ get card() {
    return this.questions.card;
  }

  /** Draws everything; also where the theme of the page has changed. */
  show() {
    this.#look();
    this.#mount();
    this.card?.redraw();
  }

  close() {
    cancelAnimationFrame(this.#frame);
    const { components } = this.parts;
    const modules = { scene: "scene_editor", twin: "second_view", panels: "panels" };
    this.root.remove();
    for (const [name, host] of Object.entries(this.hosts)) components[modules[/** @type {"scene"} */ (name)]].unmount(host);
  }

  /** Takes a state. @param {SceneData} data @param {Record<string, unknown>} settings @param {boolean} revealed */
  take(data, settings, revealed = false) {
    this.#revision += 1;
    this.data = { ...data, revealed };
    /** @type {Record<string, unknown>} */ this.link = { ...settings };
  }

  /** The state of the room as its points and settings are now. @returns {RoomState} */
  get state() {
    const scene = read(this.data.scene);
    const { picked, base } = this.data;
    const made = { z: rows(scene.points), proxies: scene.proxies.length ? rows(scene.proxies) : null };
    const theme = document.documentElement.dataset.shown ?? "light";
    return { scene, rows: made, picked: [...picked], base, link: this.link, theme };
  }

  /** Whether the points and the settings are those that the file was opened with. */ get asOpened() {
    const { data, settings } = this.made;
    return this.#hasScene(data) && this.#hasSettings(settings);
  }

  /** Whether the points and the settings are among those that the file was written with. */ get asSaved() {
    const { data, after, settings, afterSettings } = this.made;
    return (this.#hasScene(data) || this.#hasScene(after)) && (this.#hasSettings(settings) || this.#hasSettings(afterSettings));
  }

  /** @param {Pick<SceneData, "scene" | "picked"> | null} one */ #hasScene(one) {
    return one?.scene === this.data.scene && String(one.picked) === String(this.data.picked);
  }

  /** @param {Record<string, unknown> | null} given */ #hasSettings(given) {
    return Object.entries(this.link).every(([key, value]) => String(value) === String(given?.[key] ?? this.#usual(key)));
  }

  /** @param {string} key */ #usual(key) {
    return this.#here?.controls.find((control) => control.key === key)?.default;
  }

  /** @param {Record<string, unknown>} settings */ #set(settings) {
    const { [`${roomIn(this.made.data.recipe.settings)}.at`]: scene, ...others } = settings;
    /** @type {Record<string, unknown>} */ const link = { ...this.link, ...others };
    if (scene) this.take({ ...this.data, scene: String(scene) }, link);
    else this.link = link;
    this.show();
  }

  /** What the room says here: computed, or as it was saved. */ get #visited() {
    const { station, parts } = this;
    return parts.rooms.visit(station.page, this.state) ?? saved(station);
  }

  /** Shows what the room says here. @param {RoomHere} here */ #look(here = this.#visited) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#here = here;
    this.#say(here);
    this.controls.show(here.controls, this.made);
  }

  /** Reads what the room says here, in each frame as much as there is time for, and shows all of it at once. */ #follow() {
    this.#behind = false;
    const parts = partsOf(this.#visited);
    const read = () => {
      const until = performance.now() + BUDGET;
      let part = parts.next();
      while (!part.done && performance.now() < until) part = parts.next();
      this.#frame = requestAnimationFrame(part.done ? () => show(part.value) : read);
    };
    const show = (/** @type {RoomHere} */ here) => {
      this.#look(here);
      this.#mount();
      if (this.#behind) this.#follow();
    };
    this.#frame = requestAnimationFrame(read);
  }

  /** @param {RoomHere} here */ #say(here) {
    this.notes.show(here, this.station.notes.claim);
    const live = Boolean(here.drawn);
    const shown = [this.figures.length && "the figure beside", !live && "these sentences"].filter(Boolean).join(" and ");
    say(this.status, `The points or the settings have changed: ${shown} ${this.figures.length && live ? "is" : "are"} as saved.`);
    this.status.hidden = this.asSaved || !shown;
    if (this.#preset && !here.none) {
      const { label, settings } = this.#preset;
      const still = this.#now === settings;
      if (still) this.#remark = here.says(label) ?? "";
      const words = `${still ? "" : "Before your changes. "}**${label}.** ${this.#remark}`;
      fill(this.says, this.#remark && words, this.lesson.base);
    } else fill(this.says, "");
    const presets = this.made.hidden.includes("presets") ? [] : here.presets;
    const labels = presets.map(({ label }) => label).join("|");
    if (this.presets.dataset.labels === labels) return;
    this.presets.dataset.labels = labels;
    const each = presets.map((preset) => /** @type {[string, () => void]} */ ([preset.label, () => this.#bring(preset)]));
    this.presets.replaceChildren(...(each.length ? [presetRow("Break it", each)] : []));
    if (here.questions.length && !this.station.question) this.questions.offer(here.questions);
  }

  /** What tells whether a preset still holds: the points and the settings. */ get #now() {
    return JSON.stringify([this.data.scene, this.data.picked, this.link]);
  }

  /** @param {{label: string, settings: Record<string, unknown>}} preset */ #bring({ label, settings }) {
    this.#open(settings);
    this.#preset = { label, settings: this.#now };
    this.show();
  }

  /** Takes the state of the room with other settings. @param {Record<string, unknown>} settings */ #open(settings) {
    const { page } = this.station;
    const { scene, picked, base, link } = this.parts.rooms.stateOf(page, { ...this.link, ...settings });
    this.take({ ...this.data, scene: write(scene), picked, base }, link);
  }

  #mount() {
    const { components } = this.parts;
    const { theme } = this.state;
    const drawn = this.#here?.drawn ?? { losses: this.data.losses, settings: this.data.settings };
    const lesson = this.data.lesson ?? {};
    const here = this.#written(drawn);
    const recipe = here(this.made.data.recipe);
    const data = { ...this.data, ...drawn, lesson, theme, recipe, revision: this.#revision, serial: this.#serial };
    this.onLink(this.asOpened ? this.station.link : recipe.link);
    show(components.scene_editor, this.hosts.scene, data, (_, report) => this.#report(/** @type {SceneReport} */ (report)));
    const { twin, panels } = this.made;
    if (twin) show(components.second_view, this.hosts.twin, { ...twin, theme, recipe: here(twin.recipe) });
    if (!panels) return;
    this.hosts.panels.hidden = Boolean(this.#here?.none);
    const overlay = /** @type {GradientsOverlay} */ (drawn.settings);
    show(
      components.panels,
      this.hosts.panels,
      emptyPanels({ ...panels, recipe: here(panels.recipe) }, overlay, this.link, theme),
    );
  }

  /** What writes a saved recipe as of the state here. @param {Pick<SceneData, "losses" | "settings">} drawn */
  #written(drawn) {
    const { asOpened, link, made } = this;
    const data = { ...this.data, ...drawn };
    const figures = this.#here?.figures ?? {};
    /** @param {Recipe | undefined} saved */
    return (saved) =>
      asOpened || !saved ? saved : recipeHere(saved, made.data, data, link, (key) => this.#usual(key), figures[saved.figure]);
  }

  /** What the editor reports of its points; the sentences follow in the next frames. @param {SceneReport} report */
  #report(report) {
    const { scene, base, picked, view, serial, revision } = report;
    if (revision !== this.#revision) return;
    this.#serial = serial;
    Object.assign(this.data, { scene, base, picked, view });
    this.#behind = true;
    if (!this.#frame) this.#follow();
  }
}

/** @typedef {{scene: string, base: string, picked: number[], view: string, serial: number, revision: number}} SceneReport */
