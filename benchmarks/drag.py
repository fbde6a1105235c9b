"""A point dragged by the mouse, in a browser on the Ranked list page (``python -m benchmarks.drag``).

First the mouse moves without a pause, as fast as the browser allows; frames, moves and drawn scenes are counted.
Then it makes single moves; each is timed until Python has answered, and until
a figure on the screen has been painted again; so is letting go, until that repaint.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from tests import chromium

SCENES = {"circle": "/ranked_list", "sphere": "/ranked_list?ranked_list.dim=3"}
SECONDS = 4.0
MOVES = 15
POINT = 7
STEP = 5.0  # degrees between two single moves
WITHIN = 0.7  # of the radius, the circle of the mouse
WANTED = 50.0  # frames a second

WATCH = """() => {
  window.drag = { frames: [], moves: 0, painted: 0, received: 0, moved: 0 };
  const scene = document.querySelector(".dml-scene");
  addEventListener("pointermove", () => { drag.moved = performance.now(); drag.moves += 1; }, true);
  addEventListener("pointerup", () => { drag.moved = performance.now(); }, true);
  new MutationObserver(() => { drag.received = performance.now(); }).observe(scene, { attributeFilter: ["data-received"] });
  for (const chart of document.querySelectorAll(".js-plotly-plot")) {
    const { top, bottom } = chart.getBoundingClientRect();
    if (top < innerHeight && bottom > 0) {
      chart.on("plotly_afterplot", () => requestAnimationFrame(() => { drag.painted = performance.now(); }));
    }
  }
  let last = performance.now();
  const frame = () => {
    const now = performance.now();
    drag.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
DRAWN = "() => Number(document.querySelector('.dml-scene').dataset.drawn)"


@dataclass(frozen=True)
class Drag:
    """Frames, moves and scenes a second, the interval of frames (ms) that one in twenty exceeds, times (ms) of single moves."""

    frames: float
    moves: float
    scenes: float
    slow: float
    received: list[float]
    painted: list[float]
    let_go: list[float]


def dragging(page: Page, address: str) -> Drag:
    """Drag one point on the page at ``address`` and measure."""
    page.goto(address)
    point = page.get_by_role("slider", name=f"point #{POINT},")
    expect(point).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length >= 1")
    page.locator(".dml-scene-stage").evaluate("(stage) => stage.scrollIntoView({ block: 'center' })")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.evaluate(WATCH)
    at = _around(page.locator(".dml-scene-outline"))
    _grasp(page, point)
    degrees = _without_pause(page, at)
    counted = _counted(page)
    received, painted, let_go = [], [], []
    for _ in range(MOVES):
        _quiet(page)
        degrees += STEP
        page.mouse.move(*at(degrees))
        received.append(_took(page, "received"))
        painted.append(_took(page, "painted"))
    for _ in range(MOVES):
        degrees += STEP
        page.mouse.move(*at(degrees))
        page.mouse.up()
        let_go.append(_took(page, "painted"))
        _quiet(page)
        _grasp(page, point)
    page.mouse.up()
    return Drag(*counted, received, painted, let_go)


def _grasp(page: Page, point: Locator) -> None:
    box = point.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()


def _without_pause(page: Page, at: Callable[[float], tuple[float, float]]) -> float:
    page.evaluate(f"() => {{ drag.frames = []; drag.moves = 0; drag.from = performance.now(); drag.drawn = ({DRAWN})(); }}")
    began = time.perf_counter()
    degrees = 0.0
    while time.perf_counter() - began < SECONDS:
        degrees += 20
        page.mouse.move(*at(degrees), steps=20)
    return degrees


def _counted(page: Page) -> tuple[float, float, float, float]:
    measured = page.evaluate(f"() => [drag.frames, performance.now() - drag.from, drag.moves, ({DRAWN})() - drag.drawn]")
    intervals, milliseconds, moves, drawn = measured
    slow = sorted(intervals)[int(0.95 * len(intervals))]
    per_second = 1000 / milliseconds
    return len(intervals) * per_second, moves * per_second, drawn * per_second, slow


def _around(outline: Locator) -> Callable[[float], tuple[float, float]]:
    """A function of an angle in degrees: the mouse's position on its way within the circle or sphere."""
    box = outline.bounding_box()
    assert box
    x, y, radius = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, WITHIN * box["width"] / 2

    def at(degrees: float) -> tuple[float, float]:
        return x + radius * math.cos(math.radians(degrees)), y + radius * math.sin(math.radians(degrees))

    return at


def _quiet(page: Page) -> None:
    page.wait_for_function("() => performance.now() - Math.max(drag.moved, drag.received, drag.painted) > 400")


def _took(page: Page, what: str) -> float:
    page.wait_for_function(f"() => drag.{what} > drag.moved")
    return float(page.evaluate(f"() => drag.{what} - drag.moved"))


def main() -> int:
    """Print frames and latencies; return 1 if there are fewer frames a second than wanted."""
    late = 0
    with chromium.beside_the_app() as (browser, url):
        print("          frames/s   moves/s  scenes/s  slowest 5 %       in Python  figure painted  on release")
        for name, address in SCENES.items():
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
                drag = dragging(context.new_page(), address)
            late += drag.frames < WANTED
            times = [statistics.median(times) for times in (drag.received, drag.painted, drag.let_go)]
            print(
                f"{name:8}{drag.frames:10.1f}{drag.moves:10.1f}{drag.scenes:10.1f}{drag.slow:10.1f} ms"
                f"{times[0]:13.0f} ms{times[1]:13.0f} ms{times[2]:9.0f} ms"
            )
    print(f"wanted: {WANTED:g} frames/s while the mouse moves; times are medians of {MOVES} moves")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
