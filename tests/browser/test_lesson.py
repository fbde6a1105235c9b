"""The first lesson from its button to its end, and predictions by hand."""

import re

from playwright.sync_api import Page, expect

from tests.browser.gestures import still


def predict(page: Page) -> None:
    """Answer what is asked, whatever it is, and lock the answer."""
    box = page.locator(".st-key-prediction")
    expect(box).to_be_visible()
    still(page)
    by_hand, choices = box.locator(".dml-predict [role=slider]"), box.get_by_test_id("stButtonGroup")
    expect(by_hand.or_(choices).or_(box.get_by_test_id("stSlider")).first).to_be_visible()
    if by_hand.count():
        by_hand.press("ArrowLeft")
    elif choices.count():
        choices.locator("button").first.click()
    box.get_by_role("button", name="Predict", exact=True).click()
    expect(box.get_by_role("button", name="Reveal")).to_be_enabled()


def test_a_newcomer_completes_the_first_lesson(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="The first lesson").click()
    bar = page.locator(".st-key-lesson-bar")
    for station in range(1, 8):
        expect(bar).to_contain_text(f"The first lesson, {station} of 8")
        predict(page)
        page.get_by_role("button", name="Reveal").click()
        expect(page.locator(".st-key-prediction")).to_contain_text(re.compile(r"(Right|Not so)\.(.|\n)*\d"))
        bar.get_by_role("button", name="Next", exact=True).click()
    expect(bar).to_contain_text("8 of 8: Train one on classes it never saw")
    expect(page.locator(".dml-live[data-step='0']")).to_be_visible()
    predict(page)
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-prediction")).to_contain_text("wait for step 300")
    page.get_by_role("button", name="Train", exact=True).click()
    page.locator(".dml-live[data-step='300']").wait_for()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-prediction")).to_contain_text(re.compile(r"At step 300 R@1 on unseen classes is \d+%"))
    expect(bar).to_contain_text(re.compile(r"Done\. \d of 8 predicted right"))
    bar.get_by_role("button", name="Back", exact=True).click()
    expect(bar).to_contain_text("7 of 8")


def test_the_back_button_goes_one_station_back(page: Page) -> None:
    page.goto("/fastap?lesson=first&station=2&predict=fastap.steps")
    bar = page.locator(".st-key-lesson-bar")
    for station in (2, 3):
        page.locator(".st-key-presenter").wait_for(state="attached")
        still(page)
        bar.get_by_role("button", name="Next", exact=True).click()
        expect(bar).to_contain_text(f"{station + 1} of 8")
    for station, title in ((3, "Gradients side by side"), (2, "FastAP")):
        still(page)
        page.go_back()
        expect(bar).to_contain_text(f"{station} of 8")
        expect(page.get_by_role("heading", level=1, name=title)).to_be_visible()


def test_a_point_is_dragged_to_its_predicted_place(page: Page) -> None:
    page.goto("/gradients?predict=gradients.carried")
    guess = page.get_by_role("slider", name=re.compile("your prediction"))
    expect(guess).to_have_attribute("aria-valuenow", "92")
    expect(page.locator(".dml-scene")).to_be_hidden()
    guess.scroll_into_view_if_needed()
    still(page)
    circle = page.locator(".dml-predict").bounding_box()
    assert circle
    start, middle = guess.locator("path, polygon").last.bounding_box(), circle["width"] / 2
    assert start
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(circle["x"] + middle * 0.3, circle["y"] + middle * 0.5, steps=5)
    page.mouse.up()
    expect(guess).not_to_have_attribute("aria-valuenow", "92")
    degrees = int(guess.get_attribute("aria-valuenow") or 0)
    assert 130 < degrees < 165
    page.locator(".st-key-prediction").get_by_role("button", name="Predict", exact=True).click()
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(".st-key-prediction")).to_contain_text(re.compile(r"carries it from 92° to 1\d\d°"))
    expect(page.locator(".dml-scene")).to_be_visible()
    guess.press("ArrowLeft")
    expect(guess).to_have_attribute("aria-valuenow", str(degrees))
