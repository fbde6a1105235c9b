"""The moving picture of the readme, and the pictures of docs/classroom.md: ``python -m tests.screenshots [film] [classroom]``."""

import random
import re
import sys
from io import BytesIO

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, ViewportSize, expect

from dml_viz.serve.classroom.codes import Signer
from tests import chromium
from tests.serve.classroom.devices import says
from tests.served import CLASSROOM_SECRET, ROOT

PICTURES = ROOT / "assets" / "screenshots"
SIZE: ViewportSize = {"width": 1366, "height": 768}
CLIP: FloatRect = {"x": 30, "y": 60, "width": 1306, "height": 616}  # the part of the page that is filmed
FILM, QUALITY = (806, 380), 60  # px of a frame; WebP quality
FRAMES, APART, AT_END = 24, 160, 2_500  # how many, ms between two, and ms of the last
SETTLED = 1_500  # ms that points glide to their next places, on a busy machine
LONGEST_RUN = 180_000  # ms
PHONE: ViewportSize = {"width": 390, "height": 780}
SMALLER = {SIZE["width"]: 0.75, PHONE["width"]: 0.77}  # pictures of the classroom, by the width of their screen
QUESTION = "Drag: where does the loss carry a point?"
STUDENTS, GUESSED = 24, ((130, 38), (163, 14))  # how many; degrees of their guesses, mean and standard deviation, by vote


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
        PICTURES / "run.webp", save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=QUALITY, method=6
    )


def classroom(browser: Browser, url: str) -> None:
    """Take pictures of a wall, a console and a student, while a class votes twice on where a point goes."""
    given, chance = Signer(lambda _: CLASSROOM_SECRET.encode()).invite(), random.Random(0)
    kept = [browser.new_context(base_url=url, viewport=size, color_scheme="light") for size in (SIZE, PHONE, PHONE)]
    wall, console, student = (context.new_page() for context in kept)
    wall.goto(f"/gradients?wall={given.code}#{given.token}")
    console.goto(f"/classroom/{given.code}/console#{given.token}")
    student.goto(f"/classroom/{given.code}")
    console.get_by_role("button", name=QUESTION).first.click()
    for vote, (mean, deviation) in enumerate(GUESSED):
        hand = student.get_by_role("slider", name=re.compile("your prediction"))
        for _ in range(7):
            hand.press("ArrowLeft")
        if vote == 0:
            hand.blur()
            _take(student, "student")
        student.get_by_role("button", name="Lock my answer").click()
        for number in range(1, STUDENTS):
            says(url, given.code, chance.gauss(mean, deviation), f"a-student-of-pictures-{number:04}")
        expect(wall.locator(".dml-class-corner")).to_contain_text(f"{STUDENTS} of {STUDENTS} answered")
        console.get_by_role("button", name="Close the vote").click()
        expect(console.get_by_role("button", name="Reveal")).to_be_visible()
        if vote == 0:
            _take(console, "console")
            console.get_by_role("button", name="Vote again").click()
    console.get_by_role("button", name="Reveal").click()
    expect(wall.locator(".dml-class-card")).to_contain_text("Computed")
    expect(wall.locator(".dml-scene").first).to_be_visible()
    expect(student.get_by_text("Computed")).to_be_visible()
    wall.wait_for_timeout(2 * SETTLED)  # the point moves along its way, and the page below is drawn
    _take(wall, "wall")
    _take(student, "revealed")
    for context in kept:
        context.close()


def _take(page: Page, name: str) -> None:
    with Image.open(BytesIO(page.screenshot())) as taken:
        size = [round(side * SMALLER[taken.width]) for side in taken.size]
        picture = taken.convert("RGB").resize((size[0], size[1]), Image.Resampling.LANCZOS)
    picture.save(PICTURES / f"classroom-{name}.webp", quality=80, method=6)


if __name__ == "__main__":
    names = sys.argv[1:] or ["film", "classroom"]
    expect.set_options(timeout=LONGEST_RUN)
    with chromium.beside_the_app() as (browser, url):
        if "film" in names:
            with browser.new_context(base_url=url, viewport=SIZE, color_scheme="light") as context:
                film(context.new_page())
        if "classroom" in names:
            classroom(browser, url)
