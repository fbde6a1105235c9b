import { StudentStore } from "./student_store.js";
import { Wire } from "./wire.js";

const [EXPIRED] = [4403]; // the close code of a ticket that counts no more

/** A student of the classroom `code`: what is known of the classroom, and the student's own answers. `changed()` is called after
 * every message and every change of the connection. */
export class Pupil {
  /** @type {StateMessage | null} */ state = null;
  /** @type {RevealMessage | null} */ reveal = null;
  /** @type {FollowedScene | null} */ scene = null;
  link = "";
  /** @type {boolean | null} */ online = null; // not known before a first answer or failure
  ended = 0;
  why = "";
  refusal = "";
  #sent = new Set(); // of this connection: epochs of answers that were said or taken
  #tried = false; // without the ticket, after it was refused

  /** @param {string} code @param {() => void} changed
   * @param {{wire?: typeof Wire, store?: StudentStore, world?: Partial<import("./wire.js").World>}} parts */
  constructor(code, changed, { wire = Wire, store = new StudentStore(code), world = {} } = {}) {
    this.code = code;
    this.changed = changed;
    this.store = store;
    /** @param {ServerMessage} message */ const onMessage = (message) => this.hear(message);
    /** @returns {StudentHello} */ const hello = () => ({ type: "hello", role: "student", id: store.id, ticket: store.ticket });
    this.wire = new wire(code, hello, onMessage, (status) => this.#status(status), world);
  }

  /** The epoch of the vote that is open; 0 for none. */
  get vote() {
    return this.state?.state.startsWith("open") ? this.state.votes.at(-1) : 0;
  }

  /** The answers in the votes of the question, null for a vote without one. */
  get answers() {
    return (this.state?.votes ?? []).map((epoch) => this.store.answerOf(epoch));
  }

  /** Locks the answer in the open vote. @param {number} value */
  answer(value) {
    if (!this.vote || this.store.answerOf(this.vote)) return;
    this.refusal = "";
    const answer = this.store.lock(this.vote, value);
    if (this.online) this.#say(answer); // else it is said with the next state
    this.changed();
  }

  /** Comes back after an end that can be mended. */
  again() {
    this.ended = 0;
    this.wire.again();
    this.changed();
  }

  close() {
    this.wire.close();
  }

  /** @param {ServerMessage} message */ hear(message) {
    const { type } = message;
    if (type === "welcome") {
      this.#sent.clear();
      this.#tried = false;
      this.store.ticket = message.ticket;
      this.store.write();
    } else if (type === "state") this.#take(message);
    else if (type === "reveal") this.reveal = message;
    else if (type === "taken") {
      this.store.take(message);
      this.#sent.add(message.epoch);
    } else if (type === "scene") this.scene = message.scene;
    else if (type === "link") this.link = message.link;
    else if (type === "refused" && message.what === "answer") {
      this.refusal = message.why;
      // What was refused was not counted: it does not stand on the page as if it were.
      if (!this.store.answerOf(message.epoch)?.receipt) this.store.drop(message.epoch);
    }
    this.changed();
  }

  /** @param {StateMessage} state */ #take(state) {
    const anew = state.question?.name !== this.state?.question?.name || state.votes[0] !== this.state?.votes[0];
    if (anew) this.refusal = "";
    this.state = state;
    if (state.state !== "revealed" && !state.shown) this.reveal = null;
    if (!state.waits) this.store.only(state.votes);
    for (const answer of this.answers) if (answer && !this.#sent.has(answer.epoch)) this.#say(answer);
  }

  /** @param {import("./student_store.js").StoredAnswer} answer */ #say(answer) {
    this.#sent.add(answer.epoch);
    this.wire.say({ type: "answer", ...answer });
  }

  /** @param {{online: boolean, ended: number, why: string}} status */ #status({ online, ended, why }) {
    this.online = online;
    if (ended === EXPIRED && !this.#tried) {
      this.#tried = true;
      this.store.ticket = "";
      setTimeout(() => this.wire.again());
      return;
    }
    this.ended = ended;
    this.why = why;
    this.changed();
  }
}
