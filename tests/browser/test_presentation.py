"""*Present*, large on a wall, and one figure alone in a frame of slides."""

import http.server
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, Playwright, expect

from dml_viz.app.presentation import iframe_of
from tests import chromium
from tests.axe import library
from tests.browser.conftest import LONGEST_WAIT
from tests.browser.gestures import still
from tests.presented import faults, rest
from tests.samples import THOROUGH
from tests.served import Server
from tests.waiting import holds


def rested(page: Page) -> None:
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()


def test_keys_present_a_page_go_through_its_lesson_and_leave(page: Page) -> None:
    page.goto("/pairs?lesson=first.2&station=2")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("html[data-dml-presents=page]")).to_be_attached()
    page.keyboard.press("p")  # alone it does nothing: what is dictated holds such letters
    page.keyboard.press("Alt+p")
    expect(page.get_by_role("heading", level=1)).to_be_hidden()
    expect(page.locator(".st-key-present-head")).to_be_visible()
    expect(page).to_have_url(re.compile("present=main"))
    expect(page.locator("html[data-dml-presents^=pairs]")).to_be_attached()  # the keys walk from now on
    page.keyboard.press("ArrowRight")
    expect(page.locator(".st-key-lesson-bar")).to_contain_text("3 of 9")
    expect(page.get_by_role("heading", level=1)).to_be_hidden()
    expect(page.locator("html[data-dml-presents^=gradients]")).to_be_attached()  # the next page listens to the keys
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # the page follows later than the keys come
    page.wait_for_url(re.compile("station=[45]"))
    page.keyboard.press("ArrowRight")  # while the next page begins
    expect(page.locator(".st-key-lesson-bar")).to_contain_text("6 of 9")
    expect(page.locator("html[data-dml-presents^=proxies]")).to_be_attached()
    rested(page)
    expect(page.locator(".st-key-lesson-bar")).to_contain_text("6 of 9")
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def a_point_is_dragged(page: Page) -> None:
    """A point follows the pointer where the scene is presented, larger."""
    point = page.get_by_role("slider", name="point #11")
    still(page)
    box = point.locator(".dml-scene-shape").bounding_box()
    assert box
    before = point.get_attribute("aria-valuenow")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 20, steps=4)
    page.mouse.up()
    still(page)
    expect(point).not_to_have_attribute("aria-valuenow", str(before))
    moved = point.locator(".dml-scene-shape").bounding_box()
    assert moved
    assert abs(moved["x"] - box["x"] - 60) < 40, "it stays by the pointer, as near as the circle lets it"
    page.evaluate("() => document.activeElement.blur()")  # the keys walk again
    page.mouse.move(2, 2)


def test_keys_choose_a_figure_beside_its_knobs_and_show_two_of_which_no_words_touch(page: Page) -> None:
    page.goto("/fastap?only=nothing")
    expect(page.get_by_role("heading", level=1)).to_be_visible()  # a frame without such a figure is the page
    page.goto("/fastap?present=main")
    place = page.get_by_role("navigation", name="Presentation")
    expect(place).to_contain_text("1 of ")
    a_point_is_dragged(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")  # the page follows later than the keys come
    expect(page).to_have_url(re.compile("present=fastap-pipeline(&|$)"))
    expect(page.locator("html[data-dml-presents=fastap-pipeline]")).to_be_attached()
    rest(page)
    assert not faults(page, "fastap-pipeline")
    page.keyboard.press("Shift+ArrowDown")
    expect(page).to_have_url(re.compile("~"))
    rested(page)
    expect(page.locator("html[data-dml-presents*=' ']")).to_be_attached()
    claims = page.locator(".st-key-present-head p")
    expect(claims).to_have_count(2)
    for number, claim in enumerate(claims.all()):
        figure = page.evaluate(f"() => parseFloat(document.documentElement.style.getPropertyValue('--dml-left-{number}'))")
        assert abs(claim.bounding_box()["x"] - figure) < 2, "each claim is above its figure"  # type: ignore[index]
    page.keyboard.press("Shift+ArrowDown")
    expect(page).to_have_url(re.compile("present=fastap-pipeline(&|$)"))
    rested(page)
    slider = page.locator(".st-key-rail").get_by_role("slider", name="bins")
    before = slider.get_attribute("aria-valuenow")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuenow", str(before))
    expect(page.get_by_role("navigation", name="Presentation")).to_be_visible()
    place.get_by_role("button", name="Leave the presentation").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("/gallery?present=main")  # a page without figures is shown whole
    page.keyboard.press("ArrowDown")
    place.get_by_role("button", name="Leave the presentation").click()
    expect(place).to_be_hidden()
    if THOROUGH:
        panels_of_a_run_are_figures(page)


def panels_of_a_run_are_figures(page: Page) -> None:
    page.goto("/?present=main")
    page.locator(".dml-panel .dml-export-button").first.wait_for(state="attached")
    expect(page.locator("html[data-dml-figures~='start.gallery']")).to_be_attached()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("present=start.embedding"))
    expect(page.locator(".dml-panel.dml-embedding")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("present=start.strip"))
    expect(page.locator(".dml-panel.dml-strip")).to_be_visible()


@contextmanager
def slides(frame: str) -> Iterator[str]:
    """The address, on another site than the app's, of a deck of reveal.js with ``frame`` on the second of three slides."""
    deck = f"""<!doctype html><title>Slides</title><link rel="stylesheet" href="reveal.css">
      <div class="reveal"><div class="slides"><section>First</section><section>{frame}</section><section>Last</section>
      </div></div>
      <script src="reveal.js"></script><script>Reveal.initialize({{ transition: "none" }})</script>"""

    class Slides(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.removeprefix("/")
            known = name in ("reveal.js", "reveal.css")
            self.send_response(200 if known or not name else 404)
            self.send_header("Content-Type", {"reveal.js": "text/javascript", "reveal.css": "text/css"}.get(name, "text/html"))
            self.end_headers()
            self.wfile.write((library(f"reveal.js/dist/{name}") if known else deck).encode())

        def log_message(self, *_: object) -> None:
            """Leave it unsaid."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slides)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


STEP = "() => Number(document.querySelector('.dml-live')?.dataset.step ?? -1)"
ASLEEP = "asleep => document.documentElement.dataset.dmlAsleep === asleep"
# Or at its end already, on a machine that is slow.
FURTHER = """by => {
  const { value, max } = document.querySelector(".dml-live input[type=range]") ?? {};
  return Number(document.querySelector(".dml-live").dataset.step) > by || (value === max && max > 0);
}"""
FRAMES = """async () => {
  for (let k = 0; k < 30; k += 1) await new Promise((painted) => requestAnimationFrame(painted));
}"""


def test_a_frame_in_slides_sleeps_and_wakes_without_cookies(playwright: Playwright, server: Server, tmp_path: Path) -> None:
    (tmp_path / "Default").mkdir()
    blocked = {"profile": {"block_third_party_cookies": True, "cookie_controls_mode": 1}}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(blocked))
    with slides(iframe_of(f"{server.url}/?only=start")) as address:
        browser = chromium.profile(playwright, tmp_path, server.url, {"width": 1000, "height": 700})
        tab = browser.new_page()
        tab.set_default_timeout(LONGEST_WAIT)
        tab.goto(address)
        holds(tab, "() => Reveal.isReady()")
        tab.keyboard.press("ArrowRight")
        frame = tab.locator("iframe").element_handle().content_frame()  # type: ignore[union-attr]
        assert frame
        frame.wait_for_selector(".dml-live", state="attached")
        holds(frame, ASLEEP, arg="false")
        expect(frame.locator("h1")).to_be_hidden()
        holds(frame, FURTHER, arg=frame.evaluate(STEP))
        tab.keyboard.press("ArrowRight")
        holds(frame, ASLEEP, arg="true")
        stopped = frame.evaluate(STEP)
        tab.evaluate(FRAMES)
        assert frame.evaluate(STEP) <= stopped + 4, "it stands still"
        tab.keyboard.press("ArrowLeft")
        holds(frame, FURTHER, arg=stopped + 8)
        browser.close()
