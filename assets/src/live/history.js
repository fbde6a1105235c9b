import { Maps } from "../runs/maps.js";

const MOST_BYTES = 24e6; // bytes of frames in the browser's memory; the server has them all

/** What is known of a run so far: the curve rows of every frame, and the newest and recently shown frames. */
export class History {
  count = 0; // of rows
  /** @type {Map<string, Float32Array>} */ columns = new Map();
  /** @type {Map<number, Frame>} */ frames = new Map(); // by step
  bytes = 0; // of the frames
  maps = new Maps();
  /** @type {Packed | null} */
  losses = null; // (m, 3) of a loop that trains elsewhere: steps, and the least and the largest loss from each to the next

  /** Last step that has a row, or -1. */
  get latest() {
    return this.count ? this.column("step")[this.count - 1] : -1;
  }

  /** Steps and values of the loss: at every step where they are known, else at those of the rows. @returns {Numbers[]} */
  lossCurve() {
    if (!this.losses) return [this.column("step"), this.column("loss")].map((values) => thinned(values));
    /** @type {number[][]} */ const [x, y] = [[], []];
    for (let k = 0; k < this.losses.length; k += 3) {
      const [step, low, high] = this.losses.subarray(k, k + 3);
      for (const value of low < high ? [low, high] : [low]) {
        x.push(step);
        y.push(value);
      }
    }
    return [x, y];
  }

  /** Values of one column over the rows, NaN where a row has none; empty where there is no such column. @param {string} name */
  column(name) {
    return this.columns.get(name)?.subarray(0, this.count) ?? new Float32Array(0);
  }

  /** Names of the columns that begin with `prefix`. @param {string} prefix */
  named(prefix) {
    return [...this.columns.keys()].filter((name) => name.startsWith(prefix));
  }

  /** Value of a column at a row, NaN outside. @param {string} name @param {number} row */
  at(name, row) {
    return (row < this.count ? this.columns.get(name)?.[row] : NaN) ?? NaN;
  }

  /** Row of the last step at or before `step`. @param {number} step */
  row(step) {
    const steps = this.column("step");
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[middle] <= step) low = middle + 1;
      else high = middle;
    }
    return Math.max(low - 1, 0);
  }

  /** Row of the step nearest to a place on the axis of steps. @param {number} place */
  nearest(place) {
    const steps = this.column("step");
    const row = this.row(place);
    return steps[row + 1] - place < place - steps[row] ? row + 1 : row;
  }

  /** Takes in a frame: its new rows and itself. @param {Frame} frame */
  add(frame) {
    this.#addRows(frame);
    this.maps.add(frame);
    if (this.frames.has(frame.header.step)) this.frames.delete(frame.header.step);
    else this.bytes += size(frame);
    this.frames.set(frame.header.step, frame);
    for (const [step, old] of this.frames) {
      if (this.bytes <= MOST_BYTES) break;
      this.frames.delete(step);
      this.bytes -= size(old);
    }
  }

  /** @param {Frame} frame */ #addRows({ header, arrays }) {
    const rows = arrays.rows;
    if (!rows?.length) return;
    const names = ["step", ...columnsOf(header, rows.shape[1] - 1)];
    const width = names.length;
    for (let start = 0; start < rows.length; start += width) {
      const step = rows[start];
      if (step <= this.latest) continue;
      if ((this.columns.get("step")?.length ?? 0) <= this.count) this.#grow();
      names.forEach((name, k) => {
        if (!this.columns.has(name)) {
          this.columns.set(name, new Float32Array(this.columns.get("step")?.length ?? 256).fill(NaN));
        }
        this.columns.get(name)[this.count] = rows[start + k];
      });
      this.count += 1;
    }
  }

  #grow() {
    for (const [name, values] of this.columns) {
      const longer = new Float32Array(2 * values.length).fill(NaN);
      longer.set(values);
      this.columns.set(name, longer);
    }
  }
}

// Names of `width` values of a row: the columns of one run, or of each run of each member, such as "0.2.map.unseen".
/** @param {{columns: string[], members: object[]}} header @param {number} width */
function columnsOf({ columns, members }, width) {
  if (width === columns.length) return columns;
  const seeds = width / columns.length / members.length;
  const runs = members.flatMap((_, k) => Array.from({ length: seeds }, (_each, seed) => `${k}.${seed}`));
  return runs.flatMap((run) => columns.map((name) => `${run}.${name}`));
}

/** @param {Frame} frame */ function size(frame) {
  return Object.values(frame.arrays).reduce((sum, array) => sum + array.byteLength, 0);
}

/** At most `most` of `values`, evenly picked, the last one among them. @param {Float32Array} values */
export function thinned(values, most = 400) {
  if (values.length <= most) return values;
  const stride = Math.ceil(values.length / most);
  const count = Math.floor((values.length - 1) / stride) + 1;
  const offset = values.length - 1 - (count - 1) * stride;
  return Float32Array.from({ length: count }, (_, k) => values[offset + k * stride]);
}
