"""Journeys on the FastAP page: the mouse on a bin, a click on a query, one click that breaks it."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import click_on, figures, in_sight, still
from tests.samples import thorough
from tests.waiting import holds

DIMMED = "dimmed => document.querySelectorAll('.scatterlayer .point[style*=filter]').length > 0 === dimmed"


def opened(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".js-plotly-plot .main-svg").filter(visible=True).first).to_be_visible()


def test_a_bin_lights_its_points_a_query_is_clicked_and_one_click_breaks_it_and_comes_back_by_the_link(page: Page) -> None:
    opened(page, "/fastap?scene=overlapping")
    bar = page.locator(".barlayer .point path").nth(1)
    still(page)
    bar.hover(force=True)
    holds(page, DIMMED, arg=True)
    page.mouse.move(5, 5)
    holds(page, DIMMED, arg=False)
    in_sight(page.locator(".st-key-fastap-queries .dml-figure"))
    queries = page.get_by_role("figure", name="Scores of")
    marks = queries.locator(".scatterlayer .trace").nth(1).locator(".point")
    click_on(marks.first)
    page.wait_for_url(re.compile(r"fastap\.query=\d+"))
    expect(queries).to_have_accessible_name(re.compile("The chosen query has FastAP"))
    page.get_by_role("button", name="Too few bins").click()
    expect(page.get_by_text("This ranking is perfect")).to_be_visible()
    page.wait_for_url(re.compile(r"fastap\.bins=4"))
    page.reload()
    expect(page.get_by_text("This ranking is perfect")).to_be_visible()


@thorough
def test_a_finger_on_a_figure_scrolls_the_page(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    page.goto("/fastap")
    figure = in_sight(figures(page).first)
    still(page)
    box = figure.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for way in range(20, 220, 20):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x, "y": y - way}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    holds(page, "([figure, top]) => figure.getBoundingClientRect().top < top - 100", arg=[figure.element_handle(), box["y"]])
    expect(page.locator(".modebar-btn")).to_have_count(0)


def test_a_slider_redraws_the_figures_in_sight_once_the_page_offers_the_same_and_the_back_button_restores_it(page: Page) -> None:
    opened(page, "/fastap")
    figure = page.get_by_role("figure", name="FastAP of one query in 10 bins")
    expect(figure).to_be_visible()
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/figures/" in request.url else None)
    slider = page.get_by_test_id("stSlider").get_by_role("slider", name="bins")
    slider.focus()
    slider.press("ArrowRight")
    expect(page.get_by_role("figure", name="FastAP of one query in 11 bins")).to_be_visible()
    page.wait_for_url(re.compile(r"fastap\.bins=11"))
    page.wait_for_load_state("networkidle")
    slider.press("ArrowRight")
    expect(page.get_by_role("figure", name="FastAP of one query in 12 bins")).to_be_visible()
    assert len(asked) == 2
    assert all("slider=fastap-bins" in url for url in asked)
    page.wait_for_url(re.compile(r"fastap\.bins=12"))
    page.go_back()
    expect(slider).to_have_value("11")
    expect(page.get_by_role("figure", name="FastAP of one query in 11 bins")).to_be_visible()
    page.wait_for_load_state("networkidle")
    # A point of the scene is a slider for screen readers, but not a figure's.
    with page.expect_request(lambda request: "/figures/" in request.url) as asked_for_the_scene:
        page.get_by_role("slider", name="point #2,").press("ArrowRight")
    assert "slider=" not in asked_for_the_scene.value.url
