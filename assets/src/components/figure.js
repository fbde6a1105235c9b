import { chartSize, fullLayout, LEAST } from "../plot/node.js";
import { shared } from "../export/files.js";
import { ExportMenu } from "../export/menu.js";
import { ChartPicture } from "../export/pictures.js";
import { attempt } from "../host/attempt.js";
import { FINGER, withFontSizes, withRevisionOfRanges } from "../plot/layout.js";
import { BinHighlight } from "../plot/light.js";
import { Links } from "../plot/link.js";
import { component } from "../host/mount.js";
import { element, sayOrHide } from "../draw/panel.js";
import { plotly } from "../plot/library.js";
import { onSlider } from "../host/sliders.js";
import { restacked } from "../plot/restack.js";
import { withNotesInside } from "../plot/notes.js";
import { textWidth } from "../export/measure.js";
import { growth } from "../draw/look.js";
import { pageTheme } from "../host/theme.js";

const CONFIG = {
  displaylogo: false,
  showSendToCloud: false,
  showTips: false,
  responsive: false,
  modeBarButtonsToRemove: ["lasso2d", "select2d", "autoScale2d", "toImage"],
};

const PATIENCE = 500; // ms that a figure out of sight waits at most
const NEAR = "200px"; // beyond the screen, from where an offered figure is asked for
const HEIGHT = 400; // px, before a figure says its own
const TOO_MANY = 429; // figures asked for by this browser, all at once
const BEHIND = 3000; // ms that the page may take to run for a slider whose move is drawn already
const MOVED = 8000; // ms that the figure of a slider's move may take; the page runs for that slider, too

// The figure in an answer, as text and read; an error where there is none, as in a proxy's page for signing in.
/** @param {Response} answer */ async function read(answer) {
  const text = await answer.text();
  /** @type {PlotlyFigure} */ const figure = JSON.parse(text);
  if (!Array.isArray(figure.data) || !figure.layout) throw new Error("the server sent something else");
  return { text, figure };
}

// A figure is as high as Python says; where its page is presented, as there is room, unless it would be much higher than wide.
/** @param {number} height */
const high = (height) => `min(var(--dml-room, ${height}px), max(${height}px, var(--dml-most, ${height}px)))`;

/** One Plotly figure from Python, redrawn in place when Python sends another. */
class Figure {
  /** @type {Given<FigureData> | null} */ component = null;
  /** @type {string | null} */ newest = null; // the figure that is wanted: its address, or itself
  /** @type {string | null} */ shown = null;
  /** @type {string | null} */ forgotten = null; // the address that the server knows no more
  /** @type {string | null} */ asked = null; // the theme that Python was told of
  /** @type {SliderMove | null} */ move = null;
  following = false;
  late = false;

  /** @param {Host} host @param {PlotlyLibrary} Plotly */ constructor(host, Plotly) {
    this.Plotly = Plotly;
    this.node = /** @type {ChartNode} */ (element("div", { class: "dml-figure", style: "width:100%" }));
    this.note = element("p", { role: "status", hidden: true });
    this.box = element("div", {}, this.note, this.node);
    host.append(this.box);
    this.sizes = new ResizeObserver(() => this.#fit());
    // A busy page gets several reports at once, of which the last is true.
    this.sight = new IntersectionObserver((reports) => this.#show(reports.at(-1).isIntersecting), { rootMargin: NEAR });
    this.left = new Set(); // what the figure showed before, while its slider moves
    this.moves = onSlider((move) => this.#follow(move));
    this.prints = () => this.#show(true); // what does not arrive in time is on the next print
    addEventListener("beforeprint", this.prints);
  }

  /** @param {Given<FigureData>} component */ update(component) {
    this.component = component;
    // A moving slider may have asked already for the figure that the page offers now.
    this.late = this.following;
    if (this.late) return;
    const { figure, source, theme } = component.data;
    // Python built the figure for one theme, and learns of another theme only with a rerun.
    const page = pageTheme(this.node, theme);
    if (page !== theme && page !== this.asked) this.component.setTriggerValue("theme", page);
    this.asked = page;
    const newest = source ?? figure;
    clearTimeout(this.behind);
    if (newest === this.newest) return this.left.clear();
    // The page has run for an earlier position of the slider.
    if (this.left.has(newest)) {
      this.behind = setTimeout(() => {
        this.left.clear();
        this.update(this.component);
      }, BEHIND);
      return;
    }
    this.left.clear();
    this.newest = newest;
    if (figure) this.node.style.height = high(component.data.height);
    else this.node.style.height ||= high(HEIGHT);
    // A figure in sight is drawn at once; the observer reports when any other comes near.
    if (this.#inSight()) this.#show(true);
    else {
      this.sight.unobserve(this.node);
      this.sight.observe(this.node);
    }
  }

  // A figure in a closed drawer has a place on the screen but cannot be seen.
  #inSight() {
    if (this.node.checkVisibility && !this.node.checkVisibility()) return false;
    const { top, bottom } = this.node.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  }

  // What a visitor sees is made and drawn first; an offered figure beyond the screen is not even asked for.
  /** @param {boolean} seen */ #show(seen) {
    if (this.newest === this.shown) return;
    const { figure, source } = this.component.data;
    if (!seen) {
      // Safari has no idle callbacks.
      const whenIdle = window.requestIdleCallback ?? ((draw, { timeout }) => setTimeout(draw, timeout / 5));
      if (figure) this.waiting ??= whenIdle(() => this.#show(true), { timeout: PATIENCE });
      return;
    }
    this.waiting = null;
    this.shown = this.newest;
    if (figure) return this.#draw(figure);
    this.node.ariaBusy = "true";
    this.#fetch(source);
  }

  /** @param {string} source */ async #fetch(source) {
    this.fetching?.abort();
    const given = new AbortController(); // up, where another figure is wanted
    this.fetching = given;
    const wanted = () => this.shown === source && !given.signal.aborted && this.node.isConnected;
    /** @param {number} _failures @param {AbortSignal} late */ const ask = async (_failures, late) => {
      const ending = new AbortController();
      for (const signal of [late, given.signal]) signal.addEventListener("abort", () => ending.abort());
      const answer = await fetch(new URL(source, document.baseURI), { signal: ending.signal });
      if (answer.ok) return read(answer);
      // The server has forgotten what it offered: a rerun of the page offers it again, under the same address.
      if (answer.status !== TOO_MANY && answer.status < 500 && this.forgotten !== source) {
        this.forgotten = source;
        this.component.setTriggerValue("stale", source);
      }
      throw new Error(`the server answered ${answer.status}`);
    };
    const answer = await attempt(ask, (words) => this.#say(words), { what: "This figure", wanted });
    if (answer && wanted()) this.#draw(answer.text, answer.figure);
  }

  /** @param {string} words */ #say(words) {
    sayOrHide(this.note, words);
  }

  // Draws the figure for a slider that moves, without waiting for the page to run: one request at a time, the newest next.
  /** @param {SliderMove} move */ async #follow(move) {
    this.move = move;
    if (!this.component?.data.source || !this.text || this.following || !this.#inSight()) return;
    this.following = true;
    while (this.move) {
      const { source } = this.component.data;
      const address = new URL(`${source}?${new URLSearchParams({ ...this.move })}`, document.baseURI);
      this.move = null;
      const moved = await this.#moved(address).catch(/** @returns {null} */ () => null); // the page's run brings the figure then
      const newest = moved && source.replace(/[^/]+$/, moved.name);
      if (!moved || newest === this.newest || !this.node.isConnected) continue;
      this.left.add(this.newest).delete(newest);
      this.newest = this.shown = newest;
      if (moved.text !== this.text) this.#draw(moved.text, moved.figure);
    }
    this.following = false;
    if (this.late && this.node.isConnected) this.update(this.component);
  }

  /** @param {URL} address */ async #moved(address) {
    const answer = await fetch(address, { signal: AbortSignal.timeout(MOVED) });
    const name = answer.status === 200 && answer.headers.get("Figure");
    return name ? { name, ...await read(answer) } : null;
  }

  /** @param {string} text @param {PlotlyFigure} figure */ #draw(text, figure = JSON.parse(text)) {
    if (!this.node.isConnected) return;
    const { link, ink, faint } = this.component.data;
    const by = growth();
    // On a large screen the letters of the page are larger.
    const { data, layout } = by === 1 ? figure : withFontSizes(figure, (size) => size * by);
    const { alt, height } = { alt: layout.meta?.alt, height: layout.height, ...this.component.data };
    this.text = text;
    this.alt = alt;
    this.node.ariaBusy = this.forgotten = null;
    // No image: the bar of the figure has buttons.
    this.node.setAttribute("role", "figure");
    this.node.setAttribute("aria-label", alt);
    this.node.style.height = high(height);
    this.light?.out();
    // The visitor's zoom stays when new data come; a figure that must not keep the zoom names its own revision.
    const look = { uirevision: "kept", modebar: { bgcolor: "rgba(0,0,0,0)", color: faint, activecolor: ink } };
    // On a touch screen a finger on the figure scrolls the page, and the bar would take room.
    const [touch, config] = FINGER.matches ? [{ dragmode: false }, { ...CONFIG, displayModeBar: false }] : [{}, CONFIG];
    const { width: wide, height: laid } = chartSize(this.node);
    const tall = laid || height; // none in a closed drawer
    this.#say("");
    /** @param {Error} error */
    const failed = ({ message }) => this.#say(`This figure could not be drawn (${message}); reload the page.`);
    const shown = restacked(data, { height, ...layout }, wide, tall);
    /** @param {{l?: number, r?: number}} [drawn] */
    const inside = (drawn) => (wide ? withNotesInside(shown.layout, wide, textWidth, drawn) : shown.layout);
    const begun = inside(fullLayout(this.node)?._size); // as in the drawing before
    const size = { height: tall, width: wide || undefined, autosize: !wide };
    const whole = withRevisionOfRanges({ ...look, ...begun, ...touch, ...size });
    const drawing = this.Plotly.react(this.node, shown.data, whole, config);
    drawing.then(() => this.text === text && this.#fitNotes(begun, inside)).catch(failed);
    if (!this.links) this.#listen();
    this.links.join(link);
  }

  // Names of an axis widen a margin as they are drawn, and so narrow the room of notes.
  /** @param {Layout} begun @param {(drawn: {l: number, r: number}) => Layout} inside */ async #fitNotes(begun, inside) {
    const { l, r } = fullLayout(this.node)?._size ?? {};
    if (l === undefined) return;
    const { annotations } = inside({ l, r });
    const sizes = [begun.annotations, annotations].map((notes) => `${notes?.map(({ font }) => font?.size)}`);
    if (sizes[0] !== sizes[1]) await this.Plotly.relayout(this.node, { annotations });
  }

  close() {
    this.moves();
    removeEventListener("beforeprint", this.prints);
    clearTimeout(this.behind);
    this.sizes.disconnect();
    this.sight.disconnect();
    this.fetching?.abort();
    this.links?.close();
    this.menu?.remove();
    this.Plotly.purge(this.node);
  }

  #listen() {
    this.links = new Links(this.node, this.Plotly);
    this.light = new BinHighlight(this.node);
    this.sizes.observe(this.node);
    this.node.on("plotly_click", ({ points: [point] }) => {
      if (!this.component.data.clickable) return;
      const { curveNumber: curve, pointNumber, customdata } = point;
      this.component.setTriggerValue("clicked", { curve, point: pointNumber, customdata: customdata ?? null });
    });
    if (!this.component.data.recipe) return;
    const picture = new ChartPicture(this.Plotly, this.node, () => {
      const { theme, recipe, palette = shared("palette") } = this.component.data;
      return { palette, theme, words: this.alt, recipe, first: JSON.parse(this.text) };
    });
    this.menu = new ExportMenu(this.box, picture);
  }

  #fit() {
    if (matchMedia("print").matches) return;
    const { clientWidth: width, clientHeight: height } = this.node;
    if (Math.min(width, height) < LEAST) return; // a size that the page passes on the way to another layout
    const shown = fullLayout(this.node) ?? { width, height };
    const off = Math.max(Math.abs(width - shown.width), Math.abs(height - shown.height));
    if (off >= 1) this.#draw(this.text); // names and notes have other places at another width
  }
}

export const { mount, unmount } = component(Figure, null, plotly);
