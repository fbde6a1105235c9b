// The conversation with a classroom: over a WebSocket, or by polling where none opens; it goes on after everything but an end.

import { pauseOf, ROOT } from "./root.js";

const LATE = 4000; // ms until a socket that has not opened is given up
const FAILED = 2; // sockets that fail before a welcome, after which is polled
const POLLED = 60_000; // ms until a socket is tried again
const [WAIT, MOST] = [10, 20]; // s that the answer to a poll is held, and messages in it
const SLEPT = 10_000; // ms out of sight after which a socket may be dead without a word
const [MOVED, ENDS] = [4409, [4400, 4403, 4404, 4408, 4410, 4429]];
const OPEN = 1; // of a socket's states
/** @type {Record<number, string>} */ const WHY = { 404: "There is no such classroom.", 410: "The classroom has ended." };

/** @typedef {{address: URL, fetch: (address: URL, request: RequestInit) => Promise<Response>, WebSocket: typeof WebSocket,
 * later: (act: () => void, ms: number) => number}} World */

/** A client's end of the conversation. Messages are given to `onMessage`; `status` is told whether there is a connection, and why one
 * has ended for good. */
export class Wire {
  /** @type {boolean | null} */ online = null; // not known before a first answer or failure
  server = "";
  /** @type {AbortController} */ #ending = new AbortController();
  #seen = 0;
  #failures = 0;
  #early = 0; // sockets that failed before a welcome
  #closed = false;
  #polling = false;
  #hidden = 0; // when the page went out of sight
  /** @type {ClientMessage[]} */ #queue = [];
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {number | undefined} */ #timer;
  /** @type {AbortController | null} */ #asking = null;

  /** `hello()` is the first message of each connection; `onMessage(message)` gets each message of the server.
   * @param {string} code @param {() => ClientMessage} hello @param {(message: ServerMessage) => void} onMessage
   * @param {(status: {online: boolean, ended: number, why: string}) => void} status @param {Partial<World>} world */
  constructor(code, hello, onMessage, status, world = {}) {
    this.hello = hello;
    this.onMessage = onMessage;
    this.status = status;
    this.world = {
      fetch: (/** @type {URL} */ address, /** @type {RequestInit} */ request) => fetch(address, request),
      WebSocket: globalThis.WebSocket,
      later: (/** @type {() => void} */ act, /** @type {number} */ ms) => setTimeout(act, ms),
      ...world,
    };
    this.address = world.address ?? new URL(`classroom/${code}/live`, ROOT);
    const { signal } = this.#ending;
    globalThis.document?.addEventListener("visibilitychange", () => this.#turned(), { signal });
    globalThis.addEventListener?.("online", () => this.#wake(), { signal });
    globalThis.addEventListener?.("pageshow", (event) => event.persisted && this.#wake(), { signal });
    this.#open();
  }

  /** Whether messages go over a socket. */
  get socketed() {
    return this.#socket !== null;
  }

  /** Says a message, at once or when there is a connection. @param {ClientMessage} message */
  say(message) {
    if (this.online && this.#socket?.readyState === OPEN) this.#socket.send(JSON.stringify(message));
    else {
      // Of what a hand does the newest alone is said, with the next poll; for anything else the held answer is not waited for.
      const { type } = message;
      if (type === "scene") this.#queue = this.#queue.filter((other) => other.type !== type);
      this.#queue.push(message);
      if (this.#polling && type !== "scene") this.#asking?.abort("say");
    }
  }

  /** Connects anew. */
  again() {
    this.#failures = this.#early = 0;
    this.#drop();
    this.#closed = false;
    this.#open();
  }

  close() {
    this.#closed = true;
    this.#ending.abort();
    this.#drop();
  }

  #drop() {
    clearTimeout(this.#timer);
    this.#polling = false;
    this.#asking?.abort("drop");
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    if (this.online) this.#tell(false);
  }

  /** @param {boolean} online */ #tell(online, ended = 0, why = "") {
    if (online === this.online && !ended) return;
    this.online = online;
    this.status({ online, ended, why });
  }

  /** @returns {void} */ #open() {
    if (this.#closed || this.#socket) return;
    if (this.#early >= FAILED) return void this.#poll(performance.now() + POLLED);
    const address = Object.assign(new URL(this.address), { protocol: this.address.protocol.replace("http", "ws") });
    let socket;
    try {
      socket = new this.world.WebSocket(address);
    } catch {
      this.#early = FAILED;
      return this.#open();
    }
    this.#socket = socket;
    const late = this.world.later(() => socket.readyState === 0 && socket.close(), LATE);
    let welcomed = false;
    const live = () => this.#socket === socket;
    socket.addEventListener("open", () => live() && socket.send(JSON.stringify(this.hello())));
    socket.addEventListener("message", ({ data }) => {
      if (!live()) return;
      const message = JSON.parse(data);
      if (message.type === "welcome") {
        welcomed = true;
        this.#early = this.#failures = 0;
        this.#tell(true);
      }
      this.#hear(message);
      if (message.type === "welcome") {
        for (const one of this.#queue.splice(0)) socket.send(JSON.stringify(one));
      }
    });
    socket.addEventListener("close", ({ code, reason }) => {
      clearTimeout(late);
      if (!live()) return;
      this.#socket = null;
      if (!welcomed && !ENDS.includes(code) && code !== MOVED) this.#early += 1;
      this.#lost(code, reason);
    });
  }

  /** @param {number} code @param {string} why */ #lost(code, why) {
    if (ENDS.includes(code)) {
      this.#closed = true;
      return this.#tell(false, code, why);
    }
    this.#tell(false);
    this.#failures += 1;
    const pause = code === MOVED ? 500 * Math.random() : pauseOf(this.#failures);
    clearTimeout(this.#timer);
    this.#timer = this.world.later(() => this.#open(), pause);
  }

  // Asks again and again until a socket is to be tried.
  /** @param {number} until */ async #poll(until) {
    if (this.#polling) return;
    this.#polling = true;
    this.server = "";
    while (this.#polling && !this.#closed && performance.now() < until) {
      const asking = this.#asking = new AbortController();
      const [messages, server] = [this.#queue.slice(0, MOST), this.server];
      const [seen, wait] = [server ? this.#seen : 0, server && !messages.length ? WAIT : 0];
      const body = JSON.stringify({ hello: this.hello(), server, seen, wait, messages });
      const headers = { "Content-Type": "application/json" };
      const late = AbortSignal.timeout(2000 * WAIT);
      const signal = messages.length ? late : AbortSignal.any([asking.signal, late]);
      try {
        const answer = await this.world.fetch(this.address, { method: "POST", headers, body, signal });
        const reply = await answer.json();
        if (!this.#polling) return;
        if (!answer.ok) throw Object.assign(new Error(reply.why ?? WHY[answer.status]), { code: reply.code });
        this.#queue.splice(0, messages.length);
        this.#failures = 0;
        this.#seen = reply.seen;
        this.server = reply.server;
        this.#tell(true);
        for (const message of reply.messages) this.#hear(message);
      } catch (error) {
        if (!this.#polling) return;
        if (asking.signal.reason === "say") continue;
        if (ENDS.includes(error.code)) {
          this.#polling = false;
          return this.#lost(error.code, error.message);
        }
        this.#failures += 1;
        this.#tell(false);
        const pause = error.code === MOVED ? 250 : pauseOf(this.#failures);
        await new Promise((resolve) => this.world.later(() => resolve(undefined), pause));
      }
    }
    if (!this.#polling) return;
    this.#polling = false;
    this.#early = FAILED - 1;
    this.#open();
  }

  /** @param {ServerMessage} message */ #hear(message) {
    if (message.type === "welcome") this.server = message.server;
    this.onMessage(message);
  }

  // A phone that slept has a socket that nobody holds at the other end.
  #turned() {
    if (document.hidden) this.#hidden = performance.now();
    else this.#wake();
  }

  #wake() {
    if (this.#closed || this.#polling) return;
    if (this.online && performance.now() - this.#hidden < SLEPT) return;
    this.#drop();
    this.#open();
  }
}
