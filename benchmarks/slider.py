"""From a slider's move to its figures repainted, in a browser on the FastAP page (``python -m benchmarks.slider``).

A key moves the slider of bins by one; the clock runs from that key, Streamlit's own wait for the end of a movement
included, to the last of the page's figures painted again. A scene of a few points, then the watched points of a live run.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests import chromium
from tests.served import served

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
REPAINTED = "() => moved.painted.size === document.querySelectorAll('.js-plotly-plot').length"
TOOK = "() => Math.max(...moved.painted.values()) - moved.key"


def repaints(page: Page, address: str) -> tuple[int, list[float]]:
    """How many figures the page has, and the milliseconds of each move of the slider."""
    page.goto(address)
    bins = page.get_by_role("slider", name="bins")
    expect(bins).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot').length >= 6")
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
    page.evaluate(LISTEN)
    took: list[float] = []
    for move in range(MOVES):
        bins.focus()
        bins.press("ArrowRight" if move < MOVES // 2 else "ArrowLeft")
        page.wait_for_function(REPAINTED)
        took.append(page.evaluate(TOOK))
    return page.evaluate("() => document.querySelectorAll('.js-plotly-plot').length"), took


def main() -> int:
    """Print the times and whether the median meets its target; 1 where it does not."""
    late = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "log.txt") as url,
        sync_playwright() as playwright,
    ):
        browser = chromium.launch(playwright)
        if browser is None:
            print(chromium.HOW_TO_GET_ONE, file=sys.stderr)
            return 1
        print(f"{'subject':10} {'figures':>7} {'median ms':>10} {'slowest ms':>11}   target {TARGET:g}")
        for name, address in SUBJECTS.items():
            with browser.new_context(base_url=url, viewport={"width": 1366, "height": 768}) as context:
                figures, took = repaints(context.new_page(), address)
            median = statistics.median(took)
            late += median > TARGET
            print(f"{name:10} {figures:7} {median:10.0f} {max(took):11.0f}")
        browser.close()
    return int(late > 0)


if __name__ == "__main__":
    sys.exit(main())
