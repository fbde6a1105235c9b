"""When a page, or a scene in the hand, has come to rest; what is done once it has."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.axe import AT_REST

PAINTED = "() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
LINKED = """(setting) => {
  const { scene, moving } = document.querySelector(".dml-scene").dataset;
  return moving === "false" && new URL(location.href).searchParams.get(setting) === scene;
}"""


def painted(page: Page) -> None:
    """Wait until what has been done by now is on the screen."""
    page.evaluate(PAINTED)


def at_rest(page: Page, setting: str) -> None:
    """Wait until the scene as it stands is in the link, as ``setting``."""
    painted(page)
    page.wait_for_function(LINKED, arg=setting)


def travel(page: Page, address: str) -> None:
    """Go to another page as by the browser's own buttons: the tab stays, its content is another.

    Before it has drawn for the first time, a page hears of no other address.
    """
    heading = page.get_by_role("heading", level=1).first
    before = heading.inner_text()
    page.evaluate("path => { history.pushState({}, '', path); dispatchEvent(new PopStateEvent('popstate')); }", address)
    expect(heading).not_to_have_text(before)


def comes_to(page: Page, script: str, wanted: Any) -> None:
    """Wait until ``script`` gives ``wanted``, on a page that may run once more meanwhile; a failure says what it gave last."""
    try:
        page.wait_for_function(f"wanted => JSON.stringify(({script})()) === JSON.stringify(wanted)", arg=wanted)
    except TimeoutError:
        found = page.evaluate(script)
        assert found == wanted, found


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait until ``holds`` of what the browser tells by the way; for a minute or two."""
    late = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < late
        painted(page)


def still(page: Page) -> None:
    """Wait until the page neither runs, nor is about to, nor moves: what is measured now stays where it is."""
    page.wait_for_function(AT_REST)


def click_on(point: Locator) -> None:
    """Click on a mark of a figure, which lies below what the figure listens with."""
    point.scroll_into_view_if_needed()
    still(point.page)
    point.click(force=True)


def figures(page: Page) -> Locator:
    """The places of the figures outside closed drawers, each drawn when it comes into sight."""
    return page.locator(".dml-figure:not(details:not([open]) *)")


def all_drawn(page: Page) -> None:
    """Open every drawer and scroll to each figure in turn, until it is drawn."""
    still(page)
    for drawer in page.locator("[class*=-behind-] details:not([open]) > summary").all()[::-1]:
        drawer.click()
    still(page)
    for figure in figures(page).all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".main-svg").first).to_be_attached()


def opened_at(page: Page, address: str, count: int) -> Page:
    """The page at ``address`` once its scene is drawn and the places of ``count`` figures are there."""
    page.goto(address)
    expect(page.locator(".dml-scene[data-drawn]")).to_be_visible()
    expect(figures(page)).to_have_count(count)
    return page


def point(page: Page, index: int) -> Locator:
    return page.get_by_role("slider", name=re.compile(rf"^point #{index},"))


def note(page: Page) -> Locator:
    return page.locator(".dml-scene-note")
