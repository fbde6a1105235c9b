"""The pictures of the guides, taken from the running app: ``python -m tests.screenshots [NAME ...]``.

``run`` is the moving one, of the run that Start plays.
"""

import re
import sys
from collections.abc import Callable, Sequence
from io import BytesIO

from PIL import Image
from playwright.sync_api import FloatRect, Page, ViewportSize, expect

from tests import chromium
from tests.browser.gestures import train_button
from tests.served import ROOT

README = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1440, "height": 1200}
FILM_SIZE: ViewportSize = {"width": 1366, "height": 768}
CLIP: FloatRect = {"x": 30, "y": 60, "width": 1306, "height": 616}  # the part of the page that is filmed
FILM, QUALITY = (806, 380), 60  # px of a frame; WebP quality
FRAMES, APART, AT_END = 24, 160, 2_500  # how many, ms between two, and ms of the last
SETTLED = 1_500  # ms that points glide to their next places, on a busy machine
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


def film(page: Page) -> None:
    """The neighbour map of the run that Start plays, with its number, as an animated picture."""
    page.goto("/")
    expect(page.locator(".dml-step")).to_have_text(re.compile(r"step \d"), timeout=LONGEST_RUN)
    slider, frames = page.get_by_label("step shown"), list[Image.Image]()
    expect(slider).not_to_have_attribute("max", "0")
    last = int(slider.get_attribute("max") or 0)
    for number in range(FRAMES):
        slider.fill(str(round(last * number / (FRAMES - 1))))
        slider.blur()
        page.wait_for_timeout(SETTLED)
        with Image.open(BytesIO(page.screenshot(clip=CLIP))) as taken:
            frames.append(taken.convert("RGB").resize(FILM, Image.Resampling.LANCZOS))
    durations = [APART] * (FRAMES - 1) + [AT_END]
    frames[0].save(
        README / "run.webp", save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=QUALITY, method=6
    )


def shoot(names: Sequence[str]) -> None:
    """Take the README's pictures from the running app."""
    README.mkdir(parents=True, exist_ok=True)
    with chromium.beside_the_app() as (browser, url):
        if "run" in names:
            with browser.new_context(base_url=url, viewport=FILM_SIZE, color_scheme="light") as context:
                film(context.new_page())
                print(README.name, "run")
        for name in [name for name in names if name in SHOTS]:
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
    if unknown := set(names) - {"run", *SHOTS}:
        print(f"{', '.join(sorted(unknown))}: no such picture; there are run, {', '.join(SHOTS)}", file=sys.stderr)
        return 2
    shoot([name for name in ("run", *SHOTS) if name in names or not names])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
