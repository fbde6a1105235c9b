const MOST = 100;
const ONE_MOVE = 1000; // ms within which key presses on one point are undone as one

/** What can be undone, and done again. */
export class UndoHistory {
  #before = [];
  #after = [];
  #last = { what: null, at: -Infinity };

  get canUndo() {
    return this.#before.length > 0;
  }

  get canRedo() {
    return this.#after.length > 0;
  }

  /** Notes how things stand before a change; changes that bear the same name, soon after one another, are one. */
  note(standing, what = null, now = performance.now()) {
    const goesOn = what !== null && what === this.#last.what && now - this.#last.at < ONE_MOVE;
    this.#last = { what, at: now };
    this.#after = [];
    if (goesOn) return;
    this.#before.push(standing);
    if (this.#before.length > MOST) this.#before.shift();
  }

  /** How things stood before, given how they stand. */
  undo(standing) {
    return this.#step(this.#before, this.#after, standing);
  }

  redo(standing) {
    return this.#step(this.#after, this.#before, standing);
  }

  #step(from, to, standing) {
    if (!from.length) return standing;
    this.#last = { what: null, at: -Infinity };
    to.push(standing);
    return from.pop();
  }
}
