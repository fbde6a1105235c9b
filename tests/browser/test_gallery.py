"""The gallery as a visitor uses it: a link to every page, and a figure exported."""

import json
import re
from typing import Any

from playwright.sync_api import Page, expect

from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import data_path, read_figure_data
from tests.browser.gestures import comes_to, still, travel
from tests.explain.gallery.test_gallery import alike, drawn
from tests.samples import thorough
from tests.waiting import holds

# All are compared without a browser.
(IN_A_BROWSER,) = (entry for entry in GALLERY if entry.name == "fastap")
HAS_FOCUS = "() => document.querySelector('[role=dialog]').contains(document.activeElement)"
(BELOW,) = (entry for entry in GALLERY if entry.name == "bins")  # far down its page
# The data of the picture of that name, once drawn.
GIVEN = """([figure, drawn]) => {
  const place = document.querySelector(`.st-key-${figure}`);
  place?.closest("details:not([open])")?.querySelector("summary").click();
  place?.scrollIntoView({ block: "center" });
  for (const node of document.querySelectorAll("*")) {
    const [stored] = [node.dmlComponent?.data].flat();
    if (stored?.recipe?.figure === figure && node.querySelector(drawn)) return JSON.stringify(stored);
  }
  return null;
}"""
DRAWN = {"figure": ".js-plotly-plot .main-svg", "scene_editor": ".dml-scene[data-drawn]"}
# Cards that begin where another one does, and end elsewhere.
UNEVEN = """() => {
  const boxes = [...document.querySelectorAll("[class*=st-key-card-]")].map((card) => card.getBoundingClientRect());
  const [top, height] = [({ top }) => Math.round(top), ({ height }) => Math.round(height)];
  return boxes.filter((one) => boxes.some((other) => top(one) === top(other) && height(one) !== height(other))).map(top);
}"""
# Data that differ between pages: the address of the stream, the number of reports, and that a click opens a run.
ASIDE = (
    "url",
    "revealed",
    "clickable",
    "palette",
    "signature",
    "ink",
    "faint",
    "revision",
    "serial",
    "mode",
    "status",
    "source",
    "link",
    "lesson",
)


def given(page: Page, entry: Entry) -> dict[str, Any]:
    """The data that draw the entry's figure on the page."""
    given_text = holds(page, GIVEN, arg=[entry.figure, DRAWN[read_figure_data(data_path(entry))["module"]]]).json_value()
    found = json.loads(str(given_text))
    if "source" in found:
        # The page names the figure, and the browser has fetched it.
        fetched = "source => fetch(new URL(source, document.baseURI)).then((answer) => answer.text())"
        text = page.evaluate(fetched, found["source"])
        layout = json.loads(text)["layout"]
        found |= {"figure": text, "alt": layout["meta"]["alt"], "height": layout["height"]}
    return {key: value for key, value in found.items() if key not in ASIDE}


def test_the_link_shows_the_recorded_figure_in_a_browser(page: Page) -> None:
    entry = IN_A_BROWSER
    page.goto(f"/{entry.link}")
    stored = read_figure_data(data_path(entry))
    shown, known = given(page, entry), {key: value for key, value in stored["data"].items() if key not in ASIDE}
    expect(page.get_by_test_id("stAlert").filter(has_text="cannot be had")).to_have_count(0)
    assert alike(drawn({"data": shown}), drawn({"data": known}))


@thorough
def test_a_card_leads_to_its_page_and_its_figure_to_a_file(page: Page) -> None:
    page.goto("/gallery")
    cards = page.locator(".dml-card")
    expect(cards).to_have_count(len(GALLERY))
    export = page.locator(".st-key-card-circle").get_by_role("button", name="Export")
    export.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Tab")
        holds(page, HAS_FOCUS)  # past the last stop it is brought back
    dialog.get_by_role("button", name="Export: ").click()
    with page.expect_download() as coming:
        page.get_by_role("menuitem", name="SVG").first.click()
    text = coming.value.path().read_text(encoding="utf-8")
    assert text.lstrip().startswith(("<?xml", "<svg"))
    assert "pairs.loss=circle" in text
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(export).to_be_focused()
    page.locator(".st-key-card-race").get_by_role("button", name="Export").click()
    expect(dialog.locator("img.dml-recorded")).to_be_visible()
    with page.expect_download() as coming:
        dialog.get_by_role("button", name="PDF").click()
    assert coming.value.path().read_bytes().startswith(b"%PDF")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    comes_to(page, UNEVEN, [])
    cards.nth([entry.name for entry in GALLERY].index("circle")).click()
    expect(page).to_have_url(re.compile(r"/pairs\?pairs\.loss=circle$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Pairs")
    expect(page.locator(".st-key-pairs-plane-0 .js-plotly-plot")).to_be_in_viewport(ratio=0.9)
    page.set_viewport_size({"width": 390, "height": 844})
    travel(page, f"/{BELOW.figure_link}")
    figure = page.locator(f".st-key-{BELOW.figure} .js-plotly-plot")
    expect(figure).to_be_in_viewport(ratio=0.9)
    still(page)
    expect(figure).to_be_in_viewport(ratio=0.9)
