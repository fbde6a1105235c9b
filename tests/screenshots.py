"""The pictures of the README, taken from the running app: ``python -m tests.screenshots``."""

from __future__ import annotations

import sys
from collections.abc import Callable

from playwright.sync_api import Page, ViewportSize, expect

from tests import chromium
from tests.served import ROOT

FOLDER = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1440, "height": 1200}
LONGEST_RUN = 180_000  # ms


def train(page: Page) -> None:
    """A run on digits, trained to the end of its budget."""
    page.goto("/train")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator("[data-status=done]").wait_for(timeout=LONGEST_RUN)


def fastap(page: Page) -> None:
    """FastAP on the points of a scene."""
    page.goto("/fastap")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()


SHOTS: dict[str, Callable[[Page], None]] = {"train": train, "fastap": fastap}


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with chromium.beside_the_app() as (browser, url):
        for name, arrive in SHOTS.items():
            with browser.new_context(base_url=url, viewport=SIZE, color_scheme="light") as context:
                page = context.new_page()
                arrive(page)
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
                page.wait_for_load_state("networkidle")
                page.mouse.move(0, 0)
                page.screenshot(path=FOLDER / f"{name}.png")
                print(f"{FOLDER.name}/{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
