"""Journeys on the page of gradients: panels that follow a drag, a point that lights up in all panels, a flow that plays."""

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from dml_viz.losses import LOSSES
from tests.browser import passing
from tests.browser.gestures import at_rest, comes_to, in_sight, still
from tests.browser.test_export import saved
from tests.samples import THOROUGH, thorough

EIGHT, FOUR = 8, ("fastap", "triplet", "proxy_nca", "circle")
WITHOUT_NUMBERS = """() => [...document.querySelectorAll(".dml-gradients-panel svg[role=img]")]
  .map((picture) => picture.getAttribute("aria-label")).filter((words) => !/\\d/.test(words))"""
PANELS, FLOW = ".dml-gradients:not(:has(.dml-gradients-bar))", ".dml-gradients:has(.dml-gradients-bar)"


def opened(page: Page, address: str = "/gradients", many: int = EIGHT) -> Page:
    page.goto(address)
    expect(page.locator(f"{PANELS} .dml-gradients-panel")).to_have_count(many)
    expect(page.locator(f"{FLOW} .dml-gradients-panel")).to_have_count(many)
    expect(board(page)).to_have_attribute("data-from", "python")
    return page


def board(page: Page) -> Locator:
    return page.locator(PANELS)


def panel(page: Page, loss: str) -> Locator:
    return page.locator(f'{PANELS} [data-loss="{loss}"]')


def point(page: Page, index: int) -> Locator:
    return page.get_by_role("slider", name=f"point #{index},")


def middle(of: Locator) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_all_panels_answer_the_mouse_and_keys_follow_a_drag_before_python_has_it_and_come_back_by_the_link(page: Page) -> None:
    opened(page, f"/gradients?gradients.losses={'.'.join(FOUR)}", len(FOUR))
    comes_to(page, WITHOUT_NUMBERS, [])
    still(page)
    page.mouse.move(*middle(point(page, 4)))
    expect(board(page)).to_have_attribute("data-lit", "4")
    for name in ("triplet", "proxy_nca"):
        expect(panel(page, name)).to_contain_text("#4 (class B): |g|")
        expect(panel(page, name)).to_contain_text(re.compile(r"pull (#|★)"))
    page.mouse.move(2, 2)
    expect(board(page)).to_have_attribute("data-lit", "")
    board(page).locator(".dml-gradients-grid").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(panel(page, "fastap")).to_contain_text("#1 (class A): |g|")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"gradients\.query=1"))
    page.keyboard.press("Escape")
    expect(board(page)).to_have_attribute("data-lit", "")
    svg = panel(page, "circle").locator("> svg")
    svg.scroll_into_view_if_needed()
    still(page)
    box = svg.bounding_box()
    assert box
    # Point #9 lies at 338 degrees.
    radius = box["width"] / 2 / 1.16
    x, y = box["x"] + box["width"] / 2 + 0.927 * radius, box["y"] + box["height"] / 2 + 0.375 * radius
    page.mouse.move(x, y)
    expect(board(page)).to_have_attribute("data-lit", "9")
    page.mouse.down()
    page.mouse.move(x - 20, y + 30, steps=5)
    page.mouse.up()
    at_rest(page, "gradients.at")
    expect(page).to_have_url(re.compile(r"gradients\.at=.*c325_3[012]\d"))
    page.mouse.move(2, 2)
    expect(board(page)).to_have_attribute("data-from", "python")
    point(page, 4).scroll_into_view_if_needed()
    still(page)
    first = {name: panel(page, name).locator("svg").get_attribute("aria-label") for name in ("triplet", "circle")}
    passing.note(page, "[data-from]", "data-from")
    x, y = middle(point(page, 4))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 60, steps=4)
    passing.has_shown(page, "scene")
    page.mouse.move(x + 90, y + 90, steps=4)
    page.mouse.up()
    at_rest(page, "gradients.at")
    expect(board(page)).to_have_attribute("data-from", "python")
    page.mouse.move(2, 2)
    moved = {}
    for name, before in first.items():
        expect(panel(page, name).locator("svg")).to_have_attribute("aria-label", re.compile("points"))
        moved[name] = panel(page, name).locator("svg").get_attribute("aria-label") or ""
        assert moved[name] != before
    opened(page, page.url, len(FOUR))
    for name, label in moved.items():
        value = re.search(r"L [−\d.]+", label)
        assert value
        expect(panel(page, name).locator("svg")).to_have_attribute("aria-label", re.compile(re.escape(value[0])))


@thorough
def test_one_turn_turns_every_sphere(page: Page) -> None:
    opened(page, "/gradients?gradients.dim=3&gradients.losses=triplet.circle", 2)

    def drawn(loss: str) -> str:
        return panel(page, loss).locator("> svg path").nth(2).get_attribute("d") or ""

    still(page)
    before = drawn("triplet"), drawn("circle")
    x, y = middle(panel(page, "triplet").locator("> svg"))
    page.mouse.move(x, y - 4)
    page.mouse.down()
    page.mouse.move(x + 50, y + 10, steps=5)
    page.mouse.up()
    page.wait_for_url(re.compile(r"gradients\.view="))
    assert drawn("triplet") != before[0]
    assert drawn("circle") != before[1]


def the_flow_plays_its_step_in_the_link(page: Page) -> None:
    slider = page.get_by_role("slider", name="Step k along the gradient")
    expect(page.locator(FLOW)).to_have_attribute("data-step", "50")
    page.get_by_role("button", name="Play the steps").click()
    expect(page.locator(FLOW)).to_have_attribute("data-step", "60")
    page.wait_for_url(re.compile(r"gradients\.step=60"))
    slider.focus()
    slider.press("Home")
    expect(page.locator(FLOW)).to_have_attribute("data-step", "0")
    expect(page).not_to_have_url(re.compile(r"gradients\.step"))


def test_curves_have_axes_the_export_a_star_and_no_time_the_flow_plays_and_one_click_gives_the_figure_of_a_paper(
    page: Page, tmp_path: Path
) -> None:
    opened(page, "/gradients?gradients.losses=triplet.proxy_nca&gradients.step=50", 2)
    chart = page.locator(f'{FLOW} [data-loss="triplet"] .dml-gradients-curves')
    expect(chart.locator("text")).to_have_text(["0", "0.5", "1", "0", "1", "2", "0", "step", "60", "mAP", "distance"])
    expect(panel(page, "triplet").locator(".dml-gradients-title")).to_have_attribute("title", re.compile(r" ms"))
    expect(page.locator(".dml-scene-note")).to_contain_text("Arrows of Triplet")
    drawn = saved(page, "gradients-panels", "svg", tmp_path).read_text()
    assert ">proxy<" in drawn
    assert " ms<" not in drawn
    flow = saved(page, "gradients-flow", "svg", tmp_path).read_text()
    assert re.search(r"<text[^>]*font-family: ?[^;]*DML[^>]*>distance<", flow.replace("&quot;", ""))
    the_flow_plays_its_step_in_the_link(page)
    one_click_gives_the_figure_for_a_paper_and_all_losses(page)


def one_click_gives_the_figure_for_a_paper_and_all_losses(page: Page) -> None:
    still(page)
    page.get_by_role("button", name="Eight losses, one hard negative").click()
    in_sight(page.locator(".st-key-gradients-paper .dml-figure"))
    expect(page.get_by_role("figure", name=re.compile("^11 points under 8 losses"))).to_be_visible()
    page.wait_for_url(re.compile(r"gradients\.paper=True"))
    if not THOROUGH:
        return
    page.get_by_role("button", name=f"Losses: 8 of {len(LOSSES)}").click()
    page.get_by_role("button", name="All", exact=True).click()
    expect(page.locator(f"{PANELS} .dml-gradients-panel")).to_have_count(len(LOSSES))
    page.wait_for_url(re.compile(r"gradients\.losses=all"))


@thorough
def test_a_run_is_looked_at_under_every_loss(page: Page) -> None:
    settings = "data=digits&net=mlp&subject=live%20run&run.dim=3&run.steps=100&step=20&gradients.losses=all&gradients.batch=32"
    opened(page, f"/gradients?{settings}", len(LOSSES))
    expect(page.get_by_text(re.compile(r"step 20, .* 32 points in 3 dimensions"))).to_be_visible()
    expect(page.locator(FLOW)).to_have_attribute("data-waits", "false")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    svg = panel(page, "angular").locator("> svg")
    still(page)
    x, y = middle(svg)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=3)
    page.mouse.up()
    page.wait_for_url(re.compile(r"gradients\.view="))
