"""The scene editor: by mouse, by touch and by keyboard, in its link, and on the sphere."""

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Playwright, expect

from dml_viz.embedding.scene import Scene, preset
from tests import chromium
from tests.browser.conftest import visiting
from tests.browser.gestures import painted, point, still
from tests.samples import sample, thorough
from tests.served import Server, serving
from tests.waiting import holds

DEFAULT = preset("overlapping")
TOUCHES = 12


@pytest.fixture(scope="module")
def server(playwright: Playwright, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A page of the scene editor alone, where a browser can visit it."""
    chromium.needed(playwright)
    with serving(tmp_path_factory.mktemp("example") / "log.txt", "tests/scene_app.py") as running:
        yield running


@pytest.fixture(scope="module")
def profile(playwright: Playwright, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserContext]:
    with visiting(playwright, server, tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def opened(page: Page, address: str = "/") -> Page:
    page.goto(address)
    expect(page.locator(".dml-scene-point").first).to_be_visible()
    expect(page.locator("code").first).to_be_visible()
    page.locator(".dml-scene").scroll_into_view_if_needed()
    still(page)
    return page


def centre(of: Locator) -> tuple[float, float]:
    box = of.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def on_circle(page: Page, degrees: float, radii: float = 1.0) -> tuple[float, float]:
    """The place on the screen at an angle of the circle."""
    x, y = centre(page.locator(".dml-scene-outline"))
    box = page.locator(".dml-scene-outline").bounding_box()
    assert box
    radius = radii * box["width"] / 2
    return x + radius * math.cos(math.radians(degrees)), y - radius * math.sin(math.radians(degrees))


def dragged(page: Page, start: tuple[float, float], *way: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    for end in way:
        page.mouse.move(*end, steps=5)
    page.mouse.up()
    painted(page)


def settled(page: Page) -> Scene:
    """The scene in the picture, once the drag has ended and Python has it."""
    painted(page)
    holds(
        page,
        """() => {
          const { scene, moving, sent, received } = document.querySelector(".dml-scene").dataset;
          const [seen, words] = [...document.querySelectorAll("code")].map(({ textContent }) => textContent);
          return moving === "false" && sent === received && seen === scene && words.endsWith("moving False");
        }""",
    )
    return Scene.read(page.locator("code").first.inner_text())


@thorough
def test_points_follow_the_mouse_lift_to_the_sphere_come_with_presets_and_are_added(page: Page) -> None:
    opened(page)
    dragged(page, centre(point(page, 2)), on_circle(page, 60, 1.3), on_circle(page, 20, 0.7))
    expect(point(page, 2)).to_have_attribute("aria-valuetext", re.compile(r"^(19|20)(\.\d+)? degrees$"))
    moved = settled(page)
    assert moved.points[2][0] == pytest.approx(20, abs=1)
    assert moved.points[:2] + moved.points[3:] == DEFAULT.points[:2] + DEFAULT.points[3:]
    expect(page).to_have_url(re.compile(re.escape(f"example.at={moved.write()}") + "$"))
    page.get_by_role("radio", name="sphere").click()
    expect(page.locator("code").first).to_have_text(moved.within(3).write())
    page.get_by_role("radio", name="circle").click()
    expect(page.locator("code").first).to_have_text(moved.write())
    page.get_by_role("button", name="Outlier from the side").click()
    expect(page.locator(".dml-scene-stage")).to_have_attribute("data-solid", "true")
    assert settled(page) == preset("an outlier", 3)
    page.locator("[data-act=undo]").click()
    assert settled(page) == moved
    still(page)
    page.mouse.dblclick(*on_circle(page, 340))
    assert settled(page).points[13][0] == pytest.approx(340, abs=1)


def test_keys_and_buttons_move_add_relabel_remove_and_undo_and_positions_are_spoken(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Reset: back to the preset").focus()
    first = point(page, 0)
    first.focus()
    expect(first).to_have_attribute("aria-valuetext", "60 degrees, query")
    page.keyboard.press("ArrowRight")
    expect(first).to_have_attribute("aria-valuetext", "61 degrees, query")
    page.keyboard.press("Shift+ArrowLeft")
    expect(first).to_have_attribute("aria-valuetext", "51 degrees, query")
    page.keyboard.press("Tab")
    expect(point(page, 1)).to_be_focused()
    page.keyboard.press("Enter")
    expect(point(page, 1)).to_have_attribute("aria-valuetext", "78 degrees, query")
    expect(page.locator("code").nth(1)).to_contain_text("picked (1,)")
    moved = settled(page)
    assert moved.points[:2] == ((51.0,), (78.0,))
    expect(page).to_have_url(re.compile(r"example\.query=1"))
    point(page, 2).focus()
    page.keyboard.press("+")
    expect(point(page, 13)).to_be_focused()
    expect(point(page, 13)).to_have_attribute("aria-valuetext", "106 degrees")
    page.keyboard.press("c")
    expect(page.get_by_role("slider", name="point #13, class B")).to_be_focused()
    expect(page.get_by_role("status").filter(has_text="now point #13, class B")).to_have_count(1)
    page.keyboard.press("Delete")
    expect(page.locator(".dml-scene-point")).to_have_count(13)
    expect(point(page, 12)).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert settled(page) == moved
    for _ in range(2):
        page.keyboard.press("Control+Shift+z")
    assert settled(page).labels[13:] == (1,)
    page.locator("[data-act=reset]").click()
    assert settled(page) == DEFAULT
    point(page, 0).focus()
    page.locator("[data-act=add]").click()
    for _ in range(3):
        page.locator("[data-act=relabel]").click()
    assert settled(page).labels == (*DEFAULT.labels, 3), "behind the last class there is a new one"
    page.locator("[data-act=undo]").click()
    assert settled(page).labels == (*DEFAULT.labels, 2)
    page.locator("[data-act=remove]").click()
    page.get_by_label("Scene", exact=True).select_option("an outlier")
    assert settled(page) == preset("an outlier")
    point(page, 3).press("ArrowUp")
    page.locator("[data-act=reset]").click()
    assert settled(page) == preset("an outlier")
    expect(page.locator("[data-act=reset]")).to_be_disabled()
    expect(page).to_have_url(re.compile(r"\?example\.scene=an\+outlier(&example\.query=\d+)?$"))
    page.get_by_label("Scene", exact=True).select_option("collapsed")
    assert settled(page) == preset("collapsed")
    still(page)
    lying = sample(range(12), 4)  # on one place
    for index in lying:
        dragged(page, centre(point(page, index)), on_circle(page, 100 + 20 * index))
    places = settled(page).points
    assert [places[index][0] for index in lying] == pytest.approx([100 + 20 * index for index in lying], abs=2)


def test_a_drag_goes_on_while_pages_come_back_and_a_finger_drags_too(page: Page) -> None:
    opened(page)
    page.mouse.move(*centre(point(page, 2)))
    page.mouse.down()
    before = int(page.locator(".dml-scene").get_attribute("data-received") or -1)
    for degrees in range(96, 320, 16):
        page.mouse.move(*on_circle(page, degrees))
        painted(page)
        degrees_now = point(page, 2).get_attribute("aria-valuenow")
        assert degrees_now
        assert abs(float(degrees_now) - degrees) < 9, "the point is where the mouse is, not where Python last had it"
    holds(page, "(before) => Number(document.querySelector('.dml-scene').dataset.received) > before", arg=before)
    expect(page.locator("code").nth(1)).to_contain_text("moving True")
    assert "example.at" not in page.url, "the address changes when the point is released"
    page.mouse.up()
    moved = settled(page)
    assert moved.points[2][0] == pytest.approx(304, abs=1)
    expect(page).to_have_url(re.compile(r"example\.at="))
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    (x, y), (u, v) = centre(point(page, 11)), on_circle(page, 350)

    def at(share: float) -> list[dict[str, float]]:
        return [{"x": x + share * (u - x), "y": y + share * (v - y)}]

    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(0)})
    for k in range(1, TOUCHES + 1):
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": at(k / TOUCHES)})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    scene = settled(page)
    assert scene.points[11][0] == pytest.approx(350, abs=1)
    assert scene.points[:11] == moved.points[:11]


@thorough
def test_a_click_gives_roles_one_after_the_other_and_proxies_are_dragged_like_points(page: Page) -> None:
    opened(page, "/?many=three&proxies=yes")
    expect(page.locator("code").nth(1)).to_contain_text("picked (0, 1, 5)")
    for index in (6, 8, 2):
        page.mouse.click(*centre(point(page, index)))
    expect(page.locator("code").nth(1)).to_contain_text("picked (6, 8, 2)")
    expect(page).to_have_url(re.compile(r"example\.anchor=6&example\.positive=8&example\.negative=2"))
    before = settled(page)
    assert before == preset("overlapping", proxies=True), "a click moves nothing"
    dragged(page, centre(page.get_by_role("slider", name="proxy of class B")), on_circle(page, 250))
    scene = settled(page)
    assert scene.proxies[1][0] == pytest.approx(250, abs=1)
    assert (scene.proxies[0], scene.points) == (before.proxies[0], before.points)


AREA = r"""async (given) => {
  const [{ name }] = performance.getEntriesByType("resource").filter(({ name }) => name.includes("/live-assets/"));
  const [assets] = /^.*\/live-assets\/[^/]+\//.exec(name);
  const { arcCap, cap } = await import(`${assets}src/scene/caps.js`);
  const { Camera } = await import(`${assets}src/draw/sphere.js`);
  const camera = Object.assign(new Camera(), { turn: 0.7, tilt: 0.3 });
  const svg = document.body.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
  const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
  path.setAttribute("fill-rule", "evenodd");
  return given.map(({ centre, radius, at }) => {
    path.setAttribute("d", (centre.length === 2 ? arcCap(centre, radius) : cap(centre, radius, camera)).area);
    return at.map(([x, y]) => {
      const place = centre.length === 2 ? [x, y] : camera.unproject(x, y, Math.sqrt(1 - x * x - y * y));
      const away = Math.hypot(...place.map((value, k) => value - centre[k]));
      return [away, path.isPointInFill(new DOMPoint(x, y))];
    });
  });
}"""


def the_area_of_a_cap_contains_the_points_near_its_centre(page: Page) -> None:
    places = [(r * math.cos(t), r * math.sin(t)) for r in (0.1, 0.35, 0.6, 0.8, 0.95) for t in range(12)]
    cases: list[dict[str, Any]] = []
    for k in range(24):
        longitude, latitude = math.radians(15 * k), math.radians(70 * math.sin(k))
        flat = [math.cos(longitude), math.sin(longitude)]
        solid = [*(value * math.cos(latitude) for value in flat), math.sin(latitude)]
        for radius in (0.4, 1.0, 1.5, 1.8):
            cases += [{"centre": centre, "radius": radius, "at": places} for centre in (flat, solid)]
    for case, found in zip(cases, page.evaluate(AREA, cases), strict=True):
        for away, inside in found:
            if abs(away - case["radius"]) > 0.02:
                assert inside == (away < case["radius"]), case


def test_points_of_the_sphere_go_where_they_are_put_on_either_side_stay_while_it_turns_and_have_caps(page: Page) -> None:
    opened(page, "/?example.at=a270~0_300~10b90~30_120~5&example.view=0_0")
    x, y = on_circle(page, 0, 0)
    radius = math.dist((x, y), on_circle(page, 0))
    dragged(page, centre(point(page, 0)), (x + 0.5 * radius, y - 0.5 * radius))
    longitude, latitude = settled(page).points[0]
    assert latitude == pytest.approx(30, abs=0.5)
    assert longitude == pytest.approx(270 + math.degrees(math.asin(0.5 / math.cos(math.radians(30)))), abs=0.5)
    point(page, 0).press("Shift+ArrowUp")
    assert settled(page).points[0] == pytest.approx((longitude, latitude + 10))
    dragged(page, centre(point(page, 2)), (x, y - 0.7 * radius))
    moved = settled(page)
    assert moved.points[2] == pytest.approx((90, math.degrees(math.asin(0.7))), abs=1), "on the far side"
    dragged(page, on_circle(page, 270, 0.85), on_circle(page, 330, 0.7))
    expect(page).not_to_have_url(re.compile(r"example\.view=0_0"))
    assert settled(page) == moved
    link, seen = page.url, [centre(point(page, index)) for index in range(4)]
    opened(page, link)
    again = [centre(point(page, index)) for index in range(4)]
    assert all(math.dist(*pair) < 3 for pair in zip(seen, again, strict=True)), "within a degree of the side"
    the_area_of_a_cap_contains_the_points_near_its_centre(page)
