import { component } from "../kit/mount.js";
import { oneEntry } from "../kit/one_entry.js";
import { sleep } from "../kit/sleep.js";

const WRITES =
  "input, textarea, select, [contenteditable=true], [role=slider], [role=radio], [role=tab], .dml-scene, dialog";
const [WIDE, TALL] = [1366, 768]; // px of the screen for which dml_viz/app/presentation.py gives the scale of a figure
const EDGE = 10; // px below a figure
const LEAST = 240; // px of its own that a figure has

const WALKS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };

/** The keys of *Present*, and the sleep of a page that shows one figure in a frame. */
class Presenter {
  #ending = new AbortController();
  #stopped = false; // by the slides around it
  #seen = true;

  constructor() {
    oneEntry();
    const on = (type, act) => addEventListener(type, act, { signal: this.#ending.signal });
    on("keydown", (event) => this.#key(event));
    on("message", ({ data }) => this.#message(data));
    this.sight = new IntersectionObserver(([entry]) => {
      this.#seen = entry.isIntersecting;
      this.#settle();
    });
    this.sizes = new ResizeObserver(() => this.#fit());
    on("resize", () => this.#fit());
  }

  update(component) {
    this.component = component;
    const { only, present } = component.data;
    document.documentElement.dataset.dmlPresents = only || present || "page";
    // A narrow node that is always there: it is in sight if the frame is.
    if (only) this.sight.observe(document.body);
    if (!only && !present) return;
    const shown = document.querySelector(`.st-key-${CSS.escape(only || present)}`);
    shown?.closest("details:not([open])")?.querySelector("summary")?.click();
    this.shown = only ? null : shown;
    if (this.shown) this.sizes.observe(this.shown.parentElement);
    this.#fit();
  }

  // How large the figure is drawn, and how much height the screen leaves it (dml_viz/app/presentation.py).
  #fit() {
    if (!this.shown?.isConnected) return;
    const { style } = document.documentElement;
    const times = this.component.data.times * Math.max(1, Math.min(innerWidth / WIDE, innerHeight / TALL));
    style.setProperty("--dml-times", String(times));
    const top = this.shown.getBoundingClientRect().top + document.querySelector("[data-testid=stMain]").scrollTop;
    style.setProperty("--dml-left", `${Math.max(LEAST, Math.floor((innerHeight - top - EDGE) / times))}px`);
  }

  close() {
    this.#ending.abort();
    this.sight.disconnect();
    this.sizes.disconnect();
    sleep(false);
  }

  #message(data) {
    const text = typeof data === "string" ? data : "";
    if (!this.component?.data.only || !["slide:stop", "slide:start"].includes(text)) return;
    this.#stopped = text === "slide:stop";
    this.#settle();
  }

  #settle() {
    sleep(Boolean(this.component?.data.only) && (this.#stopped || !this.#seen));
  }

  #key(event) {
    const { present, only } = this.component?.data ?? {};
    if (
      only || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(WRITES)
    ) return;
    const walk = present && WALKS[event.key];
    const turned = event.key === "p" || (present && event.key === "Escape");
    if (!walk && !turned) return;
    event.preventDefault();
    if (walk) this.component.setTriggerValue("walk", walk);
    else this.component.setTriggerValue("turn", !present);
  }
}

export const { mount, unmount } = component(Presenter, null);
