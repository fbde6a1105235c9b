import { Curves } from "../live/panels/curves.js";
import { Desk } from "../live/desk.js";
import { Embedding } from "../live/panels/embedding.js";
import { offerPanels } from "../export/panels.js";
import { Gallery } from "../live/panels/gallery.js";
import { Headline } from "../live/panels/headline.js";
import { Histogram } from "../live/panels/histogram.js";
import { Loss } from "../live/panels/loss.js";
import { attempt } from "../host/attempt.js";
import { component } from "../host/mount.js";
import { element, say, sayOrHide } from "../draw/panel.js";
import { explain } from "../draw/words.js";
import { plotly } from "../plot/library.js";
import { Repaint } from "../draw/repaint.js";
import { Precision } from "../live/panels/precision.js";
import { CURVES } from "../race/curve.js";
import { RaceField } from "../race/field.js";
import { RaceHeadline } from "../race/headline.js";
import { RaceTable } from "../race/table.js";
import { Reports } from "../live/report.js";
import { Scrubber } from "../live/scrubber.js";
import { Score } from "../live/panels/score.js";
import { FedRun, LiveRun, RecordedRun } from "../live/source.js";
import { Spectrum } from "../live/panels/spectrum.js";
import { Strip } from "../live/panels/strip.js";
import { applyTheme } from "../host/theme.js";

/** @type {Record<string, {above: (new (desk: Desk) => Part)[], grid: (new (desk: Desk) => Part)[]}>} */ const LAYOUTS = {
  train: { above: [Headline, Scrubber], grid: [Embedding, Curves, Loss, Histogram, Precision, Spectrum, Strip] },
  start: { above: [], grid: [Score, Scrubber, Embedding, Strip, Gallery] },
  embedding: { above: [Scrubber], grid: [Embedding, Strip] },
  race: { above: [RaceHeadline, Scrubber], grid: [RaceField, ...CURVES, RaceTable] },
};
const WHOLLY = 1000; // ms between two drawings of the panels that are scrolled out of sight
const SKETCHES = 5; // drawn before Plotly is loaded, so that the points are seen to move at once
const LATEST = 700; // ms after which Plotly is loaded though less than that was sketched
/** @type {Record<string, string>} */ const WORDS = {
  opening: "Opening the run…",
  unknown: "The server has lost this run; the page looks for where it was saved…",
  unreachable: "The live stream cannot be reached; trying another way…",
  failed: "The run could not begin:",
  crowded: "The live stream has to wait:",
  interrupted: "The live stream broke off; the page goes on trying:",
  broken: "What came of the run could not be drawn; the page goes on trying:",
  misunderstood: "The server did not understand this page; reload it.",
  missing: "The recorded run could not be read.",
  version: "Reload the page, or record the run again: its messages are of",
};

/** The live picture on the page, of a live, recorded or fed run: its parts, its look, and the pump that draws them. */
class Picture {
  /** @type {Look | null} */ look = null;
  /** @type {string | null} */ #address = null;
  /** @type {Set<Element>} */ #hidden = new Set();
  /** @type {Part[]} */ #parts = [];
  #wholly = -Infinity;
  /** @type {number | undefined} */ #last; // drawing of panels out of sight, once no frames come
  /** @type {Map<Part, ExportMenu>} */ #menus = new Map(); // of exports, by part
  /** @type {WeakSet<Part>} */ #failed = new WeakSet(); // parts that could not be drawn
  /** @type {() => void} */ #paint;
  #sketched = new Promise((resolve) => (this.#paint = () => resolve(undefined)));

  /** @param {Host} host */ constructor(host) {
    this.message = element("p", { class: "dml-message", role: "status" }, WORDS.opening);
    this.missing = element("p", { class: "dml-message", role: "status", hidden: true }); // of the library
    this.root = element("div", { class: "dml-live" }, this.message, this.missing);
    this.root.addEventListener("pointerover", ({ target }) => explain(target, this.data.terms ?? {}));
    host.append(this.root);
    this.host = host;
    this.repaint = new Repaint((wanted) => this.#draw(wanted));
    this.#watchSharpness();
    this.reports = new Reports();
    this.desk = new Desk(this, this.reports, () => this.#library());
    this.sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) this.#hidden[isIntersecting ? "delete" : "add"](target);
      this.redraw();
    }, { rootMargin: "100px" });
  }

  /** Takes the newest data from Python; taking the same data again changes nothing. @param {Given<LiveData>} component */
  update(component) {
    const { data } = (this.component = component);
    const changed = this.reports.take(component);
    const turned = this.data && this.data.waits !== data.waits;
    const repictured = this.data && this.data.picture !== data.picture;
    this.data = data;
    if ("query" in changed) this.desk.query = changed.query;
    if ("view" in changed) this.desk.view(changed.view);
    this.#retheme(data);
    const another = this.#connect(data);
    if ("step" in changed) this.desk.ask(changed.step, another);
    if (turned && !another) this.desk.replayAgain();
    if (repictured && this.desk.subject) this.open(false);
    this.redraw();
  }

  close() {
    this.desk.source?.close();
    this.reports.close();
    this.sight.disconnect();
    this.sharpness?.abort();
    clearTimeout(this.#last);
    this.#close();
  }

  /** Opens the parts for the desk's subject; `fresh` where it is another one than before. @param {boolean} fresh */
  open(fresh) {
    if (this.shown !== this.data.layout) this.#arrange(this.data.layout);
    for (const part of this.#parts) this.#guard(part, () => part.open?.(fresh));
    offerPanels(this.#parts, this.desk, () => this.data, this.#menus);
    this.redraw();
  }

  /** Draws before the next repaint all parts, or those that follow `what`; resolves when it is drawn. @param {string} [what] */
  redraw(what) {
    return this.repaint.request(what);
  }

  /** Plays a recorded run once, or shows its end where the visitor prefers no motion. */
  replay() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.desk.follow();
    else this.#scrubber?.start(0);
    this.redraw();
  }

  /** Stops a playback. */
  hold() {
    this.#scrubber?.stop();
  }

  /** Nothing of the run is there yet. */
  waits(why = "") {
    say(this.message, [WORDS.opening, why].filter(Boolean).join(" "));
  }

  /** The picture shows the run that it was opened for. */
  came() {
    delete this.root.dataset.coming;
  }

  /** Removes the notice: there is a run to see. */
  found() {
    this.message.hidden = true;
  }

  /** @param {string} kind */ lost(kind, words = "") {
    say(this.message, [WORDS[kind] ?? WORDS.unknown, words].filter(Boolean).join(" "));
    this.message.hidden = false;
    this.redraw();
  }

  get #scrubber() {
    return this.#parts.find((part) => part instanceof Scrubber);
  }

  // Plotly holds the browser up for half a second while it starts: the first sketches are painted before that.
  async #library() {
    await Promise.race([this.#sketched, new Promise((resolve) => setTimeout(resolve, LATEST))]);
    /** @param {string} words */ const report = (words) => sayOrHide(this.missing, words);
    const Plotly = await attempt(plotly, report, { what: "Plotly's library" });
    requestAnimationFrame(() => this.redraw());
    return Plotly;
  }

  /** @param {LiveData} data */ #retheme(data) {
    if (!applyTheme(this, data)) return;
    Object.assign(this.desk, { palette: data.palette, look: this.look });
    if (this.desk.subject) this.open(false);
  }

  /** @param {LiveData} data */ #connect(data) {
    const address = `${data.mode} ${data.url}`;
    if (address === this.#address) return false;
    this.#address = address;
    this.desk.source?.close();
    this.waits(); // what was shown of the run before is over
    this.message.hidden = Boolean(this.desk.frame) && data.layout !== "race";
    this.root.dataset.coming = "";
    this.desk.still = data.url.startsWith("data:");
    const url = new URL(data.url.replace(/^\//, ""), document.baseURI);
    const socket = Object.assign(new URL(url), { protocol: url.protocol.replace("http", "ws") });
    const ask = (/** @type {string} */ steps) => this.component.setStateValue("points", steps);
    if (data.mode === "bytes") this.desk.source = new FedRun(data.url, data.subject, this.desk, ask);
    else if (data.mode === "recorded") this.desk.source = new RecordedRun(url, this.desk, data.embeddings);
    else this.desk.source = new LiveRun(socket, this.desk);
    return true;
  }

  #close() {
    for (const menu of this.#menus.values()) menu.remove();
    this.#menus.clear();
    for (const part of this.#parts) {
      part.close?.();
      part.panel?.close();
    }
  }

  // A part that fails says so, and does not stop the others, nor the frames to come.
  /** @param {Part} part @param {() => void} act */ #guard(part, act) {
    try {
      act();
      if (this.#failed.delete(part)) part.panel?.fault("");
    } catch (error) {
      if (!this.#failed.has(part)) console.error(error);
      this.#failed.add(part);
      part.panel?.fault(`This could not be drawn (${error.message}); the next step is tried again.`);
    }
  }

  // A canvas would be blurred on a screen of another pixel ratio.
  #watchSharpness() {
    this.sharpness?.abort();
    this.sharpness = new AbortController();
    const changed = () => {
      this.#watchSharpness();
      this.redraw();
    };
    const screen = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    screen.addEventListener("change", changed, { signal: this.sharpness.signal });
  }

  /** @param {string} name */ #arrange(name) {
    this.#close();
    this.sight.disconnect();
    this.#hidden.clear();
    this.#wholly = -Infinity;
    this.shown = name;
    this.root.dataset.layout = name;
    const { above, grid } = LAYOUTS[name];
    /** @param {new (desk: Desk) => Part} Part */ const make = (Part) => new Part(this.desk);
    const [heads, panels] = [above.map(make), grid.map(make)];
    this.#parts = [...heads, ...panels];
    const box = element("div", { class: "dml-grid" }, ...panels.map(({ panel, root }) => panel?.root ?? root));
    this.message.hidden = true;
    this.root.replaceChildren(this.message, this.missing, ...heads.map(({ root }) => root), box);
    for (const { panel, root } of panels) this.sight.observe(panel?.root ?? root);
  }

  /** Panels out of sight are drawn less often. @param {Set<string>} wanted */
  #draw(wanted) {
    if (!this.desk.frame || !this.root.isConnected) return;
    const now = performance.now();
    const every = wanted.has("all");
    const all = every && now - this.#wholly > WHOLLY;
    if (all) this.#wholly = now;
    clearTimeout(this.#last);
    if (this.#hidden.size && !all) this.#last = setTimeout(() => this.redraw(), WHOLLY);
    for (const part of this.#parts) {
      if (this.#hidden.has(part.panel?.root) && !all) continue;
      if (every || part.follows?.some((what) => wanted.has(what))) this.#guard(part, () => part.draw());
    }
    this.root.dataset.step = String(this.desk.frame.header.step);
    if (every) this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
    if (Number(this.root.dataset.drawn) === SKETCHES) setTimeout(this.#paint);
  }
}

export const { mount, unmount } = component(Picture, "live.css");
