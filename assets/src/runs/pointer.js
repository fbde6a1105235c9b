import { follow, nearest, reachOf } from "../draw/pointing.js";

const TURN = Math.PI / 36;

/** The mouse on the embedding: hover and click pick points, drag and arrow keys rotate a sphere, keys step through points. */
export class Pointer {
  /** `embedding` has the desk, a `stage` with a `picture` in it, `where(event)`: {x, y, unit} in data or null, `at`: x and y of
   * each point or null, `behind(i)`, and `rotate(right, down)` by radians.
   * @param {Pointed} embedding */
  constructor(embedding) {
    this.embedding = embedding;
    this.desk = embedding.desk;
    const { stage, picture } = embedding;
    picture.addEventListener("pointermove", (event) => event.buttons || this.desk.hover(this.#pick(event)));
    picture.addEventListener("pointerleave", () => this.desk.hover(null));
    picture.addEventListener("pointerdown", (event) => this.#press(event), { capture: true });
    stage.addEventListener("keydown", (event) => this.#key(event));
    stage.addEventListener("blur", () => this.desk.hover(null));
  }

  // The point nearest to a pointer event within reach, front side first; null where there is none.
  /** @param {PointerEvent} event @returns {number | null} */ #pick(event) {
    const { at } = this.embedding;
    const place = this.embedding.where(event);
    if (!place || !at) return null;
    /** @param {number} i */ const of = (i) => ({ x: at.x[i], y: at.y[i], front: !this.embedding.behind(i) });
    return nearest(this.desk.group.points, of, place, reachOf(event) * place.unit);
  }

  /** @param {PointerEvent} down */ #press(down) {
    const place = this.embedding.where(down);
    if (down.button !== 0 || !place) return;
    const picked = this.#pick(down);
    follow(down, {
      move: (_, dx, dy) => this.desk.solid && this.embedding.rotate(dx * place.unit, dy * place.unit),
      click: () => picked != null && this.desk.select(picked),
    });
  }

  /** @param {KeyboardEvent} event */ #key(event) {
    const { solid } = this.embedding.desk;
    /** @type {Record<string, [number, number]>} */
    const turns = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] };
    /** @type {Record<string, number>} */
    const steps = { n: 1, p: -1, ...(solid ? {} : { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }) };
    if (event.key === "Enter" && this.desk.hovered != null) this.desk.select(this.desk.hovered);
    else if (event.key === "Escape") this.desk.hover(null);
    else if (solid && turns[event.key]) this.embedding.rotate(...turns[event.key]);
    else if (steps[event.key]) this.desk.hover(this.desk.step(steps[event.key]));
    else return;
    event.preventDefault();
  }
}
