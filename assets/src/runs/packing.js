// The reader for dml_viz/data/wire.py: named arrays and a small header, read out of one run of bytes without copying.

/** @type {Record<string, (...part: [ArrayBufferLike, number, number]) => TypedArray>} */ const VIEWS = {
  f4: (...part) => new Float32Array(...part),
  u1: (...part) => new Uint8Array(...part),
  u2: (...part) => new Uint16Array(...part),
  i4: (...part) => new Int32Array(...part),
};
const TEXT = new TextDecoder();

/** Header and typed arrays (each with its `shape`) of one message, given as an ArrayBuffer or a Uint8Array.
 * @template {Message} M @param {ArrayBuffer | Uint8Array} message @returns {M} */
export function decode(message) {
  const { buffer, start, length } = aligned(message);
  const head = 4 + new DataView(buffer, start).getUint32(0, true);
  if (head > length) throw new RangeError(`a message of ${length} bytes cannot hold a header of ${head}`);
  const { arrays: table, ...header } = JSON.parse(TEXT.decode(new Uint8Array(buffer, start + 4, head - 4)));
  /** @type {Record<string, Packed>} */ const arrays = {};
  for (const [name, [code, shape, offset]] of Object.entries(/** @type {PackedTable} */ (table))) {
    const count = shape.reduce((product, n) => product * n, 1);
    arrays[name] = Object.assign(VIEWS[code](buffer, start + head + offset, count), { shape });
  }
  return /** @type {M} */ ({ header, arrays });
}

/** Messages of a recorded run: each behind its length as a little-endian uint32.
 * @param {ArrayBuffer | Uint8Array} recording @template {Message[]} M @returns {M} */
export function decodeAll(recording) {
  const bytes = recording instanceof Uint8Array ? recording : new Uint8Array(recording);
  const lengths = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengths.getUint32(at, true);
    messages.push(decode(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return /** @type {M} */ (messages);
}

/** Coordinates in [-1, 1], which are sent as whole numbers from 0 to 65535. @param {Numbers} sent */
export function coordinates(sent) {
  return Float32Array.from(sent, (value) => value / 32767.5 - 1);
}

/** Where a step draws the points of member `k`: as they are sent or, of a recording, in the 4,096 steps that it keeps; if any.
 * @param {Frame} frame @param {number} k @returns {Packed | undefined} */
export function viewOf({ arrays }, k) {
  const sent = arrays[`${k}.view`];
  if (!(sent instanceof Uint16Array)) return sent;
  return Object.assign(coordinates(sent).map((value) => Math.round(4096 * value) / 4096), { shape: sent.shape });
}

/** Bytes of base64 text, of which a run has half a million: letter by letter, which is the quickest way. @param {string} text */
export function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

// A typed array must begin at a multiple of its item size; a slice of a larger message may not, and is copied then.
/** @param {ArrayBuffer | Uint8Array} message */ function aligned(message) {
  if (message instanceof ArrayBuffer) return { buffer: message, start: 0, length: message.byteLength };
  const { buffer, byteOffset, byteLength } = message.byteOffset % 8 ? message.slice() : message;
  return { buffer, start: byteOffset, length: byteLength };
}
