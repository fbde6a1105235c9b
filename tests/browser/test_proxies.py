"""Journeys on the proxies page: the pull that never fades, a dragged proxy, a run whose proxies move."""

import re

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.gestures import at_rest, click_on, comes_to, still, until
from tests.samples import thorough
from tests.waiting import holds

SHOWS = """(scene) => {
  const { dataset } = document.querySelector(".dml-scene") ?? {};
  return dataset?.drawn && dataset.scene === scene && new URL(location.href).searchParams.get("proxies.at") === scene;
}"""
HIDDEN = """() => [...document.querySelectorAll(".dml-proxies-twin .dml-scene-point")]
  .filter((mark) => mark.style.display === "none").map((mark) => mark.getAttribute("aria-label"))"""


def opened(page: Page, address: str = "/proxies") -> Page:
    page.goto(address)
    expect(page.locator(".dml-scene[data-drawn]").first).to_be_visible()
    expect(second_view(page)).to_have_attribute("aria-label", re.compile(r"^Proxy-Anchor: loss"))
    return page


def second_view(page: Page) -> Locator:
    return page.locator(".dml-proxies-twin svg[role=img]")


def note(page: Page) -> Locator:
    return page.locator(".dml-scene-note").first


def proxy(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=f"proxy of class {name}")


def scene_at_rest(page: Page) -> str:
    at_rest(page, "proxies.at")
    return str(page.locator(".dml-scene").first.get_attribute("data-scene"))


def test_the_caption_comes_with_the_losses_a_moved_proxy_is_pulled_back_and_reload_and_back_show_every_point(page: Page) -> None:
    waiting: list[Route] = []
    late: list[bool] = []
    page.route(re.compile(r"/losses\.js"), lambda route: route.continue_() if late else waiting.append(route))
    page.goto("/proxies?proxies.scene=arrived")
    expect(page.locator(".dml-scene[data-drawn]").first).to_be_visible()
    until(page, lambda: waiting)
    expect(note(page)).not_to_contain_text("Proxy-NCA")
    late.append(True)
    for route in waiting:
        route.continue_()
    expect(note(page)).to_contain_text(re.compile(r"Proxy-NCA: loss .* of the maximum"))
    expect(note(page)).to_contain_text("pulls: 12, 100%")
    expect(second_view(page)).to_have_attribute("aria-label", re.compile("pulls: 0;"))
    proxy(page, "A").focus()
    for _ in range(9):
        proxy(page, "A").press("Shift+ArrowUp")
    expect(second_view(page)).to_have_attribute("aria-label", re.compile(r"pulls: [1-4], .* to 100%"))
    before = scene_at_rest(page)
    every_frame_of_a_drag_is_shown_before_python_gets_it(page)
    after = scene_at_rest(page)
    assert before != after
    loss = re.search(r"loss ([−\d.]+)", second_view(page).get_attribute("aria-label") or "")
    assert loss
    page.reload()
    expect(second_view(page)).to_have_attribute("aria-label", re.compile(re.escape(loss[0])))
    holds(page, SHOWS, arg=after)
    page.go_back()
    holds(page, SHOWS, arg=before)
    # A scene of fewer points comes before one of more, in which a mark of a proxy becomes that of a sample.
    for preset, setting in (("Sign error", "wrong_sign"), ("Too few proxies", "truncated")):
        page.get_by_role("button", name=preset, exact=True).click()
        expect(page).to_have_url(re.compile(f"proxies.{setting}=True"))
        still(page)
    comes_to(page, HIDDEN, ["proxy of class C", "proxy of class D"])


def every_frame_of_a_drag_is_shown_before_python_gets_it(page: Page) -> None:
    """In the second view, which is beside the scene."""
    still(page)
    one, other = (page.locator(".dml-scene-outline").nth(place).bounding_box() for place in (0, 1))
    assert one
    assert other
    assert abs(one["y"] - other["y"]) < 2
    assert abs(one["width"] - other["width"]) < 2
    box = proxy(page, "B").bounding_box()
    assert box
    first = second_view(page).get_attribute("aria-label")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 90, steps=4)
    expect(second_view(page)).not_to_have_attribute("aria-label", first or "")
    page.mouse.up()


@thorough
def test_a_click_on_a_proxy_of_a_figure_picks_it_in_the_scene(page: Page) -> None:
    opened(page, "/proxies?proxies.scene=four+classes&proxies.step=0")
    page.locator("summary").filter(has_text="Follow the gradient").click()
    figure = page.get_by_role("figure", name=re.compile(r"^Proxy-NCA, step 0"))
    proxies = figure.locator(".scatterlayer .trace").filter(has=page.locator("path.point")).last.locator("path.point")
    click_on(proxies.nth(2))
    page.wait_for_url(re.compile(r"proxies\.proxy=2"))
    expect(page.get_by_role("radio", name="proxy #2")).to_be_visible()


@thorough
def test_proxies_move_while_a_run_trains(page: Page) -> None:
    settings = "data=digits&net=mlp&run.dim=3&subject=live%20run&loss=proxy_anchor"
    settings += "&run.protocol=all%20classes&run.lr=0.002&run.steps=100&step=40"
    page.goto(f"/proxies?{settings}")
    picture = page.get_by_role("figure", name=re.compile(r"^Proxy-Anchor: 250 samples and 10 proxies"))
    expect(picture).to_be_visible()
    expect(page.get_by_text("Proxies: learnt by the run, with their paths")).to_be_visible()
    expect(page.get_by_text(re.compile("Digits, Proxy-Anchor, step .*, held-out images"))).to_be_visible()
    expect(page.get_by_role("radio", name="training images")).to_be_visible()
    expect(page.get_by_text("unseen classes")).to_have_count(0)
    expect(page.get_by_text("step 40")).to_be_visible()
    still(page)
    data = "node => JSON.stringify([...node?._fullData?.find(({ name }) => name === 'proxies').x ?? []])"
    before = picture.evaluate(data)
    page.get_by_role("button", name="One step").dblclick()  # faster than the page is drawn
    page.get_by_text("Follow the newest step").click()
    expect(page.get_by_text("step 42")).to_be_visible()
    walked = f"before => !['[]', before].includes(({data})(document.querySelector('.js-plotly-plot')))"
    holds(page, walked, arg=before)
