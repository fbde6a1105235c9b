"""Journeys on the Reference page: search a loss, open its card, move a knob, train with it, come back by the link."""

import re

from playwright.sync_api import Locator, Page, expect

from dml_viz.explain.reference.controls import matching_losses
from dml_viz.losses import LOSSES
from dml_viz.params import params
from dml_viz.to_pytorch import snippet
from tests.browser.gestures import still, turned_to
from tests.browser.test_journeys import STARTED
from tests.samples import sample, thorough
from tests.waiting import holds

# A loss whose first knob is a slider that moves what its pairs weigh.
NAME = "proxy_anchor"
KIND = LOSSES[NAME]
KNOB = params(KIND)[0]
DRAWN = ".js-plotly-plot .main-svg"


def cards(page: Page) -> Locator:
    return page.locator("[class*=st-key-reference-card-]")


def described(page: Page) -> str:
    """The words of the card's figure."""
    return figure(page).get_attribute("aria-label") or ""


def figure(page: Page) -> Locator:
    return page.locator(".dml-figure").filter(has=page.locator(".main-svg"))


@thorough
def test_the_reference_is_searched_cards_fit_any_screen_and_the_knobs_of_one_are_in_the_link_and_passed_to_training(
    page: Page,
) -> None:
    page.goto("/reference")
    expect(cards(page)).to_have_count(len(LOSSES))
    for sketch in cards(page).get_by_role("img").all():
        assert re.search(r"\d", sketch.get_attribute("alt") or "")
    cards_and_rows_are_whole_on_paper(page)
    page.get_by_text(re.compile(rf"^{KIND.families[0]} \d+$")).click()
    expect(cards(page)).to_have_count(len(matching_losses("", KIND.families[0])))
    page.get_by_role("searchbox", name="Search").fill(KIND.title.upper())
    expect(cards(page)).to_have_count(len(matching_losses(KIND.title, KIND.families[0])))
    cards(page).first.click()
    expect(page.locator(DRAWN).first).to_be_visible()
    expect(page).to_have_url(re.compile(rf"card={NAME}"))
    before = described(page)
    slider = page.get_by_role("slider", name=re.compile(KNOB.label_text))
    slider.focus()
    slider.press("ArrowRight")
    turned = KIND(**{KNOB.name: KNOB.default + KNOB.step})
    value = re.compile(rf"loss\.{NAME}\.{KNOB.name}={re.escape(str(KNOB.default + KNOB.step))}")
    expect(page).to_have_url(value)
    holds(
        page,
        "before => [...document.querySelectorAll('[role=figure]')].every(one => one.getAttribute('aria-label') !== before)",
        arg=before,
    )
    page.get_by_role("tab", name="Use it in PyTorch").click()
    line = next(line for line in snippet(turned).splitlines() if line.strip().startswith(f"{KNOB.name}: "))
    code = page.get_by_test_id("stCode").filter(has_text="import torch")
    expect(code).to_contain_text(line)
    after = described(page)
    page.reload()
    expect(page.locator(DRAWN).first).to_be_visible()
    expect(figure(page)).to_have_attribute("aria-label", after)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    link = page.url
    page.get_by_role("button", name="All losses").click()
    expect(cards(page)).to_have_count(len(matching_losses(KIND.title, KIND.families[0])))
    a_search_without_a_result_can_be_cleared(page)
    the_widest_cards_fit_a_narrow_screen(page)
    turned_to(page, link)
    page.get_by_role("button", name="Train with it").click()
    page.wait_for_url(re.compile(rf"/train\?.*loss={NAME}"))
    expect(page).to_have_url(value)
    expect(page.locator(".dml-number").filter(has_text=re.compile("^status"))).to_contain_text(STARTED)
    expect(page.locator(".dml-number").filter(has_text=re.compile("^run"))).to_contain_text(KIND().name)


# What can make a card wide; formulas scroll, and are typeset in `tests/explain/reference`.
WIDE = (
    lambda kind: len(kind.title),
    lambda kind: max(map(len, re.split(r"[\s/-]", f"{kind.elsewhere} {kind.reference} {' '.join(kind.traps)}"))),
    lambda kind: len(params(kind)),
    lambda kind: max((len(f"{knob.label_text}{knob.symbol}") for knob in params(kind)), default=0),
)


def cards_and_rows_are_whole_on_paper(page: Page) -> None:
    page.emulate_media(media="print")
    for block in (cards(page).first, page.locator("tr").first):
        expect(block).to_have_css("break-inside", "avoid")
    page.emulate_media(media="screen")


def the_widest_cards_fit_a_narrow_screen(page: Page) -> None:
    page.set_viewport_size({"width": 400, "height": 300})  # so low that the figures, which are not asked about, are not drawn
    for name in {max(LOSSES, key=lambda name: wide(LOSSES[name])): None for wide in sample(WIDE, 2)}:
        turned_to(page, f"?card={name}")
        expect(page.get_by_role("heading", name=LOSSES[name].title, exact=True)).to_be_visible()
        expect(page.locator(".katex").first).to_be_visible()
        expect(page.locator(".katex-error")).to_have_count(0)
        still(page)
        holds(page, "() => document.querySelector('[data-testid=stMain]').scrollWidth <= 400")


def a_search_without_a_result_can_be_cleared(page: Page) -> None:
    page.get_by_role("searchbox", name="Search").fill("zxzx")
    expect(page.get_by_test_id("stAlert")).to_contain_text("There is no loss that speaks of “zxzx”")
    page.get_by_role("button", name="Clear search and filter").click()
    expect(cards(page)).to_have_count(len(LOSSES))
    expect(page).to_have_url(re.compile(r"/reference$"))
