// Popovers by keyboard: Streamlit draws an open one at the end of the page, which Tab reaches after everything else.

const BUTTON = '[data-testid="stPopoverButton"][aria-expanded="true"]';
const BODY = '[data-testid="stPopoverBody"]';
const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";

/** Lets Tab go from the button of an open popover into it, and from its end on to what follows the button; Shift goes back.
 * @param {KeyboardEvent} event */
export function leadTabThroughPopover(event) {
  const down = event.key === "ArrowDown";
  if ((event.key !== "Tab" && !down) || event.defaultPrevented) return;
  const now = document.activeElement;
  const button = [...document.querySelectorAll(BUTTON)].at(-1);
  const body = [...document.querySelectorAll(BODY)].at(-1);
  if (!(button instanceof HTMLElement) || !body) return;
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
