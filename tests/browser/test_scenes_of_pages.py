"""A page's scene, on the circle and with proxies on the sphere: reload, back, and its link in a fresh browser."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import somebody
from tests.browser.gestures import at_rest
from tests.served import Server

OPENED = {"proxies": "/proxies?proxies.dim=3", "pairs": "/pairs?pairs.loss=circle"}
SHOWS = """([key, scene]) => {
  const { dataset } = document.querySelector(".dml-scene") ?? {};
  return dataset?.drawn && dataset.scene === scene && new URL(location.href).searchParams.get(`${key}.at`) === scene;
}"""


def moved(page: Page, key: str, index: int) -> str:
    """The scene in the link after point ``index`` was moved by a key."""
    page.locator(".dml-scene-point").nth(index).press("Shift+ArrowUp")
    at_rest(page, f"{key}.at")
    return str(page.locator(".dml-scene").first.get_attribute("data-scene"))


def shows(page: Page, key: str, scene: str) -> None:
    page.wait_for_function(SHOWS, arg=[key, scene])


@pytest.mark.parametrize("key", OPENED)
def test_reload_back_and_a_fresh_browser_show_the_scene_point_for_point(
    page: Page, browser: Browser, server: Server, key: str
) -> None:
    page.goto(OPENED[key])
    page.locator(".dml-scene[data-drawn]").first.wait_for()
    last = page.locator(".dml-scene-point[role=slider]").count() - 1
    first = moved(page, key, last)  # on the Proxies page a proxy
    second = moved(page, key, 1)
    assert first != second
    page.reload()
    shows(page, key, second)
    page.go_back()
    shows(page, key, first)
    with somebody(browser, server) as fresh:
        fresh.goto(page.url)
        shows(fresh, key, first)
