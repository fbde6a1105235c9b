import { component } from "../host/mount.js";
import { mergeHistoryEntries } from "../host/one_entry.js";
import { announceChanges, followFocus } from "../host/follow_focus.js";
import { closePopoverOfPressed, closePopoverWithoutButton, leadTabThroughPopover } from "../host/popovers.js";
import { element, say } from "../draw/panel.js";
import { contents, keyed } from "../host/page.js";
import { sleep } from "../host/sleep.js";

const [HEAD, KEYS] = [keyed("present-head"), keyed("presenter")];
const WRITES = "input, textarea, select, [contenteditable=true], [role=slider], [role=radio], [role=tab], .dml-scene, dialog";
const [WIDE, TALL] = [1366, 768]; // px of the screen for which dml_viz/app/presentation_style.py gives the scale of a figure
const GAP = 12; // px around a figure
const NARROW = 700; // px of a screen below which there is no room beside a figure
const SIDE = 0.25; // of the screen's width, for the knobs
const [NARROWEST, WIDEST] = [290, 460]; // px of the knobs on that screen
const KNOB = 1.48; // scale of a knob's words on that screen
const OFTEN = 300; // ms
const SEPARATOR = "~"; // between the keys of two figures, as in links
const VIEW = ".twin"; // ends the key of a second view of a scene, which stands beside the scene and is one figure with it

/** @type {Record<string, number>} */ const WALKS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
/** @type {Record<string, number>} */ const CHANGES = { ArrowDown: 1, ArrowUp: -1 };

const LATER = 3000; // ms without a change of the page's height, after which it has come to rest
const SCROLLS = ["wheel", "touchstart", "pointerdown", "keydown"];
let followed = 0; // the last arrival at a figure, which is scrolled to once

/** @param {string} selector */ const visible = (selector) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector))].find((node) =>
    node.checkVisibility() && node.offsetHeight
  );

/** The name of a panel by its classes; the menu of exports adds one. @param {string[]} classes */
const nameOf = (classes) => classes.filter((name) => name !== "dml-exported").at(-1).replace("dml-", "");

/** What the page was asked for, in order, such as a figure to present; the page follows later. @template Shown */
class Asked {
  /** @type {Shown | undefined} */ now = undefined;
  /** @type {Shown[]} */ #waiting = [];

  /** Takes what the page shows `now`. @param {Shown} now */
  follow(now) {
    if (now !== this.now) this.#waiting.splice(0, this.#waiting.indexOf(now) + 1 || Infinity);
    this.now = now;
  }

  /** @param {Shown} to */ add(to) {
    this.#waiting.push(to);
  }

  get waits() {
    return this.#waiting.length > 0;
  }

  /** What the page will show once it has followed. */
  get last() {
    return this.#waiting.length ? this.#waiting.at(-1) : this.now;
  }
}

/** @type {Asked<number>} */
const stations = new Asked(); // of the lesson, by their numbers; each is a page of its own, so they outlive a presenter
let count = 0; // of these
/** @type {Presenter | null} */ let current = null; // the presenter of the page; null until a page that begins has its own

/** The number of the station that is `by` further than the last one asked for; 0 if the lesson has none. @param {number} by */
const walked = (by) => {
  const to = stations.last + by;
  if (to < 1 || to > count) return 0;
  stations.add(to);
  return to;
};
/** @param {KeyboardEvent} event */ const typed = (event) =>
  event.defaultPrevented || event.ctrlKey || event.metaKey || /** @type {Element} */ (event.target).closest?.(WRITES);

mergeHistoryEntries(); // at once, since this script is in each page's document

addEventListener("keydown", (event) => {
  if (current) return current.key(event);
  if (stations.waits && WALKS[event.key] && !typed(event)) walked(WALKS[event.key]);
});

/** *Present*: its keys and buttons, the places of what is presented, and the sleep of a page that shows one figure in a frame. */
class Presenter {
  #ending = new AbortController();
  #stopped = false; // by the slides around it
  #seen = true;
  #begun = false;
  /** @type {Asked<string>} */ #turns = new Asked(); // the figures, as text

  /** @param {Host} host */ constructor(host) {
    /** @template {"message" | "resize" | "keydown" | "click"} K @param {K} type @param {(event: WindowEventMap[K]) => void} act */
    const on = (type, act) => addEventListener(type, act, { signal: this.#ending.signal });
    current = this;
    on("message", ({ data }) => {
      if (!this.component?.data.only || !["slide:stop", "slide:start"].includes(data)) return;
      this.#stopped = data === "slide:stop";
      this.#settle();
    });
    this.sight = new IntersectionObserver((reports) => {
      this.#seen = reports.at(-1).isIntersecting;
      this.#settle();
    });
    this.sizes = new ResizeObserver(() => this.#fit());
    on("resize", () => this.#fit());
    on("keydown", leadTabThroughPopover);
    on("keydown", followFocus);
    on("click", closePopoverOfPressed);
    /** @param {string} text @param {string} label @param {() => void} onclick */
    const button = (text, label, onclick) => element("button", { "aria-label": label, title: label, onclick }, text);
    this.count = element("span", {});
    this.layoutButton = button("", "One figure, or two side by side (Shift and Down)", () => this.#change(0));
    const change = [
      button("↑", "The figure before (Up)", () => this.#change(-1)),
      this.count,
      button("↓", "The next figure (Down)", () => this.#change(1)),
      this.layoutButton,
    ];
    this.change = element("span", {}, ...change);
    const leave = button("Leave", "Leave the presentation (Esc)", () => this.#turn(""));
    this.bar = element(
      "nav",
      { class: "dml-presenting", "aria-label": "Presentation", tabindex: -1, hidden: true },
      this.change,
      leave,
    );
    host.append(this.bar);
  }

  /** @param {Given<PresenterData>} component */ update(component) {
    this.component = component;
    announceChanges();
    setTimeout(closePopoverWithoutButton, OFTEN); // when the page is laid out
    const { only, present, figures } = component.data;
    const { dataset } = document.documentElement;
    const shown = [only, present].flat().filter(Boolean);
    if (!shown.length) this.#arrive();
    this.#turns.follow(shown.join(SEPARATOR));
    // Goes on to the station that was asked for while the page began.
    count = component.data.stations;
    stations.follow(present ? component.data.station : 0);
    if (!this.#begun && stations.waits) this.#walk(stations.last);
    const begun = this.#begun;
    this.#begun = true;
    dataset.dmlPresents = shown.join(" ").replaceAll(".", "-") || "page";
    const before = this.bar.hidden;
    this.bar.hidden = Boolean(only) || !present;
    if (begun && this.bar.hidden !== before) this.#leadFocus();
    // A narrow node that is always there: it is in sight if the frame is.
    if (only) this.sight.observe(document.body);
    this.sizes.disconnect();
    const drawn = shown.map((key) => document.querySelector(figures[key] ?? figures[key.replace(/\.[^.]*$/, "")]));
    for (const figure of drawn) {
      figure?.closest("details:not([open])")?.querySelector("summary")?.click();
    }
    clearInterval(this.waiting);
    if (only || !present) return;
    const around = [HEAD, KEYS, ...component.data.foot, ...component.data.side];
    for (const node of [document.documentElement, ...around.map(visible), ...drawn]) if (node) this.sizes.observe(node);
    this.#fit();
    // The panels of a run come later than the page; then they can be chosen, too.
    this.waiting = setInterval(() => {
      if (this.#keys.join(" ") !== document.documentElement.dataset.dmlFigures) this.#fit();
    }, OFTEN);
  }

  // The focus is lost with the button that was pressed: it goes to the bar, and in the end back to the button that presents.
  #leadFocus() {
    const next = () =>
      this.bar.hidden
        ? /** @type {HTMLElement | null} */ (document.querySelector(`${keyed("present-button")} button`))
        : this.bar;
    const end = performance.now() + LATER;
    clearInterval(this.leading);
    this.leading = setInterval(() => {
      if (document.activeElement === document.body) next()?.focus();
      if (document.activeElement === next() || performance.now() > end) clearInterval(this.leading);
    }, OFTEN);
  }

  // Scrolls to the figure of the visitor's link, and stays with it while others above it are drawn, until the visitor scrolls.
  #arrive() {
    const { arrival, at, figures } = this.component.data;
    if (!at || arrival === followed) return;
    followed = arrival;
    const ending = new AbortController();
    const end = () => ending.abort();
    const go = () => {
      clearTimeout(this.resting);
      this.resting = setTimeout(end, LATER);
      const figure = /** @type {HTMLElement | null} */ (document.querySelector(figures[at]));
      figure?.closest("details:not([open])")?.querySelector("summary")?.click();
      const high = figure && figure.offsetHeight > 0.7 * innerHeight;
      figure?.style.setProperty("scroll-margin-top", "9rem"); // the header, and the claim above the figure
      figure?.scrollIntoView({ block: high ? "start" : "center" });
    };
    const heights = new ResizeObserver(go);
    heights.observe(contents());
    for (const type of SCROLLS) addEventListener(type, end, { signal: ending.signal, capture: true });
    for (const { signal } of [ending, this.#ending]) signal.addEventListener("abort", () => heights.disconnect());
  }

  /** The keys of all figures of the page, each followed by those of its panels, if it has any. */
  get #keys() {
    return Object.entries(this.component.data.figures).flatMap(([key, selector]) => {
      const panels = [...document.querySelectorAll(`${selector} .dml-live .dml-grid > .dml-panel:not([hidden])`)];
      return [key, ...panels.map(({ classList }) => `${key}.${nameOf([...classList])}`)];
    });
  }

  // Presents the figures `step` places further down; for 0 the next one too, or the first alone where there are two.
  /** @param {number} step */ #change(step) {
    const keys = this.#keys;
    if (!keys.length) return;
    const present = this.#turns.last.split(SEPARATOR);
    const shown = step ? present.filter((key) => !present.includes(key + VIEW)) : present;
    const places = shown.map((key) => Math.max(0, keys.indexOf(key)));
    /** @param {number} place @param {number} by */ const moved = (place, by) => (place + by + keys.length) % keys.length;
    const next = step
      ? places.map((place) => moved(place, step))
      : places.length > 1
      ? [places[0]]
      : [places[0], moved(places[0], 1)];
    this.#turn(next.map((place) => keys[place]).join(SEPARATOR));
  }

  /** @param {string} to */ #turn(to) {
    this.#turns.add(to);
    this.component.setTriggerValue("turn", to);
  }

  /** The page gets the number of the station, not a step, since it may miss those asked for before. @param {number} to */
  #walk(to) {
    if (to) this.component.setTriggerValue("walk", to);
  }

  // Divides the screen: styles of dml_viz/app/presentation_style.py put each part into its place.
  #fit() {
    const { present, foot, side, times: least } = this.component?.data ?? {};
    if (!present) return;
    const keys = this.#keys;
    document.documentElement.dataset.dmlFigures = keys.join(" ");
    this.change.hidden = keys.length < 2;
    if (!present.length) return;
    say(this.count, `${keys.indexOf(present[0]) + 1} of ${keys.length}`);
    say(this.layoutButton, present.length > 1 ? "One" : "Two");
    const { style } = document.documentElement;
    /** @param {string} name @param {string | number} value */
    const set = (name, value) => style.setProperty(`--dml-${name}`, typeof value === "number" ? `${value}px` : value);
    const scale = Math.max(1, Math.min(innerWidth / WIDE, innerHeight / TALL));
    const narrow = innerWidth < NARROW; // a phone: no knobs, keys, claims and figures below each other
    const times = narrow ? 1 : least * scale;
    set("times", String(times));
    set("knob", String(narrow ? 1 : KNOB * scale));
    const [headHigh, keysHigh] = [HEAD, KEYS].map((name) => visible(name)?.offsetHeight ?? 0);
    const top = (narrow ? headHigh + keysHigh : Math.max(headHigh, keysHigh)) + GAP;
    let bottom = 0;
    for (const [at, name] of foot.entries()) {
      set(`row-${at}`, bottom);
      bottom += visible(name)?.offsetHeight ?? 0;
    }
    const wide = !narrow && side.some(visible) ? Math.min(WIDEST * scale, Math.max(NARROWEST * scale, innerWidth * SIDE)) : 0;
    const high = innerHeight - top - bottom - GAP;
    set("top", top);
    set("side", wide);
    set("high", high);
    // The keys are above the knobs, or at the right end; so each claim begins where its figure does.
    const keysWide = visible(KEYS)?.offsetWidth ?? 0;
    document.documentElement.dataset.dmlKeys = narrow ? "above" : wide ? "left" : "right";
    const head = Math.max(wide + GAP, wide && keysWide);
    set("head", head);
    set("claims", innerWidth - head - (narrow || wide ? 0 : keysWide));
    set("claims-top", narrow ? keysHigh : 0);
    const [columns, rows] = narrow ? [1, present.length] : [present.length, 1];
    const [each, free] = [(innerWidth - wide - GAP) / columns - GAP, (high + GAP) / rows - GAP];
    for (const at of present.keys()) {
      set(`left-${at}`, wide + GAP + (narrow ? 0 : at * (each + GAP)));
      set(`top-${at}`, top + (narrow ? at * (free + GAP) : 0));
    }
    set("wide", each / times);
    set("free", Math.floor(free / times));
  }

  close() {
    clearInterval(this.leading);
    if (current === this) current = null;
    this.#ending.abort();
    clearInterval(this.waiting);
    this.sight.disconnect();
    this.sizes.disconnect();
    sleep(false);
  }

  #settle() {
    sleep(Boolean(this.component?.data.only) && (this.#stopped || !this.#seen));
  }

  /** Answers a key. @param {KeyboardEvent} event */
  key(event) {
    const { present, only, main } = this.component?.data ?? {};
    if (only || typed(event)) return;
    // Not P alone: what is dictated or typed by mistake would present the page. On a Mac Alt+P writes another letter.
    const asked = event.altKey && event.code === "KeyP";
    const [walk, step] = [WALKS, CHANGES].map((keys) => present && !event.altKey && keys[event.key]);
    const turned = asked || (present && !event.altKey && event.key === "Escape");
    if (!walk && !turned && !step) return;
    event.preventDefault();
    if (walk) this.#walk(walked(walk));
    else if (step) this.#change(event.shiftKey ? 0 : step);
    else this.#turn(present ? "" : main);
  }
}

export const { mount, unmount } = component(Presenter, null);
