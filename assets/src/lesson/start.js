import { button, element, say } from "../draw/panel.js";
import { faces } from "../export/fonts.js";
import { RunStation } from "./run_station.js";
import { SceneStation } from "./scene_station.js";
import { fill } from "../draw/marked.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");

/** The file on the screen: its head, the station that is open, and its foot. */
export class Lesson {
  at = -1;
  /** @type {number | null} */ waits = null; // the station that is opened once what scenes need is unpacked
  need = () => {}; // asks for that to be unpacked now
  /** @type {SceneStation | RunStation | null} */ station = null;
  /** @type {Map<number, SceneStation | RunStation>} */ opened = new Map();

  /** @param {LessonData} data @param {LessonParts} parts @param {HTMLElement} root */
  constructor(data, parts, root) {
    this.data = data;
    window.dmlBase = data.base ?? "";
    this.parts = parts;
    this.title = element("h1", {}, data.title);
    this.lead = element("p", { class: "dml-lead" });
    this.text = element("p", { class: "dml-station-text" });
    this.theme = button(() => this.#turn(), { class: "dml-button dml-theme" });
    const stations = data.stations.map(({ title }, k) => element("option", { value: String(k) }, `${k + 1}. ${plainOf(title)}`));
    /** @returns {void} */ const onchange = () => this.go(Number(this.menu.value));
    this.menu = element("select", { "aria-label": "Station", onchange }, ...stations);
    this.back = button(() => this.go(this.at - 1), { class: "dml-button" }, "Back");
    this.next = button(() => this.go(this.at + 1), { class: "dml-button dml-primary" }, "Next");
    this.done = element("p", { class: "dml-done-words", role: "status", hidden: true });
    const way = element("nav", { class: "dml-way", "aria-label": "Stations" }, this.menu, this.back, this.next);
    way.hidden = !data.whole;
    this.heading = element("p", { class: "dml-station-title" });
    this.box = element("div", { class: "dml-box" });
    new MutationObserver(() => this.#end()).observe(this.box, { subtree: true, attributeFilter: ["data-stage"] });
    this.foot = element("footer", {});
    root.replaceChildren(
      element("header", { class: "dml-head-of" }, this.title, way, this.theme),
      element("main", {}, this.heading, this.text, this.done, this.lead, this.box),
      this.foot,
    );
    DARK.addEventListener("change", () => this.#dress());
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("hashchange", () => this.go(this.#asked));
    this.start = this.#asked;
  }

  /** The station in the address, from 0; the first without one. */ get #asked() {
    const asked = Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 1) - 1;
    return Math.min(Math.max(asked, 0), this.data.stations.length - 1);
  }

  /** The station that is opened first. */ get first() {
    return this.data.stations[this.start];
  }

  begin() {
    faces().catch(() => {}); // the letters of the page and of what is saved from it
    this.#dress();
    this.go(this.start);
  }

  /** Opens a station; one that was open before is as it was left. @param {number} at */
  go(at) {
    const { data, parts } = this;
    const found = data.stations[at];
    if (!found || at === this.at) return;
    if (found.scene && !parts.rooms) {
      this.waits = at;
      this.need();
      return;
    }
    this.#address(at);
    this.at = at;
    this.station?.root.remove();
    const Kind = found.scene ? SceneStation : RunStation;
    const known = this.opened.get(at);
    this.station = known ?? new Kind(found, data, parts);
    this.#sign(found);
    if (this.station instanceof SceneStation) this.station.onLink = (link) => this.#point(link || "./");
    this.opened.set(at, this.station);
    this.box.replaceChildren(this.station.root);
    this.station.show();
    fill(this.heading, data.whole ? `${at + 1} of ${data.stations.length}: **${found.title}**` : "", data.base);
    fill(this.text, found.text, data.base);
    fill(this.lead, found.notes.lead, data.base);
    this.lead.hidden ||= Boolean(found.question) && data.whole;
    this.menu.value = String(at);
    this.back.disabled = at === 0;
    this.next.disabled = at + 1 >= data.stations.length;
    this.#end();
    scrollTo(0, 0);
  }

  // The browser's Back leads to the station before; a page around the file keeps its own way.
  /** @param {number} at */ #address(at) {
    if (!this.data.whole || at === this.#asked) return;
    try {
      history[this.at < 0 || parent !== window ? "replaceState" : "pushState"](null, "", `#${at + 1}`);
    } catch { /* a frame that may not */ }
  }

  #end() {
    const cards = this.data.stations.map(({ question }, k) => question && this.opened.get(k)?.card);
    /** @param {{asked: {kind: string}} | null} question */ const predicts = (question) =>
      question && question.asked.kind !== "shown";
    const asked = this.data.stations.filter(({ question }) => predicts(question)).length;
    const revealed = cards.filter((card) => card?.stage === "revealed" && predicts(card));
    this.done.hidden = !this.data.whole || !asked || revealed.length < asked;
    const count = (/** @type {string} */ verdict) => revealed.filter((card) => card?.verdict === verdict).length;
    say(this.done, `Done. ${count("Right")} of ${asked} predictions right, ${count("Close")} close.`);
  }

  /** @param {LessonStation} station */ #sign({ link, name }) {
    const { base, saved, licences } = this.data;
    this.live = element("a", { target: "_blank", rel: "noopener noreferrer" }, `Open ${name} live`);
    this.code = element("code");
    /** @param {string} title @param {Node} content */
    const drawer = (title, content) => element("details", {}, element("summary", {}, title), content);
    const elsewhere = element("p", {}, "In the app, or as files by ", element("code", {}, "dml-viz export"), ": ", this.code);
    this.foot.replaceChildren(
      element("p", {}, `Made with dml-viz, ${saved}. This file asks nothing of any server.`, ...(base ? [" ", this.live] : [])),
      drawer("The same state elsewhere", elsewhere),
      drawer("Licences of what is inside", element("pre", { tabindex: 0 }, licences)),
    );
    this.#point(link);
  }

  /** Writes the link of the state that is shown. @param {string} link */
  #point(link) {
    this.live.href = `${this.data.base}${link}`;
    say(this.code, link);
  }

  /** @param {KeyboardEvent} event */ #key({ key, altKey, target }) {
    if (!this.data.whole || !altKey || /** @type {Element} */ (target).matches?.("input, select, textarea")) return;
    if (key === "ArrowRight" || key === "ArrowLeft") this.go(this.at + (key === "ArrowRight" ? 1 : -1));
  }

  #turn() {
    const { dataset } = document.documentElement;
    dataset.theme = dataset.shown === "dark" ? "light" : "dark";
    this.#dress();
  }

  /** Gives everything the colours of the page. */ #dress() {
    const { dataset } = document.documentElement;
    dataset.shown = dataset.theme ?? (DARK.matches ? "dark" : "light");
    say(this.theme, dataset.shown === "dark" ? "Light" : "Dark");
    this.theme.setAttribute("aria-label", `Colours: ${dataset.shown === "dark" ? "light" : "dark"}`);
    this.station?.show();
  }
}

/** A title without TeX. @param {string} title */ function plainOf(title) {
  return title.replace(/\\([\\`*_[\]<>$|~#:])/g, "$1").replace(/\$/g, "");
}
