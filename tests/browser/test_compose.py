"""Figures collected on several pages, composed on one page, stored in its link, and exported with one recipe."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from dml_viz.figure_files.formats import read_spec
from dml_viz.figure_files.spec import Spec, linked
from dml_viz.room.tray import KEY, Tray, composition
from tests.browser.conftest import somebody
from tests.browser.test_export import menu_of
from tests.samples import THOROUGH
from tests.served import Server

FIRST, SECOND = "Each point follows the bins it is in", "A ranking becomes histograms"


def collected(page: Page, figure: str) -> None:
    menu_of(page, figure).locator("[data-tray]").press("Enter")


def listed(page: Page, *titles: str) -> None:
    expect(page.locator(".dml-tray a")).to_have_text([re.compile(re.escape(title)) for title in titles])
    expect(page.locator(".dml-tray img")).to_have_count(len(titles))


def moved_by_taps(page: Page) -> None:
    """The second figure moves to the end and back by single taps."""
    later, earlier = (page.get_by_role("button", name=re.compile(f"^Move .* {SECOND}.* {to}$")) for to in ("later", "earlier"))
    expect(earlier).to_be_disabled()
    box = later.bounding_box()
    assert box
    assert min(box["width"], box["height"]) >= 24
    later.click()
    listed(page, FIRST, SECOND)
    expect(later).to_be_disabled()
    earlier.click()
    listed(page, SECOND, FIRST)


def moved_by_drags(page: Page) -> None:
    """The second figure is dragged to the end and back; words from elsewhere that are dropped move nothing."""
    entries = page.locator(".dml-tray li")
    entries.first.drag_to(entries.last)
    listed(page, FIRST, SECOND)
    entries.first.drag_to(entries.last)
    listed(page, SECOND, FIRST)
    words = page.evaluate_handle("() => { const it = new DataTransfer(); it.setData('text/plain', 'hello'); return it; }")
    entries.last.dispatch_event("drop", {"dataTransfer": words})
    listed(page, SECOND, FIRST)


def style_gone_back_to(page: Page) -> None:
    """Back sets the controls, and draws the preview, as they were."""
    before, columns, size = page.url, page.get_by_label(re.compile("^Columns")), page.get_by_label("Size")
    columns.select_option("2")
    size.select_option("slide")
    expect(page.locator(".dml-write-up")).to_have_attribute("data-shown", re.compile('"width":13.333,'))
    expect(page).not_to_have_url(before)
    page.go_back()
    expect(size).to_have_value("two")
    expect(columns).to_have_value("1")
    expect(page.locator(".dml-write-up")).to_have_attribute("data-shown", re.compile('"width":6.9,'))


def test_figures_collected_on_several_pages_are_ordered_saved_as_one_and_open_elsewhere(
    page: Page, browser: Browser, server: Server, tmp_path: Path
) -> None:
    page.goto("/compose")
    expect(page.get_by_text("An example, not your tray")).to_be_visible()
    expect(page.locator(".dml-tray img")).to_have_count(4)
    page.get_by_role("button", name="Begin with an empty tray").press("Enter")
    expect(page.get_by_text("The tray is empty")).to_be_visible()
    listed(page)
    expect(page).to_have_url(re.compile("/compose$"))
    assert page.evaluate("sessionStorage.getItem('dml-tray')") is None
    page.goto("/fastap?fastap.bins=20")
    expect(page.locator(".st-key-tray")).to_be_hidden()
    collected(page, "fastap")
    collected(page, "fastap-pipeline")
    page.locator(".st-key-tray a").click()
    listed(page, FIRST, SECOND)
    second = page.get_by_role("button", name=re.compile(SECOND)).first
    second.press("ArrowLeft")
    listed(page, SECOND, FIRST)
    expect(second).to_be_focused()
    moved_by_taps(page)
    moved_by_drags(page)
    page.get_by_label(re.compile("^Columns")).select_option("1")
    expect(page.locator(".dml-write-up[data-shown]")).to_be_attached()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").press("Enter")
    path = tmp_path / "composed.svg"
    download.value.save_as(path)
    tray = Tray.opened(read_spec(path).link_settings[KEY])
    assert [spec.figure for spec in tray.specs] == ["fastap-pipeline", "fastap"]
    assert tray.columns == 1
    assert {spec.link for spec in tray.specs} == {"fastap?fastap.bins=20"}
    assert re.findall(r">\(([ab])\)<", path.read_text()) == ["a", "b"]
    if THOROUGH:
        with somebody(browser, server) as tab:
            tab.goto(page.url)
            listed(tab, SECOND, FIRST)
            expect(tab.get_by_label(re.compile("^Columns"))).to_have_value("1")
    style_gone_back_to(page)
    page.reload()
    listed(page, SECOND, FIRST)
    both = page.url
    second.press("Delete")
    listed(page, FIRST)
    expect(page).not_to_have_url(both)
    page.go_back()
    listed(page, SECOND, FIRST)
    expect(page).to_have_url(both)
    second.press("Delete")
    listed(page, FIRST)
    expect(page).not_to_have_url(both)
    page.get_by_role("button", name=re.compile(FIRST)).first.press("Delete")
    refused = Spec("sweep-knob", "sweep", linked("sweep", {"run.seed": "111"}), title="Refused")
    page.goto(f"/{composition([refused, Spec('angular', 'angular', 'angular', title='Made')], 1).link}")
    expect(page.locator(".dml-tray")).to_contain_text("seed = '111' is not allowed in a link; choose 0 to 99")
    expect(page.locator(".dml-tray a")).to_have_text(["Refused", "(a) Made"])
    if THOROUGH:
        for title in ("Made", "Refused"):
            page.locator(".dml-tray-figure").and_(page.get_by_label(title)).press("Delete")
        listed(page)
        page.get_by_role("button", name="Show the example").press("Enter")
        page.get_by_role("button", name="Keep it in my tray").press("Enter")
        expect(page).to_have_url(re.compile(r"/compose\?tray="))
        expect(page.locator(".dml-tray img")).to_have_count(4)
