"""When a scene in the hand has come to rest."""

import re

from playwright.sync_api import Locator, Page, expect

PAINTED = "() => new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))"
LINKED = """(setting) => {
  const { scene, moving } = document.querySelector(".dml-hand").dataset;
  return moving === "false" && new URL(location.href).searchParams.get(setting) === scene;
}"""


def painted(page: Page) -> None:
    """Wait until what has been done by now is on the screen."""
    page.evaluate(PAINTED)


def at_rest(page: Page, setting: str) -> None:
    """Wait until the scene as it stands is in the link, as ``setting``."""
    painted(page)
    page.wait_for_function(LINKED, arg=setting)


def figures(page: Page) -> Locator:
    """The places of the figures, each drawn when it comes into sight."""
    return page.locator(".dml-figure")


def all_drawn(page: Page) -> None:
    """Open every drawer and scroll to each figure in turn, until it is drawn."""
    for drawer in page.locator("details:not([open]):has(.dml-figure) > summary").all()[::-1]:
        drawer.click()
    for figure in figures(page).all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".main-svg").first).to_be_attached()


def opened_at(page: Page, address: str, count: int) -> Page:
    """The page at ``address`` once its scene is drawn and the places of ``count`` figures are there."""
    page.goto(address)
    expect(page.locator(".dml-hand[data-drawn]")).to_be_visible()
    expect(figures(page)).to_have_count(count)
    return page


def point(page: Page, index: int) -> Locator:
    return page.get_by_role("slider", name=re.compile(rf"^point #{index},"))


def note(page: Page) -> Locator:
    return page.locator(".dml-hand-note")
