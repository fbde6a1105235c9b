"""The pictures of the README, taken from the running app: ``python -m tests.screenshots [NAME ...]``."""

import sys
from collections.abc import Callable, Sequence
from io import BytesIO

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect

from tests import chromium
from tests.browser.gestures import train_button
from tests.served import ROOT

README = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1440, "height": 1200}
LONGEST_RUN = 180_000  # ms


def train(page: Page) -> None:
    """A run on digits, trained to the end of its budget."""
    page.goto("/train")
    train_button(page).click()
    page.locator("[data-status=done]").wait_for(timeout=LONGEST_RUN)


def fastap(page: Page) -> None:
    """FastAP on the points of a scene."""
    page.goto("/fastap")
    page.locator(".js-plotly-plot .main-svg").first.wait_for()


def gallery(page: Page) -> None:
    """The gallery itself."""
    page.goto("/gallery")
    page.locator(".dml-card img").last.wait_for()


SHOTS: dict[str, Callable[[Page], None]] = {"train": train, "fastap": fastap, "gallery": gallery}


def shoot(names: Sequence[str]) -> None:
    """Take the README's pictures from the running app."""
    README.mkdir(parents=True, exist_ok=True)
    with chromium.beside_the_app() as (browser, url):
        for name in names:
            with browser.new_context(base_url=url, viewport=SIZE, color_scheme="light") as context:
                page = context.new_page()
                SHOTS[name](page)
                expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
                page.wait_for_load_state("networkidle")
                page.mouse.move(0, 0)
                with Image.open(BytesIO(page.screenshot())) as taken:
                    taken.convert("RGB").save(README / f"{name}.webp", lossless=True)
                print(README.name, name)


def main(names: Sequence[str]) -> int:
    """Take the pictures named, or all; return 2 for an unknown name."""
    if unknown := set(names) - set(SHOTS):
        print(f"{', '.join(sorted(unknown))}: no such picture; there are {', '.join(SHOTS)}", file=sys.stderr)
        return 2
    shoot([name for name in SHOTS if name in names or not names])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
