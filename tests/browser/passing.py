"""What shows in passing, too briefly to be looked for."""

import json

from playwright.sync_api import Page

NOTE = """([selector, attribute]) => {
  const noted = (window.dmlNoted = new Set());
  const look = () => document.querySelectorAll(selector).forEach((node) =>
    noted.add(attribute ? node.getAttribute(attribute) : node.textContent));
  const what = { subtree: true, childList: true, characterData: true };
  new MutationObserver(look).observe(document, attribute ? { ...what, attributeFilter: [attribute] } : what);
  look();
}"""
SHOWN = "(pattern) => [...window.dmlNoted].some((said) => new RegExp(pattern).test(said))"


def note(page: Page, selector: str, attribute: str = "") -> None:
    """From now on, note all that the elements at ``selector`` say, in their text or in ``attribute``."""
    page.evaluate(NOTE, [selector, attribute])


def note_from_the_first(page: Page, selector: str, attribute: str = "") -> None:
    """As `note`, on the page that is opened next."""
    page.add_init_script(f"({NOTE})({json.dumps([selector, attribute])})")


def has_shown(page: Page, pattern: str) -> None:
    """Wait until something has been noted that matches ``pattern``."""
    page.wait_for_function(SHOWN, arg=pattern)
