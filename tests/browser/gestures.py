"""Waiting until a page or a scene is at rest, and gestures after that."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.waiting import holds, rest_of

A_MOMENT = "() => new Promise((over) => setTimeout(over, 50))"  # in which nothing has to be painted
PAINTED = "() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
LINKED = """(setting) => {
  const { scene, moving } = document.querySelector(".dml-scene").dataset;
  return moving === "false" && new URL(location.href).searchParams.get(setting) === scene;
}"""


def train_button(page: Page) -> Locator:
    """The button *Train* of the page; the menu has a section of that name."""
    return page.get_by_role("main").get_by_role("button", name="Train", exact=True)


def painted(page: Page) -> None:
    """Wait until all changes so far are on the screen."""
    page.evaluate(PAINTED)


def at_rest(page: Page, setting: str) -> None:
    """Wait until the link has the scene as it is, in ``setting``."""
    painted(page)
    holds(page, LINKED, arg=setting)


def travel(page: Page, address: str) -> None:
    """Go to another page as the browser's own buttons do, within the tab.

    A page reacts to addresses only after it has drawn for the first time.
    """
    heading = page.get_by_role("heading", level=1).first
    before = heading.inner_text()
    turned_to(page, address)
    expect(heading).not_to_have_text(before)


def turned_to(page: Page, link: str) -> None:
    """The same page at another link, reached as by the browser's own buttons."""
    page.evaluate(
        "to => { History.prototype.pushState.call(history, {}, '', to); dispatchEvent(new PopStateEvent('popstate')); }", link
    )


def comes_to(page: Page, script: str, wanted: Any) -> None:
    """Wait until ``script`` gives ``wanted``, on a page that may rerun meanwhile; a failure names the last value."""
    try:
        holds(page, f"wanted => JSON.stringify(({script})()) === JSON.stringify(wanted)", arg=wanted)
    except TimeoutError:
        found = page.evaluate(script)
        assert found == wanted, found


def until(page: Page, holds: Callable[[], object]) -> None:
    """Wait, for a minute or two, until ``holds()``, while the browser's events are handled."""
    late = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < late
        page.evaluate(A_MOMENT)


def still(page: Page) -> None:
    """Wait until the page does not run, will not run and does not move, so that positions can be measured."""
    rest_of(page)


def click_on(point: Locator) -> None:
    """Click on a mark of a figure, which is below the layer that receives the click; a figure may be drawn anew meanwhile."""
    still(point.page)
    point.evaluate("(mark) => mark.scrollIntoView({ block: 'center' })")
    still(point.page)
    point.click(force=True)


def figures(page: Page) -> Locator:
    """The places of the figures outside closed drawers, each drawn when it comes into sight."""
    return page.locator(".dml-figure:not(details:not([open]) *)")


def in_sight(figure: Locator) -> Locator:
    """The place of a figure, once it is drawn, which it is in sight; what is above it may grow and push it out again."""

    def drawn() -> int:
        figure.scroll_into_view_if_needed()
        return figure.locator(".main-svg").count()

    until(figure.page, drawn)
    return figure


def all_drawn(page: Page) -> None:
    """Open every drawer and scroll to each figure in turn, until it is drawn."""
    still(page)
    for drawer in page.locator("[class*=-behind-] details:not([open]) > summary").all()[::-1]:
        drawer.click()
    still(page)
    for figure in figures(page).all():
        in_sight(figure)


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
