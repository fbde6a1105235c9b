"""Times and sizes of exports, of the FastAP pipeline, the page's largest figure (``python -m benchmarks.export``).

In the browser, from the click to the file: the first, which loads fonts, then warm. By a headless Chrome, as
in the command line: the first, which opens it, then warm. The page is a visitor's, on this machine, with nothing
else running.
"""

import json
import statistics
import time
from typing import Any

from dml_viz.export.request import chart_request
from dml_viz.figure_files.chrome import HeadlessChrome, find_chrome, how_to_get_chrome
from dml_viz.figure_files.formats import FORMATS, declared_format, menu
from dml_viz.figure_files.options import ExportOptions
from dml_viz.figure_files.spec import Spec
from tests import chromium

FIGURE = "fastap-pipeline"
TIMES = 7
SCALE = 3
SIZE = {"width": 740.0, "height": 880.0}
WANTED = 500.0  # ms in which an SVG should be ready
COLUMN = ExportOptions(width=3.3, font="serif", points=8.0, palette="light")

MAKE = """async ([figure, form, scale, address]) => {
  const { AS_SEEN, make } = await import(new URL(address, document.baseURI));
  const begun = performance.now();
  const blob = await make(window.dmlPictures.get(figure), form, AS_SEEN, scale);
  return [performance.now() - begun, blob.size];
}"""
ADDRESS = """() => [...document.querySelectorAll("link")].map(({ href }) => href)
  .find((href) => href.includes("export.css")).replace("css/export.css", "src/export/files.js")"""
GIVEN = "figure => JSON.stringify(window.dmlPictures.get(figure).chart())"


def in_browser() -> tuple[dict[str, list[tuple[float, int]]], Any]:
    """The times (ms) and sizes (bytes) by format, the first export first; and the figure."""
    with chromium.beside_the_app() as (browser, url):
        page = browser.new_page(viewport={"width": 1366, "height": 900})
        page.goto(f"{url}/fastap")
        page.wait_for_function("figure => window.dmlPictures?.has(figure)", arg=FIGURE)
        address = page.evaluate(ADDRESS)
        measured = {
            form["name"]: [_measured(page.evaluate(MAKE, [FIGURE, form, SCALE, address])) for _ in range(TIMES)]
            for form in menu()
            if form["writer"] != "movie"
        }
        return measured, json.loads(page.evaluate(GIVEN, FIGURE))


def in_chrome(figure: Any) -> dict[str, list[tuple[float, int]]]:
    """The times and sizes with a headless Chrome."""
    spec = Spec(FIGURE, "fastap", "fastap", "The pipeline")
    request = {**chart_request(spec, figure, "The pipeline.", SIZE), "options": COLUMN.write(), "scale": SCALE, "base": ""}
    chrome, measured = HeadlessChrome(), dict[str, list[tuple[float, int]]]()
    try:
        for form in (name for name, kind in FORMATS.items() if kind.is_drawing):
            for _ in range(TIMES):
                begun = time.perf_counter()
                body, _ = chrome.draw({**request, "format": declared_format(form)})
                measured.setdefault(form, []).append((1000 * (time.perf_counter() - begun), len(body)))
    finally:
        chrome.close()
    return measured


def main() -> None:
    """Print a row for each format."""
    measured, figure = in_browser()
    _table("in the browser", measured)
    warm = statistics.median(took for took, _ in measured["svg"][1:])
    print(f"SVG in the browser, warm: {warm:.0f} ms; wanted: under {WANTED:.0f} ms, {'met' if warm < WANTED else 'MISSED'}")
    if find_chrome() is None:
        print(how_to_get_chrome())
    else:
        _table("by a headless Chrome, one column", in_chrome(figure))


def _measured(answer: list[float]) -> tuple[float, int]:
    return answer[0], int(answer[1])


def _table(where: str, measured: dict[str, list[tuple[float, int]]]) -> None:
    print(f"\n{where:36} {'first':>9} {'warm':>9} {'size':>10}")
    for form, all_of_it in measured.items():
        first, *rest = (took for took, _ in all_of_it)
        print(f"{form.upper():36} {first:6.0f} ms {statistics.median(rest):6.0f} ms {all_of_it[-1][1] / 1024:7.0f} KB")


if __name__ == "__main__":
    main()
