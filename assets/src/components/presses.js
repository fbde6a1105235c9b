import { Confirmation } from "../host/confirmation.js";
import { component } from "../host/mount.js";

/** Counts the presses of a button of Streamlit's, which keeps one of several that come before the page is drawn again. */
class Presses {
  #count = 0;
  #closed = new AbortController();

  constructor() {
    this.confirmation = new Confirmation(() => this.component.data.taken >= this.#count, () => this.#send());
    const options = { capture: true, signal: this.#closed.signal };
    document.addEventListener("click", (event) => this.#press(event), options);
  }

  // Takes from Python how many presses it has answered: fewer than before in a session that begins anew.
  /** @param {Given<PressesData>} component */ update(component) {
    const { taken } = component.data;
    this.#count = taken < this.component?.data.taken ? taken : Math.max(this.#count, taken);
    this.component = component;
  }

  close() {
    this.#closed.abort();
    this.confirmation.close();
  }

  /** @param {Event} event */ #press(event) {
    const { button } = this.component.data;
    if (!(event.target instanceof Element) || !event.target.closest(`.${button} button`)) return;
    event.stopPropagation(); // for Streamlit it would be a press more
    this.#count += 1;
    this.#send();
    this.confirmation.expect();
  }

  #send() {
    this.component.setStateValue("presses", this.#count);
  }
}

export const { mount, unmount } = component(Presses);
