// Popovers by keyboard: Streamlit draws an open one at the end of the page, which Tab reaches after everything else.

const BUTTON = '[data-testid="stPopoverButton"][aria-expanded="true"]';
export const BODY = '[data-testid="stPopoverBody"]';
const PRESSED = `${BODY} .stButton:not([class*="-set-"] *) button`; // a set of options is still open to changes
const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Lets Tab go from the button of an open popover into it, and from its end on to what follows the button; Shift goes back.
 * @param {KeyboardEvent} event */
export function leadTabThroughPopover(event) {
  const down = event.key === "ArrowDown";
  if ((event.key !== "Tab" && !down) || event.defaultPrevented) return;
  const now = document.activeElement;
  const button = openedBy();
  const body = [...document.querySelectorAll(BODY)].at(-1);
  if (!button || !body) return;
  const stops = stopsOf(body);
  if (now === button && !event.shiftKey && stops.length) {
    event.preventDefault();
    stops[0].focus();
  } else if (!down && event.shiftKey && now === stops[0]) {
    event.preventDefault();
    button.focus();
  } else if (!down && !event.shiftKey && now === stops.at(-1)) {
    button.focus(); // from where Tab goes on
    button.click();
  }
}

/** Closes the open popover once a button in it is pressed: it was a menu, and the page is about to show what was chosen.
 * @param {MouseEvent} event */
export function closePopoverOfPressed({ target, detail }) {
  const pressed = target instanceof Element && target.closest(PRESSED);
  const button = openedBy();
  if (!pressed || !button) return;
  const close = () => setTimeout(() => button.matches(BUTTON) && button.click());
  if (detail) close();
  else addEventListener("keyup", close, { once: true }); // Streamlit takes a key for a press once it is let go
}

/** Closes the open popover if its button has gone, as where something was pressed in it while the page began. */
export function closePopoverWithoutButton() {
  const button = openedBy();
  if (button && !button.checkVisibility()) button.click();
}

/** The button of the open popover; null without one. @returns {HTMLElement | null} */
export function openedBy() {
  return [.../** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(BUTTON))].at(-1) ?? null;
}

/** The nodes at which Tab stops, of a group of radio buttons the chosen one; a popover that has lost the focus keeps the order of
 * its nodes apart, in `data-tabindex`. @param {Element} body */
function stopsOf(body) {
  return [.../** @type {NodeListOf<HTMLInputElement>} */ (body.querySelectorAll(STOPS))].filter((node) => {
    const others = node.type === "radio" ? [...body.querySelectorAll("input")].filter(({ name }) => name === node.name) : [];
    const passed = !node.checked && others.some(({ checked }) => checked);
    return Number(node.dataset.tabindex ?? node.tabIndex) >= 0 && !node.disabled && !passed &&
      node.checkVisibility({ visibilityProperty: true });
  });
}
