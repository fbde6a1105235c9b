"""The Sweep page: a recorded sweep, another score, a cell that opens as a run, and a prediction of it."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import click_on, still, turned_to
from tests.samples import THOROUGH, thorough

DIMENSION = "/sweep?axis=dim%3A2_3_8_64&data=glyphs&net=mlp&p_by_k.classes=16&run.dim=64&seeds=5"


@thorough
def test_a_recorded_sweep_is_looked_at_predicted_and_opened_as_a_run(page: Page) -> None:
    page.goto(DIMENSION)
    expect(page.get_by_text("each trained before and kept")).to_be_visible()
    expect(page.get_by_text(re.compile("moves mAP by"))).to_be_visible()
    still(page)  # a run of the page closes an open menu
    page.get_by_role("combobox", name="Score").click()
    page.get_by_role("option", name="R@1").click()
    expect(page.get_by_text(re.compile("moves R@1 by"))).to_be_visible()
    expect(page).to_have_url(re.compile(r"sweep\.score=r1"))
    turned_to(page, "/sweep?predict=sweep.bins")
    expect(page.get_by_text("Which moves mAP on unseen classes farther")).to_be_visible()
    expect(page.get_by_text(re.compile(r"moves (mAP|R@1) by"))).to_have_count(0)
    question = page.locator(".st-key-prediction")
    still(page)
    question.get_by_text("the seed", exact=True).click()
    question.get_by_role("button", name="Lock", exact=True).click()
    question.get_by_role("button", name="Reveal").click()
    expect(page.get_by_text(re.compile("moves mAP by")).first).to_be_visible()
    click_on(page.locator(".scatterlayer .points path").first)
    opens = page.get_by_role("link", name="Open it in Train live")
    expect(opens).to_have_attribute("href", re.compile(r"train\?.*data=glyphs"))
    if THOROUGH:
        page.goto(f"/{opens.get_attribute('href')}")
        expect(page.get_by_role("heading", name="Train live", level=1)).to_be_visible()
