"""The positions on each page, and the sizes of words: ``python -m tests.space [--to FOLDER] [PAGE ...]`` (pages by address).

Four screens, each page on each; the numbers are printed, the screenshots go to ``FOLDER``.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests import chromium
from tests.shown import PAGES
from tests.waiting import ASKS, holds, rest_of

# Pages by their address, the first is Start.
ADDRESSES = tuple(path.stem.split("_", 1)[1] for path in sorted(PAGES.glob("[0-9]*_*.py")))
EXPLAINED = ("fastap", "ranked_list", "angular", "proxies", "pairs", "gradients")  # pages of losses, with knobs


@dataclass(frozen=True)
class Screen:
    """A size of window and a theme."""

    width: int
    height: int
    theme: Literal["light", "dark"] = "light"

    def __str__(self) -> str:
        return f"{self.width}x{self.height}-{self.theme}"


LAPTOP, LAPTOP_DARK, LARGE, PHONE = Screen(1366, 768), Screen(1366, 768, "dark"), Screen(1920, 1080), Screen(390, 844)
SCREENS = (LAPTOP, LAPTOP_DARK, LARGE, PHONE)

LONGEST_WAIT = 120_000  # ms, for a busy machine; no wait is longer than needed
# The main figure of a page: the first of these selectors that is on it.
FIGURE = (
    ".dml-scene-stage",
    ".dml-live .dml-embedding",
    ".dml-live .dml-race-field",
    ".dml-figure",
    ".dml-card",
    "[class*=st-key-reference-card-]",
)
MEASURED = """([figures, width]) => {
  const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0;
  const box = (node) => node.getBoundingClientRect();
  const main = document.querySelector("[data-testid=stMainBlockContainer]");
  const figure = figures.map((name) => main.querySelector(name)).find((node) => node && shown(node));
  const scroll = document.querySelector("[data-testid=stMain]").scrollTop;
  const presets = [...main.querySelectorAll(".st-key-presets button")].filter(shown);
  const rows = new Set(presets.map((button) => Math.round((box(button).top + box(button).bottom) / 40)));
  const knobs = [...main.querySelectorAll(
    "[data-testid=stSlider], [data-testid=stSelectbox], [data-testid=stButtonGroup], [data-testid=stCheckbox], " +
    "[data-testid=stNumberInput], [data-testid=stTextInput], [data-testid=stMultiSelect]")]
    .filter((knob) => shown(knob) && box(knob).bottom <= innerHeight && !knob.closest(".st-key-head, .st-key-corner"));
  const sizes = [];
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    const text = walker.currentNode.data.trim();
    if (!/[\\p{L}\\d]/u.test(text) || !shown(node) || node.closest(".katex-mathml, [data-testid=stTooltipIcon]")) continue;
    if (node.closest("sub, sup, .katex") || (node.getAttribute("style") ?? "").includes("baseline-shift")) continue;
    const own = node.closest("tspan") ? node.closest("text") : node;
    if (parseFloat(getComputedStyle(node).fontSize) < parseFloat(getComputedStyle(own).fontSize)) continue; // an index
    const matrix = node instanceof SVGElement ? own.getScreenCTM() : null;
    if (getComputedStyle(node).fontSize === "0px" || getComputedStyle(node).opacity === "0") continue;
    const size = parseFloat(getComputedStyle(node).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
    if (box(node).width > 1) sizes.push([Math.round(size * 100) / 100, text.slice(0, 40)]);
  }
  sizes.sort((one, other) => one[0] - other[0]);
  const sideways = [...main.querySelectorAll("*")].filter((node) =>
    node.scrollWidth > node.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(node).overflowX) &&
    node.querySelector("button, input, select, [role=slider]") && shown(node));
  const slider = [...main.querySelectorAll("[data-testid=stSlider], .dml-slider, .dml-gradients-bar input")].find(shown);
  return {
    begins: figure ? Math.round(box(figure).top + scroll) : null,
    ends: figure ? Math.round(box(figure).bottom + scroll) : null,
    rows: rows.size,
    knobs: knobs.length,
    smallest: sizes.slice(0, 3),
    median: sizes.length ? sizes[Math.floor(sizes.length / 2)][0] : null,
    sideways: sideways.map((node) => node.className.toString().match(/st-key-[\\w-]+|dml-[\\w-]+/)?.[0] ?? node.dataset.testid),
    overflow: document.documentElement.scrollWidth - width,
    slider: slider ? [Math.round(box(slider).top + scroll), Math.round(box(slider).bottom + scroll)] : null,
  };
}"""


def ready(page: Page, address: str) -> None:
    """Open a page, and wait until its visible part is drawn."""
    page.goto(f"/{'' if address == ADDRESSES[0] else address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)
    page.locator(", ".join(FIGURE)).first.wait_for()
    holds(page, "() => document.fonts.status === 'loaded'")
    rest_of(page)


def measured(page: Page) -> dict[str, Any]:
    """The place of the first figure in pixels of the page; rows of presets; knobs in the first screen; sizes of text."""
    return page.evaluate(MEASURED, [FIGURE, page.viewport_size["width"]])  # type: ignore[index]


@contextmanager
def on(browser: Browser, url: str, screen: Screen) -> Iterator[Page]:
    """A new visitor's page on a screen."""
    size: ViewportSize = {"width": screen.width, "height": screen.height}
    phone = screen == PHONE
    with browser.new_context(base_url=url, viewport=size, color_scheme=screen.theme, has_touch=phone, is_mobile=phone) as context:
        context.add_init_script(ASKS)
        context.set_default_timeout(LONGEST_WAIT)
        yield context.new_page()


def main(arguments: list[str] | None = None) -> int:
    """Print the numbers of pages on all screens."""
    parser = argparse.ArgumentParser(prog="python -m tests.space", description=__doc__)
    parser.add_argument("pages", nargs="*", choices=[[], *ADDRESSES], metavar="PAGE")
    parser.add_argument("--to", type=Path, help="folder of the screenshots")
    options = parser.parse_args(arguments)
    expect.set_options(timeout=LONGEST_WAIT)
    with chromium.beside_the_app() as (browser, url):
        for screen in SCREENS:
            print(screen)
            with on(browser, url, screen) as page:
                for address in options.pages or ADDRESSES:
                    ready(page, address)
                    print(f"  {address:12}", "  ".join(f"{name} {value}" for name, value in measured(page).items()))
                    if options.to:
                        options.to.mkdir(parents=True, exist_ok=True)
                        page.screenshot(path=options.to / f"{screen}-{address}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
