const MOST = 100;
const ONE_MOVE = 1000; // ms within which key presses on one point are undone as one

/** The changes that can be undone and redone. */
export class UndoHistory {
  /** @type {Standing[]} */ #before = [];
  /** @type {Standing[]} */ #after = [];
  /** @type {{what: string | null, at: number}} */ #last = { what: null, at: -Infinity };

  get canUndo() {
    return this.#before.length > 0;
  }

  get canRedo() {
    return this.#after.length > 0;
  }

  // Notes the state before a change; quick changes of the same name are one entry.
  /** @param {Standing} standing @param {string | null} what */
  note(standing, what = null, now = performance.now()) {
    const goesOn = what !== null && what === this.#last.what && now - this.#last.at < ONE_MOVE;
    this.#last = { what, at: now };
    this.#after = [];
    if (goesOn) return;
    this.#before.push(standing);
    if (this.#before.length > MOST) this.#before.shift();
  }

  /** The state before, given the state now. @param {Standing} standing */
  undo(standing) {
    return this.#step(this.#before, this.#after, standing);
  }

  /** @param {Standing} standing */ redo(standing) {
    return this.#step(this.#after, this.#before, standing);
  }

  /** @param {Standing[]} from @param {Standing[]} to @param {Standing} standing */
  #step(from, to, standing) {
    if (!from.length) return standing;
    this.#last = { what: null, at: -Infinity };
    to.push(standing);
    return from.pop();
  }
}
