// Sliders of the page while they are moved: Streamlit runs the page only after the slider stops.

const KEY = "st-key-";
/** @type {Set<(move: SliderMove) => void>} */ const listeners = new Set();
/** @type {WeakMap<Element, string>} */ const marks = new WeakMap();
/** @type {MutationObserver | null} */ let observer = null;

/** @param {MutationRecord[]} records */ function report(records) {
  for (const target of new Set(records.map((record) => /** @type {HTMLInputElement} */ (record.target)))) {
    const mark = target.ariaValueText ?? "";
    const still = marks.get(target) === mark;
    marks.set(target, mark);
    const name = [...(target.closest(`[class*="${KEY}"]`)?.classList ?? [])].find((name) => name.startsWith(KEY));
    // A slider without the focus moved because the page has run again; a point of a scene is a slider too, but not Streamlit's.
    if (still || !name || target !== document.activeElement || target.localName !== "input") continue;
    listeners.forEach((listener) => listener({ slider: name.slice(KEY.length), value: target.value, mark }));
  }
}

/** Moves what follows a slider, as a slider does. @param {SliderMove} move */
export function slide(move) {
  listeners.forEach((listener) => listener(move));
}

/** Calls `listener` with `{ slider, value, mark }` at every move of a slider; returns how to end it.
 * @param {(move: SliderMove) => void} listener */
export function onSlider(listener) {
  if (!observer) {
    observer = new MutationObserver(report);
    observer.observe(document.body, { subtree: true, attributeFilter: ["aria-valuetext"] });
  }
  listeners.add(listener);
  return () => listeners.delete(listener);
}
