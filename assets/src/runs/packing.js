// The reader for dml_viz/data/wire.py: named arrays and a small header, read out of one run of bytes without copying.

const VIEWS = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, i4: Int32Array };
const TEXT = new TextDecoder();

/**
 * Header and typed arrays (each with its `shape`) of one message, given as an ArrayBuffer or a Uint8Array.
 *
 * @returns {any} a Message
 */
export function decode(message) {
  const { buffer, start, length } = aligned(message);
  const head = 4 + new DataView(buffer, start).getUint32(0, true);
  if (head > length) throw new RangeError(`a message of ${length} bytes cannot hold a header of ${head}`);
  const { arrays: table, ...header } = JSON.parse(TEXT.decode(new Uint8Array(buffer, start + 4, head - 4)));
  const arrays = {};
  for (const [name, [code, shape, offset]] of Object.entries(table)) {
    const count = shape.reduce((product, n) => product * n, 1);
    arrays[name] = Object.assign(new VIEWS[code](buffer, start + head + offset, count), { shape });
  }
  return { header, arrays };
}

/** Messages of a recorded run: each behind its length as a little-endian uint32. */
export function decodeAll(recording) {
  const bytes = recording instanceof Uint8Array ? recording : new Uint8Array(recording);
  const lengths = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages = [];
  for (let at = 0; at < bytes.length;) {
    const length = lengths.getUint32(at, true);
    messages.push(decode(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return messages;
}

/** Bytes of base64 text. */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// A typed array must begin at a multiple of its item size; a slice of a larger message may not, and is copied then.
function aligned(message) {
  if (message instanceof ArrayBuffer) return { buffer: message, start: 0, length: message.byteLength };
  const { buffer, byteOffset, byteLength } = message.byteOffset % 8 ? message.slice() : message;
  return { buffer, start: byteOffset, length: byteLength };
}
