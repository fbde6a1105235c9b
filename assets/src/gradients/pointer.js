import { follow, reachOf } from "../draw/pointing.js";

/** @typedef {{clientX: number, clientY: number, target: EventTarget | null}} PointedAt */

/** @type {Record<string, number>} */ const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The mouse on the panels: pointing at a point lights it up in all of them, a click picks it, and a drag moves it or turns the
 * sphere. The scene's own picture does the dragging. A finger on a point picks it, and scrolls the page: panels are too small to
 * tell a point from the space between. */
export class PanelsPointer {
  /** @param {Board<PanelsData | FlowData>} panels */ constructor(panels) {
    this.panels = panels;
    const { root } = panels.grid;
    root.addEventListener("pointermove", (event) => event.buttons || panels.light(this.#at(event, reachOf(event))[1]));
    root.addEventListener("pointerleave", (event) => event.buttons || panels.light(null));
    root.addEventListener("pointerdown", (event) => this.#press(event));
    root.setAttribute("tabindex", "0");
    root.setAttribute("role", "group");
    root.setAttribute("aria-label", "One picture for each loss. Arrow keys go from point to point, Enter picks one.");
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("blur", () => panels.light(null));
  }

  /** @param {PointedAt} event @param {number} reach @returns {[SmallPanel | null, number | null]} */
  #at(event, reach) {
    const panel = this.panels.grid.around(event.target);
    if (!panel?.content) return [null, null];
    return [panel, panel.disc.pointAt(event, panel.svg, reach)];
  }

  /** @param {PointerEvent} down */ #press(down) {
    const [panel, point] = this.#at(down, reachOf(down));
    if (down.button !== 0 || !panel) return;
    if (point !== null) this.panels.light(point);
    if (down.pointerType === "touch" && point !== null) follow(down, { click: () => this.#pick(point) });
    else if (this.panels.inEditor) this.#forwardToScene(down, panel, this.panels.movable ? point : null);
    else this.#follow(down, point);
  }

  // Presses the scene's point, or turns its sphere, with the pointer at the same place of the scene's picture.
  /** @param {PointerEvent} down @param {SmallPanel} panel @param {number | null} point */
  #forwardToScene(down, panel, point) {
    const { outline, press } = this.panels.live;
    const solid = panel.content.dim === 3;
    if (point === null && !solid) return;
    if (point !== null) down.preventDefault();
    const box = panel.svg.getBoundingClientRect();
    const ring = outline.getBoundingClientRect();
    const times = ring.width / 2 / this.panels.grid.unit;
    const centre = [ring.left + ring.width / 2, ring.top + ring.height / 2];
    const from = [box.left + this.panels.grid.size / 2, box.top + this.panels.grid.size / 2];
    /** @param {PointerEvent} event */ const there = (event) => ({
      clientX: centre[0] + times * (event.clientX - from[0]),
      clientY: centre[1] + times * (event.clientY - from[1]),
    });
    press(point, down, there);
  }

  /** @param {PointerEvent} down @param {number | null} point */ #follow(down, point) {
    const { panels } = this;
    const solid = () => panels.drawn[0].dim === 3;
    follow(down, {
      move: (_, dx, dy) => solid() && panels.turn(dx / panels.grid.unit, dy / panels.grid.unit),
      end: () => solid() && panels.report({ view: panels.syncView() }),
      click: () => point !== null && this.#pick(point),
    });
  }

  /** @param {number} point */ #pick(point) {
    if (this.panels.inEditor) this.panels.live.pick(point);
    else this.panels.report({ picked: point });
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const { panels } = this;
    const n = panels.drawn?.[0].n;
    if (!n || event.ctrlKey || event.metaKey || event.altKey) return;
    if (ARROWS[event.key]) panels.light(((panels.lit ?? (ARROWS[event.key] > 0 ? -1 : 0)) + ARROWS[event.key] + n) % n);
    else if (event.key === "Escape") panels.light(null);
    else if (event.key === "Enter" && panels.lit !== null) this.#pick(panels.lit);
    else return;
    event.preventDefault();
  }
}
