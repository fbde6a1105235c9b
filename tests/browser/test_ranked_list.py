"""Journeys on the Ranked List page: a dragged point, a larger T, a query of a run."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import at_rest, click_on, figures, in_sight, note, opened_at, point

FIGURES = 7  # besides the scene


def opened(page: Page, address: str = "/ranked_list") -> Page:
    return opened_at(page, address, FIGURES)


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
    page.wait_for_url(re.compile(r"ranked_list\.query=\d+"))
    query = re.search(r"ranked_list\.query=(\d+)", page.url)
    assert query
    expect(note(page)).to_contain_text(f"#{query[1]} pulls")


def test_circles_of_a_query_of_a_run_move_with_the_slider(page: Page) -> None:
    page.goto("/ranked_list?data=digits&net=mlp&run.dim=3&subject=live%20run&run.steps=100&step=20")
    circles = page.get_by_role("figure", name=re.compile(r"^The query in the middle"))
    expect(circles).to_have_attribute("aria-label", re.compile(r"α − m = 0\.8 and α = 1\.2"))
    before = circles.get_attribute("aria-label")
    slider = page.get_by_role("slider", name=re.compile("alpha"))
    slider.focus()
    slider.press("ArrowRight")
    expect(circles).to_have_attribute("aria-label", re.compile(r"α − m = 0\.85 and α = 1\.25"))
    assert circles.get_attribute("aria-label") != before
    click_on(circles.locator(".scatterlayer .trace .point").nth(30))
    page.wait_for_url(re.compile(r"ranked_list\.query=\d+"))
