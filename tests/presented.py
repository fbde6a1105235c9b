"""What *Present* shows: ``python -m tests.presented [--to FOLDER] [PAGE ...]`` prints faults of every figure on two screens.

A fault is text under 20 px, two texts on each other, or a figure that leaves over a fifth of both the height and the width that
its claim and its knobs leave it. ``FOLDER`` gets the screenshots.
"""

import argparse
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, Page, expect

from tests import chromium
from tests.space import ADDRESSES, LONGEST_WAIT, Screen, on
from tests.waiting import holds, rest_of

SCREENS = (Screen(1280, 720), Screen(1920, 1080))
LEAST_WORDS, LEAST_SHARE = 20, 0.8  # px; of the room
WHOLE = "page"  # a page without figures, presented as it is
# The words on the screen with their sizes, the pairs that cover each other, and the share of its room that a figure takes.
MEASURED = r"""(figures) => {
  const words = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const clip = (node) => {
    let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
    for (let up = node; up && up !== document.body; up = up.parentElement) {
      const style = getComputedStyle(up);
      if (style.overflowX !== "visible" || style.overflowY !== "visible") {
        const box = up.getBoundingClientRect();
        [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
        [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      if (style.position === "fixed") break;
    }
    return { left, top, right, bottom };
  };
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const node = walker.currentNode.parentElement;
    if (!/[\p{L}\d]/u.test(text) || !node.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (node.closest(".katex-mathml, style, script, [role=tooltip], [data-testid=stIconMaterial]")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const area = clip(node);
    const inside = ({ width, left, right, top, bottom }) => width > 1.5 && right > area.left + 1 && left < area.right - 1
      && bottom > area.top + 1 && top < area.bottom - 1;
    const seen = ({ left, top, right, bottom }) => {
      const [x, y] = [Math.max(left, area.left), Math.max(top, area.top)];
      return new DOMRect(x, y, Math.min(right, area.right) - x, Math.min(bottom, area.bottom) - y);
    };
    const boxes = [...range.getClientRects()].filter(inside).map(seen);
    if (!boxes.length) continue;
    const svg = node.closest("svg");
    const size = parseFloat(getComputedStyle(node).fontSize);
    let by = 1;
    if (svg && node instanceof SVGElement) {
      const own = node.closest("tspan") ? node.closest("text") : node;
      const matrix = own.getScreenCTM();
      by = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
    } else {
      let up = node;
      while (up && !up.offsetWidth) up = up.parentElement;
      by = up.getBoundingClientRect().width / up.offsetWidth;
    }
    if (size * by < 1) continue;
    const index = node.closest("sub, sup, .katex, tspan[style*=baseline-shift], tspan[dy]");
    const matrix = node instanceof SVGElement ? (node.closest("text") ?? node).getScreenCTM() : null;
    const turned = matrix ? Math.atan2(matrix.b, matrix.a) : 0;
    words.push({ text: text.slice(0, 40), size: size * by, boxes, node, index: Boolean(index), turned });
  }
  const small = words.filter(({ index, size }) => !index && size < 19.95)
    .map(({ size, text }) => [Math.round(size * 10) / 10, text]);
  const pairs = [];
  for (const [at, one] of words.entries()) for (const other of words.slice(at + 1)) {
    if (one.node === other.node || one.node.contains(other.node) || other.node.contains(one.node)) continue;
    if (one.node.closest(".katex") && one.node.closest(".katex") === other.node.closest(".katex")) continue;
    if (one.node.closest("text") && one.node.closest("text") === other.node.closest("text")) continue;
    const met = one.boxes.some((a) => other.boxes.some((b) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const tall = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide <= 2 || tall <= 0.4 * Math.min(a.height, b.height)) return false;
      if (!one.turned || one.turned !== other.turned) return true;
      // Slanted words in parallel: their boxes may meet where the words do not.
      const [across, down] = [(b.left + b.right - a.left - a.right) / 2, (b.top + b.bottom - a.top - a.bottom) / 2];
      return Math.abs(down * Math.cos(one.turned) - across * Math.sin(one.turned)) < 0.6 * Math.min(one.size, other.size);
    }));
    if (met) pairs.push(`${one.text} | ${other.text}`);
  }
  const property = (name) => parseFloat(document.documentElement.style.getPropertyValue(`--dml-${name}`));
  const [high, times] = [property("high"), property("times")];
  const shares = figures.map((name) => {
    const named = (key) => document.querySelector(`.st-key-${CSS.escape(key.replaceAll(".", "-"))}:not(.st-key-rail *)`);
    const host = named(name) ?? named(name.replace(/\.[^.]*$/, ""));
    if (!host) return null;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    const panels = ".dml-live .dml-panel";
    const parts = host.querySelector(panels) ? panels : "svg, canvas, img, button, td, p, small, span";
    for (const part of host.querySelectorAll(parts)) {
      if (!part.checkVisibility()) continue;
      const box = part.getBoundingClientRect();
      if (box.width < 2 || box.height < 2) continue;
      [left, top] = [Math.min(left, box.left), Math.min(top, box.top)];
      [right, bottom] = [Math.max(right, box.right), Math.max(bottom, box.bottom)];
    }
    const wide = property("wide") * times;
    const [beyond, aside] = [bottom - property("top") - high, right - innerWidth].map(Math.round);
    return { wide: (right - left) / wide, high: (bottom - top) / high, beyond, aside };
  });
  return { small, pairs, shares };
}"""


# The panels of a run come later than the page, and are known as figures then; a composed picture comes after its panels.
COMPLETE = """() => document.fonts.status === "loaded" && !document.querySelector("[aria-busy=true]")
  && (document.querySelector(".dml-compose") ? document.querySelector(".dml-in-page img")?.naturalWidth > 1
    : !document.querySelector(".dml-live") || document.documentElement.dataset.dmlFigures?.includes("."))"""
OFFERED = """() => {
  const { dmlFigures = "", dmlPresents } = document.documentElement.dataset;
  return [dmlFigures, dmlPresents];
}"""


def present(page: Page, address: str, figure: str) -> None:
    """Open a page with ``figure`` presented, and wait until all of it is drawn."""
    page.goto(f"/{'' if address == ADDRESSES[0] else address}?present={figure}")
    page.locator("html[data-dml-presents]").wait_for(state="attached")
    rest(page)


def rest(page: Page) -> None:
    """Wait until all of a presented page is drawn."""
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_visible()
    holds(page, COMPLETE)
    with suppress(Error):  # a page of a race may go on moving
        rest_of(page, timeout=15_000)


def figures_of(page: Page) -> list[str]:
    """The names of the figures that a presented page offers, its main one first; none of a page without figures."""
    figures, main = (str(name).split() for name in page.evaluate(OFFERED))
    first = next((at for at, figure in enumerate(figures) if figure.replace(".", "-") == main[0]), 0)
    return [*figures[first:], *figures[:first]]


def faults(page: Page, *figures: str) -> list[str]:
    """What is wrong with the presented ``figures``, in a sentence each."""
    found: dict[str, Any] = page.evaluate(MEASURED, list(figures))
    told = [f"{size} px: {text}" for size, text in found["small"]]
    told += [f"on each other: {pair}" for pair in found["pairs"]]
    for name, share in zip(figures, found["shares"], strict=True):
        if share is None:
            told.append(f"{name} is not there")
        elif max(share["wide"], share["high"]) < LEAST_SHARE:
            told.append(f"{name} takes {share['wide']:.2f} of its width and {share['high']:.2f} of its height")
        elif share["beyond"] > 2 or share["aside"] > 2:
            told.append(f"{name} goes {share['beyond']} px below its room, {share['aside']} px beyond the screen")
    return told


def main(arguments: list[str] | None = None) -> int:
    """Print the faults of every figure; the number of figures that have any is the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.presented", description=__doc__)
    parser.add_argument("pages", nargs="*", choices=[[], *ADDRESSES], metavar="PAGE")
    parser.add_argument("--to", type=Path, help="folder of the screenshots")
    parser.add_argument("--screens", type=int, default=len(SCREENS))
    options = parser.parse_args(arguments)
    expect.set_options(timeout=LONGEST_WAIT)
    wrong = 0
    if options.to:
        options.to.mkdir(parents=True, exist_ok=True)
    with chromium.beside_the_app() as (browser, url), on(browser, url, SCREENS[0]) as page:
        for address in options.pages or ADDRESSES:
            present(page, address, "main")
            for place, figure in enumerate(figures_of(page) or [WHOLE]):
                if place:
                    page.keyboard.press("ArrowDown")
                for screen in SCREENS[: options.screens]:
                    page.set_viewport_size({"width": screen.width, "height": screen.height})
                    page.locator(f"html[data-dml-presents~={figure.replace('.', '-')}]").wait_for(state="attached")
                    rest(page)
                    told = faults(page, *(() if figure == WHOLE else (figure,)))
                    wrong += bool(told)
                    print(screen, address, figure, *told[:6], sep="\n    " if told else " ", flush=True)
                    if options.to:
                        page.screenshot(path=options.to / f"{screen}-{address}-{figure}.png")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
