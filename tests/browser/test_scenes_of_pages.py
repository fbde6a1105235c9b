"""A page's scene, with proxies on the sphere: reload, back, and its link in a fresh browser."""

from playwright.sync_api import Browser, Page

from tests.browser.conftest import somebody
from tests.browser.gestures import at_rest
from tests.served import Server

SHOWS = """(scene) => {
  const { dataset } = document.querySelector(".dml-scene") ?? {};
  return dataset?.drawn && dataset.scene === scene && new URL(location.href).searchParams.get("proxies.at") === scene;
}"""


def moved(page: Page, name: str) -> str:
    """The scene in the link after the point or proxy ``name`` was moved by a key."""
    page.get_by_role("slider", name=name).press("Shift+ArrowUp")
    at_rest(page, "proxies.at")
    return str(page.locator(".dml-scene").first.get_attribute("data-scene"))


def shows(page: Page, scene: str) -> None:
    page.wait_for_function(SHOWS, arg=scene)


def test_reload_back_and_a_fresh_browser_show_the_scene_point_for_point(page: Page, browser: Browser, server: Server) -> None:
    page.goto("/proxies?proxies.dim=3")
    page.locator(".dml-scene[data-drawn]").first.wait_for()
    first = moved(page, "proxy of class B")
    second = moved(page, "point #1,")
    assert first != second
    page.reload()
    shows(page, second)
    page.go_back()
    shows(page, first)
    with somebody(browser, server) as fresh:
        fresh.goto(page.url)
        shows(fresh, first)
