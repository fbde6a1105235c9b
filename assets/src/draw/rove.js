/** @type {Record<string, number>} */ const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 0, ArrowUp: 0 };

/** Makes the buttons in `root` one stop of the Tab key: arrow keys go on to the next, up and down by `row()` buttons. A radio
 * button that is reached so is chosen. Called once; the function returned updates, after a change, which button is the stop.
 * @param {HTMLElement} root */
export function rove(root, row = () => 1) {
  /** @returns {HTMLElement[]} */ const all = () => [...root.querySelectorAll(/** @type {"button"} */ ("button:not(:disabled)"))];
  const settle = (stop = all().find((one) => one.getAttribute("aria-checked") === "true" || one === document.activeElement)) => {
    const buttons = all();
    for (const one of buttons) one.tabIndex = one === (stop ?? buttons[0]) ? 0 : -1;
  };
  root.addEventListener("focusin", ({ target }) => {
    const button = target instanceof Element && target.closest("button");
    if (button) settle(button);
  });
  root.addEventListener("keydown", (event) => {
    if (!(event.key in STEPS)) return;
    const [buttons, step] = [all(), STEPS[event.key] || (event.key === "ArrowDown" ? row() : -row())];
    const next = buttons[buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step];
    event.preventDefault();
    next?.focus();
    if (next?.getAttribute("role") !== "radio") return;
    next.click();
    // Drawing after the choice makes new buttons.
    if (!next.isConnected) /** @type {HTMLElement} */ (root.querySelector("[aria-checked=true]"))?.focus();
  });
  return settle;
}
