import { PROXIES } from "../../host/bus.js";
import { SceneOverlay } from "./overlay.js";
import { draw, words } from "./proxies_drawing.js";
import { sides } from "./proxies_side.js";

/** Proxy-NCA around the edited scene; Proxy-Anchor is drawn by the second view, which gets every frame as an event.
 * @extends {SceneOverlay<SceneSeen<ProxiesOverlay>>} */
export class ProxiesDrawing extends SceneOverlay {
  /** @type {ProxiesFrame | null} */ #detail = null;
  #ending = new AbortController();

  /** @param {SceneTools} tools */ constructor(tools) {
    super(tools);
    // A new second view asks for the latest frame.
    PROXIES.answer(() => this.#send(), this.#ending.signal);
  }

  close() {
    this.#ending.abort();
  }

  /** @param {SceneSeen<ProxiesOverlay>} seen */ paint(seen) {
    const { scene, settings, picked, gradient } = seen;
    const { tools } = this;
    if (!gradient || !scene.proxies) return;
    const { nca, anchor } = sides(scene, settings, gradient);
    draw(seen, nca, tools, this.below, this.above);
    tools.note(words("Proxy-NCA", scene, settings, picked, nca));
    this.#detail = { seen, side: anchor, camera: tools.camera, picture: tools.svg };
    this.#send();
  }

  #send() {
    if (this.#detail) PROXIES.send(this.#detail);
  }
}
