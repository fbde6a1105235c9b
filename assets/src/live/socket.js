import { decode } from "../kit/packing.js";

const FIRST_TRIES = 3;
const PATIENCE = 4000; // ms for a socket to open
const REFUSED = { 4400: "misunderstood", 4403: "forbidden", 4404: "unknown", 4409: "failed" };

/** Raised when there will never be an answer: `kind` names why, `words` are the server's own, if it gave any. */
export class NoAnswer extends Error {
  constructor(kind, words = "") {
    super(`the live stream does not answer: ${kind} ${words}`);
    this.kind = kind;
    this.words = words;
  }
}

/** One question, one answer, over a WebSocket that comes back when it drops. */
export class Socket {
  #socket = null;
  #closed = false;
  #opened = false;
  #failures = 0;

  constructor(url) {
    this.url = url;
  }

  /** The answer to one question; asks again after a dropped connection, and throws `NoAnswer` where that is no use. */
  async ask(question) {
    while (!this.#closed) {
      try {
        const socket = await this.#open();
        return decode(await answer(socket, JSON.stringify(question)));
      } catch (error) {
        this.#drop();
        if (error instanceof NoAnswer) throw error;
        this.#failures += 1;
        if (!this.#opened && this.#failures >= FIRST_TRIES) throw new NoAnswer("unreachable");
        await new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** this.#failures, 5000)));
      }
    }
    throw new NoAnswer("closed");
  }

  close() {
    this.#closed = true;
    this.#drop();
  }

  async #open() {
    if (this.#socket?.readyState === WebSocket.OPEN) return this.#socket;
    const socket = new WebSocket(this.url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("the socket did not open")), PATIENCE);
      socket.onopen = () => resolve(clearTimeout(late));
      socket.onclose = (event) => reject(lost(event, clearTimeout(late)));
    });
    this.#opened = true;
    this.#failures = 0;
    return socket;
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }
}

function answer(socket, question) {
  return new Promise((resolve, reject) => {
    socket.onmessage = (event) => resolve(event.data);
    socket.onclose = (event) => reject(lost(event));
    socket.send(question);
  });
}

function lost({ code, reason }) {
  return REFUSED[code] ? new NoAnswer(REFUSED[code], reason) : new Error(`the socket closed (${code})`);
}
