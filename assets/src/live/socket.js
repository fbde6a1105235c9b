import { pause } from "../host/attempt.js";
import { decode } from "../runs/packing.js";

const FIRST_TRIES = 3;
const OPENS_WITHIN = 4000; // ms
const ANSWERS_WITHIN = 20_000; // ms; the server answers within about a second, but for a run that has yet to begin
const [SHORTEST, LONGEST] = [500, 5000]; // ms before another try
const FAILURES_BEFORE_WARNING = 3; // failures in a row after which a visitor is told
/** @type {Record<number, string>} */ const REFUSED = { 4400: "misunderstood", 4404: "unknown", 4409: "failed", 4429: "crowded" };

/** Raised when there will never be an answer: `kind` names why, `words` is the server's text, if any. */
export class NoAnswer extends Error {
  /** @param {string} kind */ constructor(kind, words = "") {
    super(`the live stream does not answer: ${kind} ${words}`);
    this.kind = kind;
    this.words = words;
  }
}

/** One question, one answer, over a WebSocket that reconnects when it drops, or when an answer does not come in time. */
export class Socket {
  /** @type {WebSocket | null} */ #socket = null;
  #closed = false;
  #answered = false;
  #failures = 0;
  /** @type {((error: Error) => void) | null} */ #fail = null; // rejects what is waited for

  /** `troubled` is called with the error where questions go unanswered for some time.
   * @param {string | URL} url @param {(error: StreamError) => void} troubled */
  constructor(url, troubled = (_error) => {}) {
    this.url = url;
    this.troubled = troubled;
  }

  // The answer to one question; asks again after a dropped connection, and throws `NoAnswer` where that cannot help.
  /** @param {object} question @returns {Promise<Message<AnyHeader>>} */ async ask(question) {
    while (!this.#closed) {
      try {
        const socket = await this.#open();
        const send = () => socket.send(JSON.stringify(question));
        const message = await this.#event(socket, "onmessage", ANSWERS_WITHIN, send);
        /** @type {Message<AnyHeader>} */ const answer = decode(message.data);
        [this.#answered, this.#failures] = [true, 0];
        return answer;
      } catch (error) {
        this.#drop();
        if (this.#closed) break;
        const waits = error.kind === "crowded"; // there is room again when other pages are closed
        if (error instanceof NoAnswer && !waits) throw error;
        this.#failures += 1;
        if (!this.#answered && !waits && this.#failures >= FIRST_TRIES) throw new NoAnswer("unreachable");
        if (waits || this.#failures >= FAILURES_BEFORE_WARNING) this.troubled(error);
        await new Promise((resolve) => setTimeout(resolve, pause(this.#failures, SHORTEST, LONGEST)));
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

  /** What a socket does next; rejected where it closes, is dropped, or takes too long.
   * @param {WebSocket} socket @param {"onopen" | "onmessage"} name @param {number} within @param {() => void} [ask]
   * @returns {Promise<MessageEvent>} */
  #event(socket, name, within, ask) {
    /** @type {number} */ let late;
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
