"""A page used by keys alone: Tab reaches every control, each shows its focus, and keys do what a mouse does."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.gestures import still
from tests.samples import sample

MOST = 130  # presses of Tab that a page may take from end to end
# The look of a node and its content, with and without the focus; transitions are taken at their end.
WALK = """() => {
  const looks = (node) => {
    const around = [node.parentElement?.parentElement, node.parentElement, node].filter(Boolean);
    for (const one of around[0].getAnimations({ subtree: true })) if (one instanceof CSSTransition) one.finish();
    return [...around, ...node.querySelectorAll("*")].slice(0, 24).flatMap((one) => ["", "::after"].map((part) => {
      const s = getComputedStyle(one, part || null);
      const line = s.outlineStyle === "none" ? "" : s.outline;
      return [line, s.boxShadow, s.borderColor, s.backgroundColor, s.color, s.stroke, s.strokeWidth, s.textDecorationLine].join();
    })).join("|");
  };
  const walk = (window.walk ??= { stops: [], twice: [], unseen: [] });
  const name = (node) => (node.ariaLabel || node.innerText || node.tagName).replace(/\\s+/g, " ").slice(0, 60);
  const { last } = walk;
  const drawn = last?.node.isConnected && last.node.tagName !== "CANVAS";
  if (drawn && looks(last.node) === last.look) walk.unseen.push(name(last.node));
  const node = document.activeElement;
  walk.last = { node, look: looks(node) };
  if (node === document.body) return true;
  if (node.dataset.walked && node.tagName !== "CANVAS") walk.twice.push(name(node));
  node.dataset.walked ??= walk.stops.length;
  walk.stops.push(name(node));
  return false;
}"""
# After pressing Tab through the page: the controls missed, and whether the order is that of the page.
WALKED = """() => {
  const CONTROLS = "button, a[href], input, select, summary, [role=slider], [tabindex]";
  const missed = [...document.querySelectorAll(CONTROLS)].filter((node) =>
    node.tabIndex >= 0 && !node.disabled && !node.dataset.walked && node.role !== "radio" &&
    node.checkVisibility({ visibilityProperty: true }) && !node.closest("[inert], .modebar"));
  const order = [...document.querySelectorAll("[data-walked]")].map((node) => Number(node.dataset.walked));
  return { ...window.walk, last: undefined, missed: missed.map((node) => node.outerHTML.slice(0, 160)),
    sorted: order.every((place, k) => k === 0 || place > order[k - 1]) };
}"""


def opened(page: Page, address: str) -> None:
    page.goto(address)
    page.locator(".st-key-presenter").wait_for(state="attached")  # a page draws it last
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()


def loss_page(page: Page) -> None:
    """A point moved, a drawer opened, a question asked, the page presented and a menu of exports, by keys."""
    point = page.get_by_role("slider", name="point #6,")
    point.focus()
    before = point.get_attribute("aria-valuenow") or ""
    page.keyboard.press("Shift+ArrowRight")
    expect(point).not_to_have_attribute("aria-valuenow", before)
    page.locator("summary", has_text="Common claims, checked").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("columnheader", name="Checked")).to_be_visible()
    menu, questions = page.locator(".st-key-predict-menu button"), page.get_by_test_id("stPopoverBody").get_by_role("button")
    menu.focus()
    page.keyboard.press("Enter")
    expect(questions.first).to_be_visible()
    for back in (True, False):
        page.keyboard.press("Tab")
        expect(questions.first).to_be_focused()
        if back:
            page.keyboard.press("Shift+Tab")
            expect(menu).to_be_focused()
    for _ in range(questions.count()):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_focused()
    expect(questions).to_have_count(0)
    menu.focus()
    page.keyboard.press("Enter")
    expect(questions.first).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-prediction-answer :focus")).to_be_visible()
    expect(questions).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).focus()
    page.keyboard.press("Enter")
    expect(menu).to_be_focused()
    present = page.get_by_role("button", name="Present", exact=True)
    present.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation", name="Presentation")).to_be_focused()
    page.keyboard.press("Escape")
    expect(present).to_be_focused()
    still(page)
    export = page.locator(".dml-export[data-figure=angular]").locator(".dml-export-button")
    export.focus()
    page.keyboard.press("Enter")
    items = page.get_by_role("menuitem")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    expect(export).to_be_focused()


def run(page: Page) -> None:
    """Two steps trained, one looked at, other points chosen, and another page opened from the menu, by keys."""
    page.get_by_role("button", name="One step").focus()
    for step in (1, 2):
        page.keyboard.press("Enter")
        expect(page.locator(f".dml-live[data-step='{step}']")).to_be_visible()
    expect(page.locator(".dml-number").filter(has_text=re.compile("^status"))).to_contain_text("paused")
    page.get_by_role("slider", name="step shown").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".dml-live[data-step='1']")).to_be_visible()
    page.get_by_role("radio", name="unseen classes").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="seen classes", exact=True)).to_be_focused()
    expect(page.locator(".dml-number", has_text="R@1 on seen classes")).to_be_visible()
    page.locator("dt", has_text="R@1 on seen").hover()
    expect(page.locator("dt", has_text="R@1 on seen")).to_have_attribute("title", re.compile("nearest other point"))
    page.get_by_test_id("stTopNav").get_by_role("button", name="Losses").focus()
    page.keyboard.press("Enter")
    angular = page.get_by_role("menuitem", name="Angular")
    expect(angular).to_be_visible()
    for _ in range(MOST):
        if angular.evaluate("item => item === document.activeElement"):
            break
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1, name="Angular")).to_be_visible()


# Pages, and what is then done at the stops that Tab has reached.
USED: dict[str, Callable[[Page], None]] = {"/train": run, "/angular": loss_page}
ADDRESSES = ("/angular", "/train", "/ranked_list", "/", "/reference")  # of which a sample has the first


@pytest.mark.parametrize("address", sample(ADDRESSES, 1))
def test_tab_goes_through_a_page_as_it_reads_every_stop_shows_and_keys_use_it(page: Page, address: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    opened(page, address)
    if address in ("/", "/train"):
        page.locator(".dml-live[data-drawn]").wait_for()
    # Figures are drawn as they come into sight; the order of Tab must not depend on how fast.
    if address in ("/ranked_list", "/angular"):
        page.locator(".dml-figure").first.wait_for()
    still(page)
    while blank := page.query_selector(".dml-figure:visible:not(:has(.main-svg))"):
        blank.scroll_into_view_if_needed()
        blank.wait_for_selector(".main-svg", state="attached")
        still(page)
    for _ in range(MOST):
        page.keyboard.press("Tab")
        if page.evaluate(WALK):
            break
    walk: dict[str, Any] = page.evaluate(WALKED)
    assert page.evaluate("() => document.activeElement === document.body"), f"a trap, or too long: {walk['stops'][-8:]}"
    assert (walk["twice"], walk["missed"], walk["unseen"]) == ([], [], [])
    assert walk["sorted"]
    assert len(walk["stops"]) > 20
    if used := USED.get(address):
        used(page)
