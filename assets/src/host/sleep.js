// A frame in slides sleeps while it is out of sight: playback pauses, and streams request nothing.

import { WAKE } from "./bus.js";

/** @type {{dataset: DOMStringMap}} */ const root = globalThis.document?.documentElement ?? { dataset: {} };

/** Whether the page sleeps. */
export function asleep() {
  return root.dataset.dmlAsleep === "true";
}

/** Sends the page to sleep or wakes it. @param {boolean} now */
export function sleep(now) {
  root.dataset.dmlAsleep = String(now);
  if (!now) WAKE.send();
}

/** Resolves once the page is awake. */
export function awake() {
  if (!asleep()) return Promise.resolve();
  const ending = new AbortController();
  return new Promise((resolve) => WAKE.listen(resolve, ending.signal)).then(() => ending.abort());
}
