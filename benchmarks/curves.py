"""Whether finished live runs show every curve, in Chromium and Firefox (``python -m benchmarks.curves``).

Each run is looked at in three tabs: one opened before it, which starts it, one opened while it trains, one after its end. A run
passes if in each tab every trace that has data is drawn (`tests.curves.LACKING`), and all tabs draw the same traces.
"""

import itertools
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from dml_viz.losses import LOSSES
from tests import chromium, firefox
from tests.curves import LACKING
from tests.served import served

RUNS = {"Chromium": 30, "Firefox": 6}
DATA, DIMENSIONS = ("digits", "glyphs", "icons"), (2, 3, 8, 64)
LONGEST_WAIT = 120_000  # ms
TALL: ViewportSize = {"width": 1366, "height": 2400}  # all panels are in sight, so that all are drawn
# Whether each trace that is drawn as a line has a line's data, chart by chart.
DRAWN = """() => {
  const charts = document.querySelectorAll(".dml-panel:not(.dml-embedding) .js-plotly-plot");
  const drawn = (points) => points.filter(({ y }) => Number.isFinite(y)).length > 1;
  const lines = ({ calcdata }) => calcdata.filter(([{ trace }]) => trace.mode !== "markers");
  return [...charts].map((chart) => lines(chart).map(drawn).join(" ")).join(", ");
}"""


def runs(count: int) -> Iterator[dict[str, str]]:
    """The settings of ``count`` runs: every loss, then again with other data."""
    for k, loss in zip(range(count), itertools.cycle(LOSSES), strict=False):
        again = k // len(LOSSES)
        yield {"loss": loss, "data": DATA[(k + again) % len(DATA)], "run.dim": str(DIMENSIONS[k // 2 % len(DIMENSIONS)])}


def opened(context: BrowserContext, address: str) -> Page:
    """A tab at ``address``."""
    page = context.new_page()
    page.set_default_timeout(LONGEST_WAIT)
    page.goto(address)
    return page


def fault(context: BrowserContext, address: str) -> str:
    """What the three tabs lack of the run at ``address``; empty where nothing is."""
    first = opened(context, address)
    status = re.compile(r"^status\s*(running|finished)")
    expect(first.locator(".dml-number", has_text=status)).to_be_visible(timeout=LONGEST_WAIT)
    tabs = {"before": first, "during": opened(context, first.url)}
    for tab in tabs.values():
        expect(tab.locator(".dml-number", has_text=re.compile(r"^status\s*finished"))).to_be_visible(timeout=LONGEST_WAIT)
    tabs["after"] = opened(context, first.url)
    drawn = dict.fromkeys(tabs, "")
    late = time.monotonic() + 20
    while time.monotonic() < late:
        lacking = {name: tab.evaluate(LACKING) for name, tab in tabs.items()}
        drawn = {name: tab.evaluate(DRAWN) for name, tab in tabs.items()}
        if not any(lacking.values()) and len(set(drawn.values())) == 1:
            return ""
        first.wait_for_timeout(250)
    return f"not drawn: {lacking}; traces with data: {drawn}"


def measure(browser: Browser, url: str, count: int) -> int:
    """Print the faults of ``count`` runs, and return how many had one."""
    faults = 0
    for settings in runs(count):
        with browser.new_context(base_url=url, viewport=TALL) as context:
            found = fault(context, f"/train?{urlencode(settings)}")
        faults += bool(found)
        print(f"  {' '.join(settings.values()):32s} {found or 'every curve'}", flush=True)
    return faults


def main() -> int:
    """Measure and print; return 1 if a run lacks a curve."""
    faults = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, served(Path(folder) / "log.txt") as url:
        browsers = {"Chromium": chromium.launch(playwright), "Firefox": firefox.launch(playwright, Path(folder))}
        for name, browser in browsers.items():
            if browser is None:
                print(f"{name}: not on this machine")
                continue
            print(name)
            faults[name] = measure(browser, url, RUNS[name])
            browser.close()
    for name, count in faults.items():
        print(f"{name}: {count} of {RUNS[name]} finished runs lack a curve")
    return int(any(faults.values()))


if __name__ == "__main__":
    sys.exit(main())
