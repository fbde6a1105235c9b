// A frame in slides sleeps while it is out of sight: playback pauses, and streams request nothing.

const WAKE = "dml-viz:wake";
/** @type {{dataset: DOMStringMap}} */
const root = globalThis.document?.documentElement ?? { dataset: {} };

/** Whether the page sleeps. */
export function asleep() {
  return root.dataset.dmlAsleep === "true";
}

/**
 * Sends the page to sleep or wakes it.
 *
 * @param {boolean} now
 */
export function sleep(now) {
  root.dataset.dmlAsleep = String(now);
  if (!now) globalThis.dispatchEvent(new Event(WAKE));
}

/** Resolves once the page is awake. */
export function awake() {
  return asleep() ? new Promise((woken) => addEventListener(WAKE, () => woken(), { once: true })) : Promise.resolve();
}
