"""Journeys on the page of pairs: a negative dragged over the boundary, a second loss, a click on a point of a run."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import click_on, figures, in_sight, note, opened_at, point
from tests.samples import thorough

FIGURES = 5  # of a loss, besides the scene and what is behind a click
NO_GRADIENT = "Where a triplet stops giving gradient"


def opened(page: Page, address: str = "/pairs", count: int = FIGURES) -> Page:
    return opened_at(page, address, count)


def edges(page: Page) -> list[tuple[str, float]]:
    drawn = page.locator(".dml-scene-overlay path[data-pair]:not([d=''])")
    return [(edge.get_attribute("data-pair") or "", float(edge.get_attribute("data-weight") or 0)) for edge in drawn.all()]


def test_one_click_shows_where_a_triplet_stops_giving_gradient_and_a_nudge_restores_the_gradient(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name=NO_GRADIENT).click()
    expect(page.get_by_text("27.8° from the anchor; this negative is 30.0° away")).to_be_visible()
    expect(note(page)).to_contain_text("L = 0; 0 of 3 pairs with a gradient")
    expect(note(page)).to_contain_text("no arrow")
    assert edges(page) == []
    page.wait_for_url(re.compile(r"pairs\.scene=one\+triplet"))
    for _ in range(3):
        point(page, 2).press("ArrowUp")  # one degree nearer each
    expect(note(page)).to_contain_text("2 of 3 pairs with a gradient")
    assert {pair for pair, _ in edges(page)} == {"0 1", "0 2"}
    page.wait_for_url(re.compile(r"pairs\.at=a90_100b63"))
    # Python counts as few triplets with a gradient as the edges show.
    expect(page.get_by_role("heading", name="Triplet gives a gradient to 2 of 3 pairs and 1 of 2 triplets")).to_be_visible()
    page.reload()
    expect(note(page)).to_contain_text("2 of 3 pairs with a gradient")


@thorough
def test_edges_in_the_scene_are_counted_as_by_python_and_a_second_loss_is_beside_the_first(page: Page) -> None:
    opened(page, "/pairs?pairs.loss=multi_similarity&pairs.second=lifted", 2 * FIGURES + 1)
    expect(note(page)).to_contain_text(re.compile(r"\d+ of 78 pairs with a gradient"))
    counted = re.search(r"(\d+) of 78 pairs", note(page).inner_text())
    assert counted
    assert len(edges(page)) == int(counted[1])
    expect(page.get_by_role("heading", name=f"Multi-Similarity gives a gradient to {counted[1]} of 78 pairs")).to_be_visible()
    expect(page.get_by_role("heading", name="Lifted structured: pairs with a gradient")).to_be_visible()
    page.locator("summary").filter(has_text="Common claims, checked").click()
    expect(page.get_by_role("cell", name="The hinge is squared")).to_be_visible()


@thorough
def test_a_point_of_a_run_becomes_the_anchor_by_a_click(page: Page) -> None:
    page.goto("/pairs?data=digits&net=mlp&run.dim=3&subject=live+run&run.steps=50&step=20&pairs.loss=contrastive")
    expect(figures(page)).to_have_count(FIGURES + 1)
    expect(page.get_by_text("the anchor is #0")).to_be_visible()
    classes = in_sight(figures(page).first).locator(".scatterlayer .trace:has(.point)")
    click_on(classes.nth(1).locator(".point").nth(3))
    page.wait_for_url(re.compile(r"pairs\.row=\d+"))
    row = re.search(r"pairs\.row=(\d+)", page.url)
    assert row
    expect(page.get_by_text(f"the anchor is #{row[1]} ")).to_be_visible()
