"""What is on a page's first screen, how large its words are, and a page on a telephone: the measures of `tests.space`."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.served import Server
from tests.space import EXPLAINED, LAPTOP, LARGE, PHONE, measured, on, ready

# How far the menu covers the row of the title.
COVERED = """() => document.querySelector("header").getBoundingClientRect().bottom -
  document.querySelector(".st-key-title button").getBoundingClientRect().top"""
BOTH = """() => {
  const [rail, stage] = [".st-key-rail", ".dml-hand-stage"].map((name) => document.querySelector(name));
  if (!rail || !stage) return false;
  stage.scrollIntoView({ block: "end" });
  const [above, figure] = [rail, stage].map((node) => node.getBoundingClientRect());
  const slider = rail.querySelector("[data-testid=stSlider]").getBoundingClientRect();
  return slider.top >= 0 && slider.bottom <= above.bottom && figure.top >= above.bottom && figure.bottom <= innerHeight + 1;
}"""


def large(page: Page) -> None:
    """On a large screen letters grow, and the figure still begins within 300 px, below the whole title."""
    page.set_viewport_size({"width": LARGE.width, "height": LARGE.height})
    expect(page.locator("html")).to_have_css("font-size", "18px")
    assert measured(page)["begins"] <= 300
    assert page.evaluate(COVERED) <= 0


@pytest.mark.parametrize("address", EXPLAINED)
def test_a_loss_page_has_its_figure_and_five_knobs_on_the_first_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": LAPTOP.width, "height": LAPTOP.height})
    ready(page, address)
    found = measured(page)
    assert found["begins"] <= 300
    assert found["ends"] <= LAPTOP.height
    assert found["rows"] == 1, "presets are one line"
    assert found["knobs"] <= 5
    assert found["smallest"][0][0] >= 12
    large(page)


@pytest.mark.parametrize("address", ["start", "train", "race", "papers"])
def test_a_run_has_its_picture_on_the_first_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": LAPTOP.width, "height": LAPTOP.height})
    ready(page, address)
    found = measured(page)
    assert found["begins"] <= 300
    assert found["ends"] <= LAPTOP.height
    large(page)


@pytest.mark.parametrize("address", ["ranked_list", "proxies"])
def test_a_telephone_shows_slider_and_figure_together_and_scrolls_no_control_sideways(
    browser: Browser, server: Server, address: str
) -> None:
    with on(browser, server.url, PHONE) as page:
        ready(page, address)
        found = measured(page)
        assert (found["overflow"], found["sideways"]) == (0, [])
        assert found["smallest"][0][0] >= 12
        page.wait_for_function(BOTH)
