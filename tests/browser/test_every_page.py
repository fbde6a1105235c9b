"""Every page, opened by its address in a fresh browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dml_viz.app.frame import SECTIONS
from tests.axe import AT_REST, grave

FIRST, *OTHERS = sorted(path.stem for path in (Path(__file__).parents[2] / "pages").glob("[0-9]*_*.py"))
ADDRESSES = ["/", *(f"/{name.split('_', 1)[1]}" for name in OTHERS)]


DARK = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor === 'rgb(15, 18, 24)'"
WITHOUT_WORDS = """() => [...document.querySelectorAll("[role=img]:has(.main-svg, .dml-hand-units), [role=figure]")]
  .map((figure) => figure.getAttribute("aria-label") ?? "")
  .filter((words) => !/\\d/.test(words))"""


@pytest.mark.parametrize("address", ADDRESSES)
def test_page_opens_by_its_address_without_a_fault_and_open_to_all_in_light_and_dark(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stTopNavSection")).to_have_count(len(SECTIONS) - 1)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    expect(page.get_by_test_id("stAlert").filter(has_text="an error in the app")).to_have_count(0)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    page.wait_for_function(AT_REST)
    assert page.evaluate(WITHOUT_WORDS) == [], "every figure says in words, with numbers, what it shows"
    assert grave(page) == []
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(DARK)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    assert grave(page) == []


def test_every_page_is_in_the_menu(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_test_id("stTopNavLink").first).to_be_visible()
    shown = page.get_by_test_id("stTopNavLink").count()
    for section in page.get_by_test_id("stTopNavSection").all():
        section.click()
        expect(page.get_by_test_id("stTopNavDropdownLink").first).to_be_visible()
        shown += page.get_by_test_id("stTopNavDropdownLink").count()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("stTopNavDropdownLink")).to_have_count(0)
    assert shown == len(ADDRESSES)
