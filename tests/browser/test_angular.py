"""Journeys on the Angular page: a negative moved, another triangle by a click, and figures on a narrow screen."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import all_drawn, at_rest, comes_to, note, opened_at, point
from tests.samples import thorough

CUT_OFF = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap((plot) => {
  const whole = plot.getBoundingClientRect();
  const cut = ({ left, right }) => left < whole.left - 1 || right > whole.right + 1;
  const words = [...plot.querySelectorAll(".annotation text")];
  return words.filter((text) => cut(text.getBoundingClientRect())).map((text) => text.textContent);
})"""
FIGURES = 1  # besides the scene and what is behind a click
ANGLE = re.compile(r"n′ = (\d+\.\d)°")


def opened(page: Page, address: str = "/angular") -> Page:
    return opened_at(page, address, FIGURES)


def angle(text: str) -> float:
    found = ANGLE.search(text)
    assert found
    return float(found[1])


@thorough  # `test_keyboard.py` moves a point of this page
def test_the_angle_follows_the_negative_in_the_scene_and_in_every_figure_and_clicks_choose_another_triangle(page: Page) -> None:
    opened(page)
    expect(note(page)).to_contain_text(ANGLE)
    before = angle(note(page).inner_text())
    point(page, 6).focus()
    for _ in range(4):
        point(page, 6).press("Shift+ArrowUp")
    at_rest(page, "angular.at")
    after = angle(note(page).inner_text())
    assert after < before
    expect(page.get_by_role("figure", name=re.compile(rf"The triangle of anchor.*n′ = {after:.1f}°"))).to_be_visible()
    page.reload()
    expect(note(page)).to_contain_text(f"n′ = {after:.1f}°")
    point(page, 1).click()
    page.wait_for_url(re.compile(r"angular\.anchor=1"))
    expect(page.get_by_text(re.compile(r"anchor #1 \(class A\)")).first).to_be_visible()
    page.get_by_label("Scene", exact=True).select_option("collapsed")
    expect(note(page)).to_contain_text("n′ is undefined: the three are one point")


@thorough
def test_no_word_of_a_figure_is_cut_off(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 768})
    opened(page, "/angular?angular.alpha=25.0&angular.orders=both&angular.arrows=tangent")
    all_drawn(page)
    comes_to(page, CUT_OFF, [])
