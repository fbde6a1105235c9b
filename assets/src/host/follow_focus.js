// The focus of who presses keys, and what is read aloud, where Streamlit puts other buttons in place of those pressed.

import { keyed, scriptRunning } from "./page.js";
import { BODY, openedBy } from "./popovers.js";

// Holders of buttons that go off with the next run of the page, and by each what has the focus once none is left there.
/** @type {Record<string, string>} */ const HOLDERS = {
  "predict-menu": "prediction-answer",
  "prediction": "predict-menu",
  "lesson-bar": "lesson-bar",
  "race-remove": "race-edit",
};
const SPOKEN = ["prediction", "lesson-bar"];
const OFTEN = 150; // ms
const LATER = 5000; // ms that the page takes at most

/** Lets what changes in a question or in the bar of a lesson be read aloud. */
export function announceChanges() {
  for (const holder of SPOKEN) document.querySelector(keyed(holder))?.setAttribute("aria-live", "polite");
}

/** After a key on such a button: leads the focus to its like, or to the first one, once it has gone off.
 * @param {KeyboardEvent} event */
export function followFocus({ key, target }) {
  const pressed = target instanceof Element ? target.closest("button") : null;
  // A popover is drawn at the end of the page: what is pressed there belongs to its button.
  const within = pressed?.closest(BODY) ? openedBy() : pressed;
  const holder = Object.keys(HOLDERS).find((name) => within?.closest(keyed(name)));
  if (!pressed || !holder || (key !== "Enter" && key !== " ")) return;
  const words = pressed.innerText;
  /** @returns {HTMLElement | null} */ const other = () =>
    document.querySelector(`${keyed(HOLDERS[holder])} :is(button, input, [role="radio"], [role="slider"]):not(:disabled)`);
  const look = () => {
    if (document.activeElement !== document.body) return;
    const buttons =
      /** @type {HTMLButtonElement[]} */ ([...document.querySelectorAll(`${keyed(holder)} .stButton button:not(:disabled)`)]);
    const like = buttons.find((button) => button.innerText === words);
    if (like) like.focus();
    else if (!scriptRunning()) (buttons[0] ?? other())?.focus(); // at rest a page has all its buttons
  };
  const looking = setInterval(look, OFTEN);
  const end = () => clearInterval(looking);
  setTimeout(end, LATER);
  // Who takes the mouse or another key chooses the focus.
  for (const type of ["pointerdown", "keydown"]) addEventListener(type, end, { once: true });
}
