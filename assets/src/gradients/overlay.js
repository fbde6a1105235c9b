import { Follower } from "./follow.js";
import { GRADIENTS, GRADIENTS_POINT } from "../host/bus.js";
import { Pen } from "../draw/svg.js";
import { short } from "../draw/words.js";

const REST = 150; // ms after the last move, when losses that nobody sees are computed

/** One loss's arrows on the scene; the panels of all losses follow every frame. */
export class GradientsDrawing {
  /** @type {SceneSeen<GradientsOverlay> | null} */ #seen = null;
  #going = 0; // the timer of losses that were left out, 0 for none
  #watched = true; // whether panels are in sight
  #ending = new AbortController();

  /** `tools` is the stage of the picture, `hands` what presses and picks a point of it.
   * @param {SceneTools} tools @param {Hands} hands */
  constructor(tools, hands) {
    this.tools = tools;
    this.hands = hands;
    this.picture = tools.svg;
    this.outline = this.picture.querySelector(".dml-scene-outline");
    this.above = new Pen(tools.layers.above);
    this.follower = new Follower();
    // New panels ask for the latest frame.
    const { signal } = this.#ending;
    GRADIENTS.answer(() => this.#report(), signal);
    /** @param {Event} event */
    const point = (event) => this.#point(/** @type {Element} */ (event.target).closest?.("[data-handle]")?.dataset.handle);
    // A drawing that listens for focus becomes a stop of the Tab key.
    const [around, leave] = [this.picture.parentElement, () => this.#point()];
    this.picture.addEventListener("pointerover", point, { signal });
    this.picture.addEventListener("pointerleave", leave, { signal });
    around.addEventListener("focusin", point, { signal });
    around.addEventListener("focusout", leave, { signal });
  }

  close() {
    this.#ending.abort();
    clearTimeout(this.#going);
    this.#seen = null;
  }

  /** @param {SceneSeen<GradientsOverlay>} seen */ draw(seen) {
    this.#seen = seen;
    this.follower.gradient = seen.gradient;
    this.follower.take(seen.settings.losses, seen.settings.shown);
    this.#follow(this.#watched);
    this.#arrows();
    this.above.done();
  }

  // Losses that were left out are computed in the frames after the drag, and sooner where their panels are in sight.
  /** @param {number} wait */ #again(wait) {
    if (!wait && this.#going) return;
    clearTimeout(this.#going);
    this.#going = setTimeout(() =>
      requestAnimationFrame(() => {
        this.#going = 0;
        if (this.#seen && this.picture.isConnected) this.#follow(true, 0);
      }), wait);
  }

  /** @param {boolean} all @param {number} wait ms until what is left is computed */ #follow(all, wait = all ? 0 : REST) {
    if (this.follower.look(this.#seen.scene, all)) this.#again(wait);
    this.#report();
  }

  #arrows() {
    const { tools } = this;
    const { scene, settings } = this.#seen;
    const found = this.follower.found[settings.shown];
    if (!found || found.scene.z !== scene.z) return;
    const rows = (settings.part === "ambient" && found.ambient) || found.along;
    // Arrows off the circle have less room.
    const scale = rows === found.along ? -tools.scale(rows) : -tools.scale(rows) / 2;
    // A gradient of zero is left with rounding errors.
    const drawn = rows.map((value, k) => (found.lengths[Math.floor(k / scene.dim)] ? value : 0));
    tools.arrows(this.above, scene.z, drawn, scale);
    const { title } = settings.losses[settings.shown];
    tools.note(`Arrows of ${title}: loss ${short(found.value)}, |g| ${short(found.norm)}.`);
  }

  #report() {
    const seen = this.#seen;
    if (!seen) return;
    const { scene, picked, settings } = seen;
    const { outline, tools: { camera } } = this;
    const names = Object.keys(settings.losses);
    const frame = { scene, picked, names, found: this.follower.found, camera, outline, seen: false, ...this.hands };
    GRADIENTS.send(frame);
    this.#watched = frame.seen; // as each board says that is there
  }

  /** @param {string} [handle] */ #point(handle) {
    const point = handle === undefined || Number(handle) >= (this.#seen?.scene.n ?? 0) ? null : Number(handle);
    GRADIENTS_POINT.send(point);
  }
}
