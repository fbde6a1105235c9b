"""The first lesson from its button to its end, and predictions by hand."""

import re

from playwright.sync_api import Page, ViewportSize, expect

from dml_viz.app import frame
from dml_viz.app.lessons.bar import FIRST_LESSON
from dml_viz.room.lesson_text import built_in, read
from tests.browser.gestures import still, train_button
from tests.samples import THOROUGH, sample
from tests.waiting import holds


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
    box.get_by_role("button", name="Lock", exact=True).click()
    expect(box.get_by_role("button", name="Reveal")).to_be_enabled()


# Whether at least a share of a figure is on the first screen.
ON_SCREEN = """([selector, least]) => {
  document.querySelector('[data-testid="stMain"]').scrollTop = 0;
  const box = [...document.querySelectorAll(selector)].find((found) => found.checkVisibility())?.getBoundingClientRect();
  const seen = box ? Math.min(innerHeight, box.bottom) - Math.max(0, box.top) : 0;
  return box?.height > 100 && seen >= least * box.height;
}"""
# Collects the pictures of a figure, frame by frame.
WATCH = """(selector) => {
  const drawn = window.drawn = new Set();
  const look = () => {
    const figure = document.querySelector(selector);
    const overlay = figure?.querySelector(".dml-scene-overlay");
    const now = figure?.closest("[data-step]")?.dataset.step ?? figure?.innerHTML;
    drawn.add(now + (overlay ? getComputedStyle(overlay).opacity : ""));
    if (drawn === window.drawn && drawn.size < 3) requestAnimationFrame(look);
  };
  look();
}"""
# Whether all buttons of the question and the one of Share can be pressed: each is on the screen, over what else is there.
REACHED = """() => [...document.querySelectorAll(".st-key-prediction button, .st-key-title .stButton button")].every((button) => {
  if (!button.checkVisibility()) return true;
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return left >= 0 && right <= innerWidth && button.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
})"""
WIDTHS = (700, 768, 820, 1024, 1366)  # the first two are tablets upright; the phone's is the test's own
MOVED = "() => window.drawn.size >= 3"  # as it was, as it is, and between the two; a slow machine draws no more
FIGURES = {"": ".dml-embedding", "race": ".dml-race-field", "train": ".dml-embedding"}


def test_a_newcomer_completes_the_first_lesson_and_sees_each_answer_move(page: Page) -> None:
    # Thoroughly on a phone and a laptop in turn.
    sizes: list[ViewportSize] = [{"width": 390, "height": 844}, {"width": 1366, "height": 768}][: 1 + THOROUGH]
    page.set_viewport_size(sizes[0])
    page.goto("/")
    page.get_by_role("button", name="The first lesson").click()
    bar, box = page.locator(".st-key-lesson-bar"), page.locator(".st-key-prediction")
    stations = read(built_in()[FIRST_LESSON], frame.titles()).stations
    last = len(stations)
    answered = sample(range(1, last), 4)  # a run, panels by hand, a scene and a race; `tests/app/test_predictions.py` has all

    def on_screen(figure: str) -> None:
        holds(page, ON_SCREEN, arg=[figure, 0.8])

    for station in range(1, last):
        expect(bar).to_contain_text(f"The first lesson, {station} of {last}")
        figure = FIGURES.get(stations[station - 1].page, ".dml-scene-stage svg")
        expect(box).to_be_visible()
        on_screen(figure)
        if station == 1:
            each_button_can_be_pressed(page)
        if station in answered:
            predict(page)
            page.evaluate(WATCH, figure)
            page.get_by_role("button", name="Reveal").click()
            expect(box).to_contain_text(re.compile(r"(Right|Close|Not so)[.:](.|\n)*\d"))
            holds(page, MOVED)
        sizes.reverse()
        page.set_viewport_size(sizes[0])
        bar.get_by_role("button", name="Next", exact=True).click()
        if station == 1:
            the_browsers_button_goes_one_station_back(page)
    expect(bar).to_contain_text(f"{last} of {last}: Train one on classes it never saw")
    expect(page.locator(".dml-live[data-step='0']")).to_be_visible()
    on_screen(FIGURES[stations[-1].page])
    predict(page)
    page.get_by_role("button", name="Reveal").click()
    expect(box).to_contain_text("wait for step 300")
    if THOROUGH:
        trained_to_the_end(page)
    bar.get_by_role("button", name="Back", exact=True).click()
    expect(bar).to_contain_text(f"{last - 1} of {last}")


def each_button_can_be_pressed(page: Page) -> None:
    """On screens of all widths, with the longest name of a slider."""
    size = page.viewport_size
    assert size
    expect(page.locator(".st-key-title").get_by_role("button", name="Share")).to_be_visible()
    for width in (size["width"], *WIDTHS):
        page.set_viewport_size({"width": width, "height": 844})
        holds(page, REACHED)
    page.set_viewport_size(size)


def trained_to_the_end(page: Page) -> None:
    """The last prediction is about a run, which is revealed with its step."""
    bar, box = page.locator(".st-key-lesson-bar"), page.locator(".st-key-prediction")
    page.set_viewport_size({"width": 390, "height": 150})  # no frame of the run is drawn for nobody
    train_button(page).click()
    page.locator(".dml-live[data-step='300']").wait_for()
    page.get_by_role("button", name="Reveal").click()
    expect(box).to_contain_text(re.compile(r"At step 300 R@1 on unseen classes is \d+%"))
    expect(bar).to_contain_text(re.compile(r"Done\. \d of \d predictions right, \d close"))
    expect(bar.get_by_role("link", name="Train your own")).to_be_visible()


def the_browsers_button_goes_one_station_back(page: Page) -> None:
    """From the second station to the first; then on again."""
    bar = page.locator(".st-key-lesson-bar")
    expect(bar).to_contain_text("2 of")
    still(page)
    page.go_back()
    expect(bar).to_contain_text("1 of")
    expect(page.locator(FIGURES[""]).first).to_be_visible()
    bar.get_by_role("button", name="Next", exact=True).click()


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
    # From here by keys: the focus goes on from each button that goes off.
    lock, close = (page.locator(".st-key-prediction").get_by_role("button", name=name, exact=True) for name in ("Lock", "Close"))
    expect(lock).to_be_enabled()
    lock.press("Enter")
    expect(page.get_by_role("button", name="Reveal")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-prediction")).to_contain_text(re.compile(r"carries it from 92° to 1\d\d°"))
    expect(page.locator(".dml-scene")).to_be_visible()
    guess.press("ArrowLeft")
    expect(guess).to_have_attribute("aria-valuenow", str(degrees))
    close.press("Enter")
    expect(page.locator(".st-key-predict-menu").get_by_role("button")).to_be_focused()
