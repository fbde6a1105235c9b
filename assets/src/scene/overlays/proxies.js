import { draw, words } from "./proxies_drawing.js";
import { sides } from "./proxies_side.js";

export const EVENT = "dml-viz:proxies";

/** Proxy-NCA around the scene in the hand; Proxy-Anchor is drawn by the twin beside it, which hears of every frame. */
export class Overlay {
  #gradient = null;
  #seen = null;
  #ending = new AbortController();

  constructor(layers, tools) {
    this.tools = tools;
    this.picture = layers.below.ownerSVGElement;
    this.below = tools.pen(layers.below);
    this.above = tools.pen(layers.above);
    import("../../losses/losses.js").then(({ gradient }) => {
      this.#gradient = gradient;
      tools.redraw();
    });
    // A twin that has just come asks for what there is to draw.
    window.addEventListener(`${EVENT}?`, () => this.#tell(), { signal: this.#ending.signal });
  }

  close() {
    this.#ending.abort();
  }

  draw(seen) {
    this.#seen = seen;
    const { tools } = this;
    if (this.#gradient && seen.scene.proxies) {
      this.found = sides(seen.scene, seen.settings, this.#gradient);
      draw(seen, this.found.nca, tools, this.below, this.above);
      tools.note(words("Proxy-NCA", seen.scene, seen.settings, seen.picked, this.found.nca));
      this.#tell();
    }
    this.below.done();
    this.above.done();
  }

  #tell() {
    if (!this.found) return;
    const detail = { seen: this.#seen, side: this.found.anchor, tools: this.tools, picture: this.picture };
    window.dispatchEvent(new CustomEvent(EVENT, { detail }));
  }
}
