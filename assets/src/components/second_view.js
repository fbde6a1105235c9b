import { offerDrawing } from "../export/scene.js";
import { PROXIES } from "../host/bus.js";
import { element } from "../draw/panel.js";
import { component } from "../host/mount.js";
import { applyTheme } from "../host/theme.js";
import { SceneOverlay } from "../scene/overlays/overlay.js";
import { draw, words } from "../scene/overlays/proxies_drawing.js";
import { Stage } from "../scene/stage.js";

/** A second picture of the editor's scene, under Proxy-Anchor. */
class SecondView {
  #ending = new AbortController();
  /** @type {ProxiesFrame | null} */ #last = null;
  /** @type {Look | null} */ look = null;
  /** @type {ExportMenu | null} */ menu = null;
  /** @type {Element | null} */ #picture = null; // beside this one
  #sizes = new ResizeObserver(() => this.#level());

  /** @param {Host} host */ constructor(host) {
    this.host = host;
    this.stage = new Stage(() => this.#last && this.#draw(this.#last), { still: true });
    /** @type {SceneOverlay<ProxiesFrame>} */ this.overlay = new SceneOverlay(this.stage);
    this.overlay.paint = ({ seen, side }) => draw(seen, side, this.stage, this.overlay.below, this.overlay.above);
    this.root = element("div", { class: "dml-scene dml-proxies-twin" }, this.stage.root);
    host.append(this.root);
    PROXIES.listen((frame) => this.#draw(/** @type {ProxiesFrame} */ (frame)), this.#ending.signal);
  }

  /** @param {Given<SecondViewData>} given */ update({ data }) {
    this.stage.height = data.height;
    applyTheme(this, data);
    this.data = data;
    this.menu ??= data.recipe && offerDrawing(this.stage.root, this.stage.svg, () => ({ ...this, frame: this.#last }));
    PROXIES.ask();
  }

  close() {
    this.stage.close();
    this.#sizes.disconnect();
    this.#ending.abort();
    this.menu?.remove();
  }

  /** @param {ProxiesFrame} frame */ #draw(frame) {
    this.#last = frame;
    const { seen: { state, scene, settings, picked }, side, camera, picture } = frame;
    const { stage } = this;
    if (!stage.width) return;
    if (picture !== this.#picture) this.#stand(picture);
    stage.camera = camera;
    stage.begin(state, this.look);
    this.overlay.draw(frame);
    const summary = words("Proxy-Anchor", scene, settings, picked, side);
    stage.note(summary);
    stage.finish(state, this.look);
    // A class without a proxy hides the mark of that proxy; a mark may have been another's in the scene before.
    const { points, proxies } = state.scene;
    for (const i of Array(points.length + proxies.length).keys()) {
      stage.handle(i).style.display = i < points.length + side.count ? "" : "none";
    }
    stage.svg.setAttribute("aria-label", summary);
    this.root.dataset.drawn = String(Number(this.root.dataset.drawn ?? 0) + 1);
  }

  /** @param {Element} picture */ #stand(picture) {
    this.#picture = picture;
    this.#sizes.disconnect();
    for (const node of [this.root, picture, picture.closest(".dml-scene")]) this.#sizes.observe(node);
  }

  /** Beside the scene both circles are at one height; below the scene no room has to be left free. */
  #level() {
    const picture = this.#picture;
    const [own, other] = [this.root, picture.closest(".dml-scene")].map((root) => root.getBoundingClientRect());
    const level = own.left >= other.right - 1;
    const above = parseFloat(getComputedStyle(this.stage.root).marginTop);
    this.root.style.paddingTop = level ? `${Math.max(0, picture.getBoundingClientRect().top - own.top - above)}px` : "0";
  }
}

export const { mount, unmount } = component(SecondView, "scene.css");
