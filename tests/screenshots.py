"""The moving picture of the readme, of the run that Start plays: ``python -m tests.screenshots``."""

import re
from io import BytesIO

from PIL import Image
from playwright.sync_api import FloatRect, Page, ViewportSize, expect

from tests import chromium
from tests.served import ROOT

README = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1366, "height": 768}
CLIP: FloatRect = {"x": 30, "y": 60, "width": 1306, "height": 616}  # the part of the page that is filmed
FILM, QUALITY = (806, 380), 60  # px of a frame; WebP quality
FRAMES, APART, AT_END = 24, 160, 2_500  # how many, ms between two, and ms of the last
SETTLED = 1_500  # ms that points glide to their next places, on a busy machine
LONGEST_RUN = 180_000  # ms


def film(page: Page) -> None:
    """Film the neighbour map of the run that Start plays, with its number."""
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


if __name__ == "__main__":
    with (
        chromium.beside_the_app() as (browser, url),
        browser.new_context(base_url=url, viewport=SIZE, color_scheme="light") as context,
    ):
        film(context.new_page())
