import { decode, decodeAll, fromBase64 } from "../kit/packing.js";
import { NoAnswer, Socket } from "./socket.js";
import { awake } from "../kit/sleep.js";

const PACE = 110; // ms between drawn frames: about nine pictures a second, and the training keeps its core
const HIDDEN_PACE = 1000;
const PATIENCE = 1500; // ms for a frame that is sent by way of Python

const VERSION = 2; // of the format of dml_viz/engine/messages.py

/** Whether a run's messages have the version that is read here; if not, its listener gets a sentence. */
function readable({ header: { version = 1 } }, listener) {
  if (version !== VERSION) listener.lost("version", `version ${version}, and this page reads version ${VERSION}.`);
  return version === VERSION;
}

/** A run that trains now: frames pulled over a socket, the next one asked for when the last one is drawn. */
export class LiveRun {
  #closed = false;
  #scrubbing = null;

  constructor(url, listener) {
    this.url = url;
    this.listener = listener;
    this.socket = new Socket(url);
    this.#pump().catch((error) => this.#report(error));
  }

  /** The frame of `step`, over a socket of its own: the other one may be waiting for news. Null where there is no answer. */
  at(step) {
    this.#scrubbing ??= new Socket(this.url);
    return this.#answer(this.#scrubbing, { want: "step", step, rows: this.listener.rows() });
  }

  /** All coordinates of the points at `step`, as a message; null where there is no answer. */
  embeddings(step) {
    const socket = new Socket(this.url);
    return this.#answer(socket, { want: "embeddings", step }).finally(() => socket.close());
  }

  close() {
    this.#closed = true;
    this.socket.close();
    this.#scrubbing?.close();
  }

  async #pump() {
    let subject;
    // A tick if the run has not begun.
    while ((subject = await this.socket.ask({ want: "subject" })).header.kind === "tick") {
      if (this.#closed) return;
      this.listener.waits(subject.header);
    }
    if (!readable(subject, this.listener)) return;
    await this.listener.begun(subject);
    let after = -1;
    while (!this.#closed) {
      await awake();
      const asked = performance.now();
      const rows = after < 0 ? 0 : this.listener.rows();
      const reply = await this.socket.ask({ want: "next", after, rows });
      if (this.#closed) return;
      if (reply.header.latest < after) {
        after = -1; // the run went back to its start
        this.listener.restarted(this.listener.returning(reply.header));
        continue;
      }
      if (reply.header.kind === "frame") after = reply.header.step;
      await this.listener.came(reply);
      const pace = document.hidden ? HIDDEN_PACE : PACE;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, asked + pace - performance.now())));
    }
  }

  async #answer(socket, question) {
    try {
      return await socket.ask(question);
    } catch (error) {
      this.#report(error);
      return null;
    }
  }

  #report(error) {
    if (this.#closed) return;
    if (error instanceof NoAnswer) this.listener.lost(error.kind, error.words);
    else throw error;
  }
}

/** A run from a file: all of its frames at once. */
export class RecordedRun {
  /** `embeddings` are all coordinates of the points, where they come with the page. */
  constructor(url, listener, embeddings = null) {
    this.url = url;
    this.packed = embeddings;
    this.#load(url, listener);
  }

  async at() {
    return null;
  }

  /** All coordinates of the points at the end; null where they were not recorded. */
  async embeddings() {
    if (this.packed) return decode(fromBase64(this.packed));
    const answer = await fetch(this.url.href.replace(/\.bin$/, ".z.bin")).catch(() => null);
    return answer?.ok ? decode(await answer.arrayBuffer()) : null;
  }

  close() {
    this.closed = true;
  }

  async #load(url, listener) {
    let messages = null;
    try {
      const response = await fetch(url);
      if (response.ok) messages = decodeAll(await response.arrayBuffer());
    } catch { /* says below that there is none */ }
    if (this.closed) return;
    if (!messages?.length) listener.lost("missing");
    else if (readable(messages[0], listener)) listener.replay(messages[0], messages.slice(1));
  }
}

/** A run whose messages come with Streamlit's own, where no socket can be opened: see feed.js. */
export class FedRun {
  #asked = null;
  #feeding = ({ detail }) => detail.url === this.url && this.#take(detail);

  constructor(url, subject, listener) {
    this.url = url;
    this.listener = listener;
    const first = decode(fromBase64(subject));
    if (!readable(first, listener)) return;
    listener.begun(first);
    window.addEventListener("dml-viz:feed", this.#feeding);
    if (window.dmlFeed?.url === url) this.#take(window.dmlFeed);
  }

  /** The frame of `step` once Python has been asked for it; null where it does not come in time: `came` gets it then. */
  at(step) {
    return new Promise((resolve) => {
      this.#asked = { step, resolve };
      setTimeout(() => resolve(null), PATIENCE);
    });
  }

  close() {
    window.removeEventListener("dml-viz:feed", this.#feeding);
  }

  #take({ step: asked, message }) {
    const reply = decode(message);
    const step = this.listener.returning(reply.header);
    if (reply.header.latest < this.listener.latest() || step !== null) this.listener.restarted(step);
    if (asked !== null && this.#asked?.step === asked) this.#asked.resolve(reply);
    this.listener.came(reply);
  }
}
