import { decode } from "../kit/packing.js";

const FIRST_TRIES = 3;
const OPENS_WITHIN = 4000; // ms
const ANSWERS_WITHIN = 20_000; // ms; the server answers within about a second, but for a run that has yet to begin
const [SHORTEST, LONGEST] = [250, 5000]; // ms before another try
const REFUSED = { 4400: "misunderstood", 4403: "forbidden", 4404: "unknown", 4409: "failed", 4429: "crowded" };

/** Raised when there will never be an answer: `kind` names why, `words` is the server's text, if any. */
export class NoAnswer extends Error {
  constructor(kind, words = "") {
    super(`the live stream does not answer: ${kind} ${words}`);
    this.kind = kind;
    this.words = words;
  }
}

/** One question, one answer, over a WebSocket that reconnects when it drops, or when an answer does not come in time. */
export class Socket {
  #socket = null;
  #closed = false;
  #answered = false;
  #failures = 0;
  #fail = null; // rejects what is waited for

  constructor(url) {
    this.url = url;
  }

  /** The answer to one question; asks again after a dropped connection, and throws `NoAnswer` where that cannot help. */
  async ask(question) {
    while (!this.#closed) {
      try {
        const socket = await this.#open();
        const send = () => socket.send(JSON.stringify(question));
        const message = await this.#event(socket, "onmessage", ANSWERS_WITHIN, send);
        [this.#answered, this.#failures] = [true, 0];
        return decode(message.data);
      } catch (error) {
        this.#drop();
        if (this.#closed) break;
        if (error instanceof NoAnswer) throw error;
        this.#failures += 1;
        if (!this.#answered && this.#failures >= FIRST_TRIES) throw new NoAnswer("unreachable");
        // Not all at once: a server that restarts has many visitors.
        const wait = Math.min(SHORTEST * 2 ** this.#failures, LONGEST) * (0.5 + Math.random() / 2);
        await new Promise((resolve) => setTimeout(resolve, wait));
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
    await this.#event(socket, "onopen", OPENS_WITHIN);
    return socket;
  }

  // What a socket does next; rejected where it closes, is dropped, or takes too long.
  #event(socket, name, within, ask) {
    let late;
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      late = setTimeout(() => reject(new Error(`no ${name} within ${within} ms`)), within);
      socket[name] = resolve;
      socket.onclose = ({ code, reason }) =>
        reject(REFUSED[code] ? new NoAnswer(REFUSED[code], reason) : new Error(`the socket closed (${code})`));
      ask?.();
    }).finally(() => clearTimeout(late));
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#fail?.(new Error("the socket was dropped"));
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    // A browser logs an error for a socket that is closed before it has opened.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  }
}
