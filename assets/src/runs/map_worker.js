import { LOOPS } from "./map_loops.js";
import { kernel } from "./neighbour_map.js";

const TEXT = `const placesOf = (${kernel})("${LOOPS}");
onmessage = ({ data: { number, task } }) => postMessage({ number, places: placesOf(...task) });`;

/** @typedef {[rows: Uint8Array, n: number, d: number, before: Float64Array | null]} Task */
/** @type {Worker | null} */ let worker = null;
let here = false; // where a page may have no worker, the page itself computes
/** @type {Map<number, {task: Task, resolve: (places: Float64Array) => void}>} */ const waiting = new Map();
let numbers = 0;

/** The promise of the places of points in a frame of a neighbour map, which a worker computes. @param {Task} task */
export function placesOf(...task) {
  return /** @type {Promise<Float64Array>} */ (new Promise((resolve) => {
    numbers += 1;
    waiting.set(numbers, { task, resolve });
    if (!here) {
      try {
        worker ??= opened();
        worker.postMessage({ number: numbers, task });
      } catch {
        here = true;
      }
    }
    if (here) computeHere();
  }));
}

function opened() {
  const made = new Worker(URL.createObjectURL(new Blob([TEXT], { type: "text/javascript" })));
  made.onmessage = ({ data: { number, places } }) => {
    waiting.get(number)?.resolve(places);
    waiting.delete(number);
  };
  made.onerror = () => {
    here = true;
    computeHere();
  };
  return made;
}

function computeHere() {
  const placesOf = kernel(LOOPS);
  for (const [number, { task, resolve }] of waiting) {
    waiting.delete(number);
    resolve(placesOf(...task));
  }
}
