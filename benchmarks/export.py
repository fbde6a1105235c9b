"""Times and sizes of exports, of the FastAP pipeline, the page's largest figure (``python -m benchmarks.export``).

In the browser, from the click until the file is there: the first with the fonts to load, then warm. By a server's Chrome:
the first, which opens it, then warm. The page is as a visitor has it, on this machine, with nothing else running.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

from dml_viz.app.export_server import figure_ask
from dml_viz.figure_files.chrome import Press, found, how_to_get_one
from dml_viz.figure_files.options import Wish
from tests import chromium

FIGURE = "fastap-pipeline"
FORMATS = ("svg", "pdf", "png", "html", "csv")
TIMES = 7
SCALE = 3
WANTED = 500.0  # ms in which an SVG is to be there
COLUMN = Wish(width=3.3, font="serif", points=8.0, palette="light")

MAKE = """async ([figure, form, scale, address]) => {
  const { AS_SEEN, make } = await import(new URL(address, document.baseURI));
  const begun = performance.now();
  const blob = await make(window.dmlPictures.get(figure), form, AS_SEEN, scale);
  return [performance.now() - begun, blob.size];
}"""
ADDRESS = """() => [...document.querySelectorAll("link")].map(({ href }) => href)
  .find((href) => href.includes("export.css")).replace("css/export.css", "src/export/files.js")"""
GIVEN = "figure => JSON.stringify(window.dmlPictures.get(figure).signed().figure)"


def in_browser() -> tuple[dict[str, list[tuple[float, int]]], str]:
    """Times (ms) and sizes (bytes) by format, the first one first; and the figure."""
    with chromium.beside_the_app() as (browser, url):
        page = browser.new_page(viewport={"width": 1366, "height": 900})
        page.goto(f"{url}/fastap")
        page.wait_for_function("figure => window.dmlPictures?.has(figure)", arg=FIGURE)
        address = page.evaluate(ADDRESS)
        made = {
            form: [_measured(page.evaluate(MAKE, [FIGURE, form, SCALE, address])) for _ in range(TIMES)]
            for form in FORMATS
        }
        return made, json.loads(page.evaluate(GIVEN, FIGURE))


def on_server(figure: str) -> dict[str, list[tuple[float, int]]]:
    """The same by a press."""
    data: dict[str, Any] = {"figure": figure, "alt": "The pipeline.", "theme": "light"}
    data["recipe"] = {"figure": FIGURE, "title": "The pipeline", "link": "fastap", "caption": ""}
    size = {"width": 740.0, "height": 880.0}
    press, made = Press(), dict[str, list[tuple[float, int]]]()
    try:
        for form in ("svg", "pdf", "png"):
            for _ in range(TIMES):
                begun = time.perf_counter()
                body = press.drawn(figure_ask(data, form, COLUMN, size, scale=SCALE))
                made.setdefault(form, []).append((1000 * (time.perf_counter() - begun), len(body)))
    finally:
        press.close()
    return made


def main() -> None:
    """Print a row for each format."""
    made, figure = in_browser()
    _table("in the browser", made)
    warm = statistics.median(took for took, _ in made["svg"][1:])
    print(
        f"SVG in the browser, warm: {warm:.0f} ms; wanted: under {WANTED:.0f} ms, {'met' if warm < WANTED else 'MISSED'}"
    )
    if found() is None:
        print(how_to_get_one())
    else:
        _table("by the server's Chrome, one column", on_server(figure))


def _measured(told: list[float]) -> tuple[float, int]:
    return told[0], int(told[1])


def _table(where: str, made: dict[str, list[tuple[float, int]]]) -> None:
    print(f"\n{where:36} {'first':>9} {'warm':>9} {'size':>10}")
    for form, all_of_it in made.items():
        first, *rest = (took for took, _ in all_of_it)
        print(f"{form.upper():36} {first:6.0f} ms {statistics.median(rest):6.0f} ms {all_of_it[-1][1] / 1024:7.0f} KB")


if __name__ == "__main__":
    main()
