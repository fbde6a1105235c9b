import { fromBase64 } from "../runs/packing.js";

// What a lesson's file holds besides its script, in place of a server: runs and fonts by their names, and the losses.

/** @type {{files: Record<string, string>, losses: LessonLosses | null}} */
const contents = { files: {}, losses: null };

/** Takes in the files of a lesson, base64 by name (of a run, compressed), and the losses. @param {Partial<typeof contents>} parts */
export function hold(parts) {
  Object.assign(contents, parts);
}

/** Whether there is such a file. @param {string} name */
export function holds(name) {
  return Object.hasOwn(contents.files, name);
}

/** The promise of the bytes of a file, as they were before they were compressed. @param {string} name */
export async function bytesHeld(name) {
  if (!holds(name)) throw new Error(`this file does not hold ${name}`);
  return name.endsWith(".gz") ? unpacked(contents.files[name]) : fromBase64(contents.files[name]);
}

/** The promise of bytes that were compressed. @param {string} base64 */
export async function unpacked(base64) {
  const plain = new Blob([fromBase64(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** The script of the losses. */
export function lossesHeld() {
  if (!contents.losses) throw new Error("this file does not hold the losses");
  return contents.losses;
}
