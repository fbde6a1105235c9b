import { Wire } from "./wire.js";

const NAME = "dml-classroom-teacher"; // begins the key in the storage of the tab
export const FORBIDDEN = 4403; // the close code of a token that the server does not take
const OVER = [FORBIDDEN, 4404, 4410]; // ends after which nobody comes back
const OFTEN = 5000; // ms between two looks whether the proxy still leads to the same server

/** A teacher's device, a wall or a console, in the classroom `code`. `changed(type)` is called after every message, and with ""
 * after every change of the connection. */
export class Teacher {
  /** @type {StateMessage | null} */ state = null;
  /** @type {CountMessage | null} */ count = null;
  /** @type {RevealMessage | null} */ reveal = null;
  /** @type {readonly Prepared[]} */ questions = [];
  link = "";
  /** @type {OfferMessage | null} */ offer = null; // what the page on the wall has for a console
  /** @type {boolean | null} */ online = null; // not known before a first answer or failure
  ended = 0;
  why = "";
  refusal = "";
  #refused = 0; // the epoch of the state that the refusal speaks of
  #server = "";

  /** @param {string} code @param {string} token @param {"wall" | "console"} role @param {(type: string) => void} changed
   * @param {{wire?: typeof Wire, world?: Partial<import("./wire.js").World>}} parts */
  constructor(code, token, role, changed, { wire = Wire, world = {} } = {}) {
    this.code = code;
    this.token = token;
    this.changed = changed;
    this.state = storedOf(code).state ?? null;
    this.#keep();
    /** @param {ServerMessage} message */ const onMessage = (message) => this.hear(message);
    this.wire = new wire(code, () => ({ type: "hello", role, token }), onMessage, (status) => this.#status(status), world);
    this.looking = setInterval(() => this.#look(), OFTEN);
  }

  /** Whether the classroom is over for this device. */
  get over() {
    return OVER.includes(this.ended);
  }

  /** Whether the action is legal now. @param {string} action */
  can(action) {
    return (this.state?.legal ?? []).some((legal) => legal === action);
  }

  /** Does an action in the state that this device has seen. @param {Action} action @param {object} more */
  act(action, more = {}) {
    this.refusal = "";
    this.wire.say(/** @type {ActionMessage} */ ({ type: action, epoch: this.state?.epoch ?? 0, ...more }));
  }

  /** Opens a question. @param {PredictionAsk | OwnAsk} ask */
  open(ask) {
    this.act("open", { ask });
  }

  /** Opens a question of the page on the wall. @param {OfferedQuestion} offer */
  openOffered({ ask, right }) {
    this.open(/** @type {PredictionAsk | OwnAsk} */ ({ ...ask, ...(right === null ? {} : { right }) }));
  }

  close() {
    clearInterval(this.looking);
    this.wire.close();
  }

  /** @param {ServerMessage} message */ hear(message) {
    const { type } = message;
    if (type === "welcome") {
      this.#server = message.server;
      this.questions = message.questions;
      // A server that knows less than this device takes it from here.
      if (this.state) this.wire.say({ type: "restore", state: this.state });
    } else if (type === "state") {
      this.state = message;
      if (message.epoch !== this.#refused) this.refusal = "";
      this.link = message.link ?? this.link;
      if (message.state !== "revealed" && !message.shown) this.reveal = null;
      this.#keep();
    } else if (type === "count") this.count = message;
    else if (type === "reveal") this.reveal = message;
    else if (type === "link") this.link = message.link;
    else if (type === "offer") this.offer = message;
    else if (type === "refused" && message.what !== "offer") {
      this.refusal = message.why;
      this.#refused = message.epoch;
    }
    this.changed(type);
  }

  #keep() {
    try {
      sessionStorage.setItem(`${NAME}-${this.code}`, JSON.stringify({ token: this.token, state: this.state }));
    } catch { /* blocked, as in a frame of another site: a reload asks for the token again */ }
  }

  /** @param {{online: boolean, ended: number, why: string}} status */ #status({ online, ended, why }) {
    Object.assign(this, { online, ended, why });
    this.changed("");
  }

  // A proxy may lead newcomers to another server while this socket still holds the old one.
  async #look() {
    if (!this.online || !this.wire.socketed) return;
    const server = await fetch(this.wire.address).then((answer) => answer.json()).then(({ server }) => String(server), () => "");
    if (!server || server === this.#server || !this.online) return;
    this.wire.say({ type: "move" });
  }
}

/** What this tab keeps of a classroom that it teaches: the token, and the state seen last.
 * @param {string} code @returns {{token?: string, state?: StateMessage | null}} */
export function storedOf(code) {
  try {
    return JSON.parse(sessionStorage.getItem(`${NAME}-${code}`) ?? "{}");
  } catch {
    return {};
  }
}
