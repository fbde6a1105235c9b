// Where the app is, and how often it is asked.

const PAUSES = [250, 500, 1000, 2000]; // ms between two tries

/** The root of the app, where this script is three folders below it (live-assets, version, folder, script). */
export const ROOT = new URL("../../../../", import.meta.url);

/** The pause in ms after so many failures: longer each time, and not the same for a whole class. @param {number} failures */
export function pauseOf(failures, random = Math.random) {
  return PAUSES[Math.min(failures, PAUSES.length) - 1] * (0.5 + random());
}
