import { element, say } from "./panel.js";
import { follow, within } from "./pointing.js";

const [STEP, NEARER, TURN] = [40, 1.5, Math.PI / 36]; // px, times, and radians of a key
const [WHEEL, NOTCH, TOUCHPAD] = [0.002, 50, 5]; // of a pixel of a wheel; px of a notch; times on a touchpad, whose pixels are fewer
const ZOOMED = 0.99; // of all, from which there is something to move
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** What a visitor does to a disc: is told of the point that is pointed at (null: none) and of the one that is clicked (null:
 * beside all), goes by keys to the `next` point, whose `words` are read aloud, and draws after a change of what is seen.
 * @typedef {{
 *   hover: (point: number | null) => void, select: (point: number | null) => void, next: (by: number) => number | null,
 *   lit: () => number | null, redraw: () => void, words?: (point: number, entered: boolean) => string }} Acts */

/** Pointers and keys on a disc: they point at its points, and turn, move or zoom it. */
export class DiscControls {
  /** @type {Map<number, Spot>} */ #fingers = new Map();

  /** Pointers act on `picture`, in whose corner the disc begins, and keys on `stage`.
   * @param {import("./disc.js").Disc} disc @param {HTMLElement} stage @param {HTMLElement | SVGElement} picture @param {Acts} acts */
  constructor(disc, stage, picture, acts) {
    this.disc = disc;
    this.picture = picture;
    this.acts = acts;
    /** @template {keyof HTMLElementEventMap} K @param {K} type @param {(event: HTMLElementEventMap[K]) => void} act */
    const on = (type, act) => picture.addEventListener(type, /** @type {EventListener} */ (act));
    on("pointermove", (event) => event.buttons || acts.hover(this.#at(event)));
    on("pointerleave", () => acts.hover(null));
    on("pointerdown", (event) => this.#press(event));
    on("wheel", (event) => this.#wheel(event));
    on("dblclick", () => this.whole());
    this.spoken = element("span", { class: "dml-spoken", role: "status" });
    if (acts.words) stage.append(this.spoken);
    stage.addEventListener("keydown", (event) => this.#key(event));
    stage.addEventListener("blur", () => acts.hover(null));
  }

  /** Shows all of the picture. */
  whole() {
    this.disc.whole();
    this.#seen();
  }

  /** Zooms in by a factor, about a place in the picture (px from its middle). @param {number} by @param {Place} [at] */
  zoom(by, at) {
    this.disc.zoom(by, at);
    this.#seen();
  }

  // A finger scrolls the page until there is something to move.
  #seen() {
    this.picture.style.touchAction = this.disc.solid || this.#zoomed ? "none" : "pan-y";
    this.acts.redraw();
  }

  get #zoomed() {
    return this.disc.reach < ZOOMED * this.disc.most;
  }

  /** @param {PointerEvent} event */ #at(event) {
    return this.disc.pointAt(event, this.picture);
  }

  /** @param {PointerEvent} down */ #press(down) {
    if (down.button !== 0) return;
    const fingers = this.#fingers.set(down.pointerId, { clientX: down.clientX, clientY: down.clientY });
    const apart = () => {
      const [a, b] = fingers.values();
      return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    };
    const point = this.#at(down);
    follow(down, {
      move: (event, right, below) => {
        const before = fingers.size === 2 ? apart() : 0;
        fingers.set(down.pointerId, event);
        this.acts.hover(null);
        if (before) this.zoom(apart() / before);
        else if (fingers.size === 1) this.#move(right, below);
      },
      over: () => fingers.delete(down.pointerId),
      click: () => {
        this.acts.hover(point);
        this.acts.select(point);
      },
    });
  }

  /** @param {number} right @param {number} down */ #move(right, down) {
    this.disc.move(right, down);
    this.#seen();
  }

  // A wheel alone scrolls the page; two fingers that spread on a touchpad are a wheel with the key.
  /** @param {WheelEvent} event */ #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const [left, top] = within(this.picture, event);
    const at = { x: left - this.disc.width / 2, y: top - this.disc.height / 2 };
    this.zoom(Math.exp(-event.deltaY * WHEEL * (Math.abs(event.deltaY) < NOTCH ? TOUCHPAD : 1)), at);
  }

  /** Where the point that is pointed at is, in px from the middle of the picture; undefined for none. */ #lit() {
    const { disc } = this;
    const lit = this.acts.lit();
    if (lit === null || disc.solid) return undefined;
    const { x, y, inside } = disc.pixel(lit);
    return inside ? { x: x - disc.width / 2, y: y - disc.height / 2 } : undefined;
  }

  /** @param {number} by */ #step(by) {
    const point = this.acts.next(by);
    this.acts.hover(point);
    this.#speak(point, false);
  }

  /** @param {number | null} point @param {boolean} entered */ #speak(point, entered) {
    const { words } = this.acts;
    if (point !== null && words) say(this.spoken, words(point, entered));
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const { disc, acts } = this;
    const arrow = ARROWS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrow && disc.solid) {
      disc.turn(arrow[0] * TURN, arrow[1] * TURN);
      acts.redraw();
    } else if (arrow && this.#zoomed) this.#move(-STEP * arrow[0], -STEP * arrow[1]);
    else if (arrow) this.#step(arrow[0] + arrow[1]);
    else if (event.key === "n" || event.key === "p") this.#step(event.key === "n" ? 1 : -1);
    else if (event.key === "+" || event.key === "=") this.zoom(NEARER, this.#lit());
    else if (event.key === "-") this.zoom(1 / NEARER, this.#lit());
    else if (event.key === "0" || event.key === "Home") this.whole();
    else if (event.key === "Enter" && acts.lit() !== null) {
      acts.select(acts.lit());
      this.#speak(acts.lit(), true);
    } else if (event.key === "Escape") acts.hover(null);
    else return;
    event.preventDefault();
  }
}
