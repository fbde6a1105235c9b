// What a student's tab keeps: its id, its ticket, and the answers of the question. Nothing else is known of a student.

const NAME = "dml-classroom"; // begins the key in the storage of the tab, and the fragment where that is blocked
const BYTES = 16; // of an id

/** @typedef {{epoch: number, value: number, receipt: string}} StoredAnswer */

/** The tab's memory of the classroom `code`: in the storage of the tab, else in the fragment of its address. */
export class StudentStore {
  id = "";
  ticket = "";
  /** @type {StoredAnswer[]} */ answers = [];

  /** @param {string} code @param {() => Storage} storage */ constructor(code, storage = () => sessionStorage) {
    this.name = `${NAME}-${code}`;
    this.storage = storage;
    Object.assign(this, this.#read());
    if (this.id) return;
    this.id = identity();
    this.write();
  }

  /** Keeps what is there now. */
  write() {
    const { id, ticket, answers } = this;
    const text = JSON.stringify({ id, ticket, answers });
    try {
      this.storage().setItem(this.name, text);
    } catch {
      globalThis.history?.replaceState(history.state, "", `#${this.name}=${encodeURIComponent(text)}`);
    }
  }

  /** The answer of the vote that was opened in `epoch`. @param {number} epoch */
  answerOf(epoch) {
    return this.answers.find((answer) => answer.epoch === epoch) ?? null;
  }

  /** Locks an answer in a vote that has none. @param {number} epoch @param {number} value */
  lock(epoch, value) {
    const answer = this.answerOf(epoch) ?? { epoch, value, receipt: "" };
    if (!this.answers.includes(answer)) this.answers.push(answer);
    this.write();
    return answer;
  }

  /** Keeps the receipt of an answer that was counted. @param {{epoch: number, value: number, receipt: string}} taken */
  take({ epoch, value, receipt }) {
    const answer = this.answerOf(epoch);
    if (answer) Object.assign(answer, { value, receipt });
    else this.answers.push({ epoch, value, receipt });
    this.write();
  }

  /** Forgets the answers of all votes but those opened in `epochs`. @param {number[]} epochs */
  only(epochs) {
    this.answers = this.answers.filter(({ epoch }) => epochs.includes(epoch));
    this.write();
  }

  /** Forgets an answer that was refused. @param {number} epoch */
  drop(epoch) {
    this.answers = this.answers.filter((answer) => answer.epoch !== epoch);
    this.write();
  }

  #read() {
    try {
      const stored = this.storage().getItem(this.name);
      return stored ? JSON.parse(stored) : {};
    } catch { /* blocked, as in a frame of another site */ }
    const [name, text] = (globalThis.location?.hash ?? "").slice(1).split("=");
    try {
      return name === this.name ? JSON.parse(decodeURIComponent(text)) : {};
    } catch {
      return {};
    }
  }
}

function identity() {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
