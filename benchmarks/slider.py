"""From a slider's move to its figures repainted, in a browser on the FastAP page (``python -m benchmarks.slider``).

A key moves the slider of bins by one; the clock runs from that key to the last of the figures on the screen painted again,
and to the last of all figures, those beyond the screen included. A scene of a few points, then 250 points of a live run.
"""

from __future__ import annotations

import statistics
import sys

from playwright.sync_api import Page, expect

from tests import chromium

MOVES = 21
TARGET = 300.0  # ms at the median
SUBJECTS = {"scene": "/fastap", "live run": "/fastap?subject=live+run&run.steps=200&step=200"}

LISTEN = """() => {
  window.moved = { key: 0, painted: new Map() };
  document.addEventListener("keydown", () => { moved.key = performance.now(); moved.painted.clear(); }, true);
  for (const [k, chart] of document.querySelectorAll(".js-plotly-plot").entries()) {
    chart.on("plotly_afterplot", () => requestAnimationFrame(() => moved.painted.set(k, performance.now())));
  }
}"""
ON_SCREEN = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap((chart, k) => {
  const { top, bottom } = chart.getBoundingClientRect();
  return top < innerHeight && bottom > 0 ? [k] : [];
})"""
REPAINTED = "() => moved.painted.size === document.querySelectorAll('.js-plotly-plot').length"
TOOK = "which => Math.max(...which.map((k) => moved.painted.get(k))) - moved.key"


def repaints(page: Page, address: str) -> dict[str, list[float]]:
    """The milliseconds of each move of the slider until the figures on the screen, and until all, are painted."""
    page.goto(address)
    bins = page.get_by_role("slider", name="bins")
    expect(bins).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length >= 6")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.evaluate(LISTEN)
    everything = list(range(page.evaluate("() => document.querySelectorAll('.js-plotly-plot').length")))
    groups = {"on the screen": page.evaluate(ON_SCREEN), "all": everything}
    took: dict[str, list[float]] = {f"{name} ({len(group)})": [] for name, group in groups.items()}
    for move in range(MOVES):
        bins.focus()
        bins.press("ArrowRight" if move < MOVES // 2 else "ArrowLeft")
        page.wait_for_function(REPAINTED)
        for seconds, group in zip(took.values(), groups.values(), strict=True):
            seconds.append(page.evaluate(TOOK, group))
    return took


def main() -> int:
    """Print the times and whether the medians on the screen meet the target; 1 where one does not."""
    late = 0
    with chromium.beside_the_app() as (browser, url):
        print(f"{'subject':10} {'figures':20} {'median ms':>10} {'slowest ms':>11}   wanted on the screen: {TARGET:g}")
        for name, address in SUBJECTS.items():
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
                took = repaints(context.new_page(), address)
            medians = {figures: statistics.median(times) for figures, times in took.items()}
            late += next(iter(medians.values())) > TARGET
            for figures, median in medians.items():
                print(f"{name:10} {figures:20} {median:10.0f} {max(took[figures]):11.0f}")
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
