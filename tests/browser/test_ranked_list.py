"""A journey on the Ranked List page: a moved point, and clicks that choose the query."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import at_rest, click_on, figures, in_sight, note, opened_at, point
from tests.samples import thorough

FIGURES = 7  # besides the scene


def opened(page: Page, address: str = "/ranked_list") -> Page:
    return opened_at(page, address, FIGURES)


@thorough  # `test_share.py` moves a point of this page
def test_a_point_moved_out_of_the_circle_is_no_longer_mined_anywhere_and_clicks_choose_the_query(page: Page) -> None:
    opened(page)
    expect(note(page)).to_contain_text("pushes 5 of 8 negatives")
    point(page, 4).focus()
    for _ in range(6):
        point(page, 4).press("Shift+ArrowDown")
    at_rest(page, "ranked_list.at")
    many = re.search(r"pushes (\d) of 8", note(page).inner_text())
    assert many
    expect(page.get_by_role("figure", name=re.compile(rf"^The 12 other points.* {many[1]} of 8 negatives"))).to_be_visible()
    point(page, 11).click()
    expect(note(page)).to_contain_text("#11 pulls")
    page.wait_for_url(re.compile(r"ranked_list\.query=11"))
    expect(page.get_by_text("the query is #11")).to_be_visible()
    bars = in_sight(figures(page).last).locator(".barlayer .trace").first.locator(".point")
    click_on(bars.first)
    page.wait_for_url(re.compile(r"ranked_list\.query=(?!11\b)\d+"))  # another point than before
    query = re.search(r"ranked_list\.query=(\d+)", page.url)
    assert query
    expect(note(page)).to_contain_text(f"#{query[1]} pulls")
