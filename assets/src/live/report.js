import { connected, scriptRunning } from "../host/page.js";

const [SOON, AGAIN] = [100, 8000]; // ms to the next look for a connection, and for a lost run: asking stops the page's script
const LATER = 250; // ms: quick steps through queries are reported once, and a page that replaces its run has started by then

/** @typedef {"query" | "step" | "view"} Name */
/** @typedef {Pick<LiveData, Name>} LiveState */

/** What the picture tells Python (query, step, view, a new status) and what Python tells the picture, without echoes. */
export class Reports {
  /** @type {Given<LiveData> | null} */ #component = null;
  /** @type {Partial<Record<Name, string | number | null>>} */ #known = {};
  /** @type {Record<Name, (string | number | null)[]>} */ #sent = { query: [], step: [], view: [] };
  /** @type {Record<string, number>} */ #timers = {};
  /** @type {string | undefined} */ #status;
  #fell = false;

  // Takes the newest component; gives those of `query`, `step` and `view` that Python has changed by itself.
  /** @param {Given<LiveData>} component @returns {Partial<LiveState>} */ take(component) {
    if (component.data.url !== this.#component?.data.url) {
      ["gone", "status"].forEach((name) => clearTimeout(this.#timers[name]));
    }
    this.#component = component;
    const { data } = component;
    /** @type {Record<string, string | number | null>} */ const changed = {};
    for (const name of /** @type {const} */ (["query", "step", "view"])) {
      const value = data[name] ?? null;
      const before = this.#known[name];
      this.#known[name] = value;
      const echo = this.#sent[name].indexOf(value);
      if (echo >= 0) this.#sent[name].splice(0, echo + 1);
      else if (value !== before && (value !== null || before !== undefined)) changed[name] = value;
    }
    if (data.status != null) this.#status = data.status;
    return changed;
  }

  /** Sends a state value, soon, unless Python knows it; with the time, because one that was sent before Back may be sent again.
   * @param {Name} name @param {string | number | null} value */
  send(name, value) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(() => {
      const known = [this.#known[name] ?? null, ...this.#sent[name]].at(-1);
      if (value === known) return;
      this.#sent[name].push(value);
      this.#component.setStateValue(name, { value, at: Date.now() });
    }, LATER);
  }

  /** Reports another status of the run to Python once, as soon as the page is idle. @param {string} status */
  status(status) {
    clearTimeout(this.#timers.status);
    if (this.#status !== undefined && status !== this.#status) {
      if (scriptRunning()) {
        this.#timers.status = setTimeout(() => this.status(status), SOON);
        return;
      }
      this.#component.setTriggerValue("status", status);
    }
    this.#status = status;
  }

  // Asks Python to look for the run where it was saved, and calls `lost`, once the page is connected and idle; again where no
  // other run comes soon. A run that the page itself has replaced counts as lost, too: its next one comes soon.
  /** @param {() => void} lost */ gone(lost) {
    clearTimeout(this.#timers.gone);
    this.#timers.gone = setTimeout(() => this.#find(lost), LATER);
  }

  /** @param {() => void} lost */ #find(lost) {
    const rests = connected() && !scriptRunning();
    if (rests) {
      lost();
      this.#component.setTriggerValue("status", "gone");
    }
    this.#timers.gone = setTimeout(() => this.#find(lost), rests ? AGAIN : SOON);
  }

  close() {
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
  }

  /** Asks Python, once, to send the run's messages with Streamlit's own. */
  fallback() {
    if (this.#fell) return;
    this.#fell = true;
    this.#component.setTriggerValue("fallback", true);
  }
}
