"""Recording texts that show too briefly to be found by a locator."""

import json

from playwright.sync_api import Page

from tests.waiting import holds

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
    """Record from now on the texts, or the ``attribute``, of the elements at ``selector``."""
    page.evaluate(NOTE, [selector, attribute])


def note_from_the_first(page: Page, selector: str, attribute: str = "") -> None:
    """Record as `note` does, on the next page opened."""
    page.add_init_script(f"({NOTE})({json.dumps([selector, attribute])})")


def has_shown(page: Page, pattern: str) -> None:
    """Wait until a recorded text matches ``pattern``."""
    holds(page, SHOWN, arg=pattern)
