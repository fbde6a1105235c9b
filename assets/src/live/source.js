import { attempt, fetched, pause } from "../host/attempt.js";
import { decode, decodeAll, fromBase64 } from "../runs/packing.js";
import { NoAnswer, Socket } from "./socket.js";
import { FEED } from "../host/bus.js";
import { awake } from "../host/sleep.js";

const PACE = 110; // ms between drawn frames: about nine pictures a second, and the training keeps its core
const HIDDEN_PACE = 1000;
const PATIENCE = 1500; // ms for a frame that is sent by way of Python

const VERSION = 2; // of the format of dml_viz/engine/messages.py

// Whether a run's messages have the version that is read here; if not, its listener gets a sentence.
/** @param {Message<{version?: number}>} message @param {RunDesk} listener */
function readable({ header: { version = 1 } }, listener) {
  if (version !== VERSION) listener.lost("version", `version ${version}, and this page reads version ${VERSION}.`);
  return version === VERSION;
}

/** A run that trains now: frames pulled over a socket, the next one asked for when the last one is drawn. */
export class LiveRun {
  #closed = false;
  /** @type {Socket | null} */ #scrubbing = null;
  /** @type {Socket | null} */ #mapping = null;
  #failures = 0; // of what is done with the answers, in a row

  /** @param {URL} url @param {RunDesk} listener */ constructor(url, listener) {
    this.url = url;
    this.listener = listener;
    this.socket = this.#socket();
    this.#run();
  }

  // The frame of `step`, over a socket of its own: the other one may be waiting for news. Null where there is no answer.
  /** @param {number} step */ at(step) {
    this.#scrubbing ??= this.#socket();
    const answer = this.#answer(this.#scrubbing, { want: "step", step, rows: this.listener.rows() });
    return /** @type {Promise<Reply | null>} */ (answer);
  }

  /** All coordinates of the points at `step`, as a message; null where there is no answer. @param {number} step */
  embeddings(step) {
    const socket = this.#socket();
    return this.#answer(socket, { want: "embeddings", step }).finally(() => socket.close());
  }

  /** The points of all key frames between two steps, as a message; null where there is no answer. */
  /** @param {number} before @param {number} after */ points(before, after) {
    this.#mapping ??= this.#socket();
    const answer = this.#answer(this.#mapping, { want: "points", step: before, after });
    return /** @type {Promise<Message<PointsHeader> | null>} */ (answer);
  }

  close() {
    this.#closed = true;
    this.socket.close();
    this.#mapping?.close();
    this.#scrubbing?.close();
  }

  #socket() {
    /** @param {StreamError} given */
    const interrupt = ({ kind = "interrupted", words, message }) => this.listener.interrupted(kind, words ?? message);
    return new Socket(this.url, (error) => !this.#closed && interrupt(error));
  }

  // Goes through the run until it is closed; from its subject again where that fails.
  async #run() {
    while (!this.#closed) {
      try {
        return await this.#pump();
      } catch (error) {
        if (this.#closed) return;
        if (error instanceof NoAnswer) return this.listener.lost(error.kind, error.words);
        console.error(error);
        this.#failures += 1;
        this.listener.interrupted("broken", error.message);
      }
      await new Promise((resolve) => setTimeout(resolve, pause(this.#failures)));
    }
  }

  async #pump() {
    let first;
    // A tick if the run has not begun.
    while ((first = await this.socket.ask({ want: "subject" })).header.kind === "tick") {
      if (this.#closed) return;
      this.listener.waits(first.header);
    }
    const subject = /** @type {Subject} */ (first);
    if (!readable(subject, this.listener)) return this.close();
    await this.listener.begun(subject);
    let after = -1;
    while (!this.#closed) {
      await awake();
      const asked = performance.now();
      const rows = after < 0 ? 0 : this.listener.rows();
      const reply = /** @type {Reply} */ (await this.socket.ask({ want: "next", after, rows }));
      if (this.#closed) return;
      if (reply.header.latest < after) {
        after = -1; // the run went back to its start
        this.listener.restarted(this.listener.returning(reply.header));
        continue;
      }
      if (reply.header.kind === "frame") after = reply.header.step;
      await this.listener.came(reply);
      this.#failures = 0;
      const pace = document.hidden ? HIDDEN_PACE : PACE;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, asked + pace - performance.now())));
    }
  }

  /** @param {Socket} socket @param {object} question */ async #answer(socket, question) {
    try {
      return await socket.ask(question);
    } catch (error) {
      if (!this.#closed) this.listener.lost(error.kind, error.words); // no other error is thrown
      return null;
    }
  }
}

/** A run from a file: all of its frames at once. */
export class RecordedRun {
  /** `embeddings` are all coordinates of the points, where they come with the page.
   * @param {URL} url @param {RunDesk} listener @param {string | null} embeddings */
  constructor(url, listener, embeddings = null) {
    this.url = url;
    this.packed = embeddings;
    this.#load(url, listener);
  }

  /** @returns {Promise<Reply | null>} */ async at() {
    return null;
  }

  // None: the frames of a file are all there.
  /** @returns {Promise<null>} */ async points() {
    return null;
  }

  // All coordinates of the points at the end; null where they were not recorded, or the run lies within a file.
  /** @returns {Promise<Message<EmbeddingsHeader> | null>} */ async embeddings() {
    if (this.packed) return decode(fromBase64(this.packed));
    const address = this.url.href.replace(/\.bin$/, ".z.bin");
    if (address === this.url.href) return null;
    const answer = await fetch(address).catch(/** @returns {null} */ () => null);
    return answer?.ok ? decode(await answer.arrayBuffer()) : null;
  }

  close() {
    this.closed = true;
  }

  /** @param {URL} url @param {RunDesk} listener */ async #load(url, listener) {
    /** @param {number} _failures @param {AbortSignal} signal */ const ask = async (_failures, signal) => {
      const messages = decodeAll(await (await fetched(url, signal)).arrayBuffer());
      if (messages.length < 2) throw new Error("it holds no step");
      return messages;
    };
    /** @param {string} words */ const say = (words) => words && listener.interrupted("missing", words);
    const wanted = () => !this.closed;
    const messages = await attempt(ask, say, { what: "It", wanted });
    if (!messages || this.closed || !readable(messages[0], listener)) return;
    try {
      listener.replay(/** @type {Subject} */ (messages[0]), /** @type {Frame[]} */ (messages.slice(1)));
    } catch (error) {
      console.error(error);
      listener.interrupted("broken", error.message);
    }
  }
}

/** A run whose messages come with Streamlit's own, where no socket can be opened: see feed.js. */
export class FedRun {
  throughPython = true; // a frame of an earlier step comes once Python knows which step the visitor sees
  /** @type {{step: number, resolve: (reply: Reply | null) => void} | null} */ #asked = null;
  /** @type {(message: Message<PointsHeader> | null) => void} */ #answer = () => {};
  #tries = 0; // a question is told from the same one before it
  #ending = new AbortController();

  /** `ask` tells Python between which steps points are wanted.
   * @param {string} url @param {string} subject @param {RunDesk} listener @param {(steps: string) => void} ask */
  constructor(url, subject, listener, ask) {
    this.url = url;
    this.listener = listener;
    this.ask = ask;
    /** @type {Subject} */ const first = decode(fromBase64(subject));
    if (!readable(first, listener)) return;
    listener.begun(first);
    FEED.listen((feed) => feed.url === url && this.#take(feed), this.#ending.signal);
    if (window.dmlFeed?.url === url) this.#take(window.dmlFeed);
  }

  // The frame of `step` once Python has been asked for it; null where it does not come in time: `came` gets it then.
  /** @param {number} step @returns {Promise<Reply | null>} */ at(step) {
    return new Promise((resolve) => {
      this.#asked = { step, resolve };
      setTimeout(() => resolve(null), PATIENCE);
    });
  }

  /** The points of all key frames between two steps, as a message; null once the run is closed. Python is asked until it answers:
   * a report that arrives while the page runs can be lost, and without the points the map of a step would never be made.
   * @param {number} before @param {number} after @returns {Promise<Message<PointsHeader> | null>} */
  points(before, after) {
    return new Promise((resolve) => {
      let [wait, again] = [PATIENCE, 0];
      const ask = () => {
        this.ask(`${before} ${after} ${this.#tries += 1}`);
        // Each question runs the page anew, which a busy server may need longer for.
        again = setTimeout(ask, wait);
        wait *= 2;
      };
      this.#answer = (message) => {
        clearTimeout(again);
        resolve(message);
      };
      this.#ending.signal.addEventListener("abort", () => this.#answer(null));
      ask();
    });
  }

  close() {
    this.#ending.abort();
  }

  /** A message that cannot be read or drawn is said to be so, and the next one is taken. @param {Fed} detail */
  async #take(detail) {
    try {
      await this.#pass(detail);
    } catch (error) {
      console.error(error);
      this.listener.interrupted("broken", error.message);
    }
  }

  /** @param {Fed} fed */ #pass({ step: asked, message, points }) {
    if (points) this.#answer(decode(points));
    /** @type {Reply} */ const reply = decode(message);
    const step = this.listener.returning(reply.header);
    if (reply.header.latest < this.listener.latest() || step !== null) this.listener.restarted(step);
    if (asked !== null && this.#asked?.step === asked) this.#asked.resolve(reply);
    return this.listener.came(reply);
  }
}
