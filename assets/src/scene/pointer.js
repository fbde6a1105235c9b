import { dragged, follow, reachOf } from "../draw/pointing.js";
import { placeOf } from "./scene.js";

/** The mouse or a finger on the picture: points are dragged and clicked, the sphere is turned by its background. */
export class Pointer {
  busy = false; // whether a point or the sphere is being moved

  /** `turned(final)` is called while the sphere is turned and when it is released.
   * @param {SceneTools} stage @param {SceneState} state @param {(final: boolean) => void} turned */
  constructor(stage, state, turned) {
    this.stage = stage;
    this.state = state;
    this.turned = turned;
    stage.svg.addEventListener("pointerdown", (event) => this.press(stage.nearest(event, reachOf(event)), event));
    dragged(stage.svg, (touch, reach) => stage.nearest(touch, reach) !== null);
    stage.svg.addEventListener("dblclick", (event) => this.#add(event));
    // A long press on a point drags it and opens no menu.
    stage.points.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  // Presses a point, or with null the background, until the pointer of `event` is released. Where `event` is of another picture
  // of the scene, `seen` says where on this one it is.
  /** @param {number | null} handle @param {PointerEvent} event @param {(event: PointerEvent) => Spot} seen */
  press(handle, event, seen = (at) => at) {
    if (event.button !== 0 || this.busy) return;
    if (handle === null) {
      if (this.state.scene.dim === 3) this.#follow(event, this.#turning(), seen);
      return;
    }
    event.preventDefault();
    // The point touched gets the focus, so that keys move it.
    this.stage.handle(handle).focus({ preventScroll: true });
    this.#follow(event, this.#dragging(seen(event), handle), seen);
  }

  /** @param {PointerEvent} down @param {Omit<Parameters<typeof follow>[1], "over">} gesture
   * @param {(event: PointerEvent) => Spot} seen */
  #follow(down, gesture, seen) {
    this.busy = true;
    follow(down, { ...gesture, over: () => (this.busy = false) }, seen);
  }

  /** @param {Spot} down @param {number} handle */ #dragging(down, handle) {
    const { stage, state } = this;
    const start = state.placeOf(handle);
    const solid = start.length === 2;
    const [x, y] = stage.unitsAt(down);
    const before = Math.atan2(y, x) - (start[0] * Math.PI) / 180;
    const place = solid
      ? this.#graspOnSphere(handle, [x, y])
      : (/** @type {number[]} */ [u, v]) => [((Math.atan2(v, u) - before) * 180) / Math.PI];
    let noted = false;
    return {
      /** @param {Spot} event */
      move: (event) => {
        if (!noted) state.note();
        noted = true;
        state.drag(handle, place(stage.unitsAt(event)));
      },
      click: () => state.pick(handle),
      end: () => state.drop(),
    };
  }

  // The place under the pointer on the side, near or far, that the point was on; at the limb beyond it.
  /** @param {number} handle @param {number[]} at */ #graspOnSphere(handle, [x, y]) {
    const { camera } = this.stage;
    const { z, proxies } = this.state.rows;
    const { length } = this.state.scene.points;
    const seen = camera.project(handle < length ? this.stage.row(z, handle) : this.stage.row(proxies, handle - length));
    const [aside, above] = [x - seen.x[0], y - seen.y[0]];
    const side = seen.depth[0] < 0 ? -1 : 1;
    return (/** @type {number[]} */ [u, v]) => {
      const [right, up] = [u - aside, v - above];
      const far = Math.max(1, Math.hypot(right, up));
      const depth = side * Math.sqrt(Math.max(0, 1 - (right * right + up * up) / (far * far)));
      return placeOf(camera.unproject(right / far, up / far, depth));
    };
  }

  #turning() {
    return {
      /** @param {Spot} _ @param {number} dx @param {number} dy */
      move: (_, dx, dy) => {
        const { camera, unit } = this.stage;
        camera.rotate(dx / unit, dy / unit);
        this.turned(false);
      },
      end: () => this.turned(true),
    };
  }

  /** @param {MouseEvent} event */ #add(event) {
    if (!this.state.can("add") || this.stage.nearest(event, reachOf(/** @type {PointerEvent} */ (event))) !== null) return;
    const [x, y] = this.stage.unitsAt(event);
    const far = Math.hypot(x, y);
    const flat = this.state.scene.dim === 2;
    if (far < 1e-6 || far > 1.2) return;
    const depth = Math.sqrt(Math.max(0, 1 - far * far));
    const length = Math.max(1, far);
    this.state.add(placeOf(flat ? [x, y] : this.stage.camera.unproject(x / length, y / length, depth)));
  }
}
