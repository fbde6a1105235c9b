"""Figures leave the browser as files, and are made again from them on the command line."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from dml_viz.carriers import recipe_of
from dml_viz.export.command import main

SVG = "{http://www.w3.org/2000/svg}"
FIGURES = (
    ("fastap?fastap.bins=20&fastap.query=2", "fastap-pipeline"),
    ("proxies", "proxies-table-nca"),
    ("ranked_list?ranked_list.dim=3", "ranked_list"),
)
SOON = 500  # ms in which an SVG is to be there


def menu_of(page: Page, figure: str) -> Locator:
    """The opened menu of a figure, once its picture is drawn."""
    page.wait_for_function(
        "figure => { const one = window.dmlPictures?.get(figure); return one && (!one.drawn || one.drawn()); }",
        arg=figure,
    )
    root = page.locator(f".dml-export[data-figure={figure}]")
    root.get_by_role("button", name="Export this figure").press("Enter")
    expect(root.get_by_role("menu")).to_be_visible()
    return root


def saved(page: Page, figure: str, form: str, folder: Path) -> Path:
    root = menu_of(page, figure)
    with page.expect_download() as download:
        root.locator(f"[data-format={form}]").press("Enter")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def table(path: Path) -> list[list[str]]:
    text = path.read_text(encoding="utf-8")
    return list(csv.reader(line for line in io.StringIO(text, newline="") if not line.startswith("#")))


def alike(one: Path, other: Path) -> None:
    """Two tables have the same cells, numbers to 1e-6."""
    left, right = table(one), table(other)
    assert len(left) == len(right) > 1
    for first, second in zip(left, right, strict=True):
        for a, b in zip(first, second, strict=True):
            assert a == b or abs(float(a) - float(b)) <= 1e-6, (first, second)


def of_vectors(path: Path) -> None:
    """Lines and text, no images, with the fonts that ship with the app inside."""
    whole = path.read_bytes()
    if path.suffix == ".pdf":
        assert b"/Subtype /Image" not in whole
        assert b"/FontFile2" in whole
        assert b"DMLVIZ+DMLS" in whole
        assert whole.count(b"/Type /Page ") == 1
        assert any(b"] TJ" in unpacked(stream) for stream in re.findall(rb"stream\n(.*?)\nendstream", whole, re.DOTALL))
        return
    root = ElementTree.fromstring(whole)
    assert not list(root.iter(f"{SVG}image"))
    assert list(root.iter(f"{SVG}text"))
    assert "base64" in "".join(style.text or "" for style in root.iter(f"{SVG}style"))


def unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "saved").mkdir()
    return tmp_path / "saved"


@pytest.mark.parametrize(("link", "figure"), FIGURES, ids=[figure for _, figure in FIGURES])
def test_a_figure_is_saved_in_every_format_and_made_again(link: str, figure: str, page: Page, folder: Path) -> None:
    page.goto(f"/{link}")
    files = {form: saved(page, figure, form, folder) for form in ("svg", "pdf", "png2", "csv")}
    recipes = [recipe_of(path) for path in files.values()]
    assert all(recipe == recipes[0] for recipe in recipes)
    assert (recipes[0].figure, recipes[0].page) == (figure, link.partition("?")[0])
    for form in ("svg", "pdf"):
        of_vectors(files[form])
    size = recipes[0].size
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", files["pdf"].read_bytes())
    root = ElementTree.fromstring(files["svg"].read_bytes())
    assert box
    assert [float(box[k]) / 0.75 for k in (1, 2)] == pytest.approx(
        [float(root.attrib[name]) for name in ("width", "height")], abs=0.51
    )
    assert float(root.attrib["width"]) == pytest.approx(size["width"], abs=1)
    again = folder.parent / "again"
    assert main([str(files["pdf"]), "-o", str(again), "--format", "csv"]) == 0
    alike(files["csv"], again / f"{figure}.csv")


def test_the_command_draws_what_the_browser_draws(page: Page, folder: Path) -> None:
    page.goto("/fastap?fastap.query=3")
    saved(page, "fastap-batch", "pdf", folder)
    again = folder.parent / "again"
    assert main([str(folder), "-o", str(again), "--format", "svg,pdf"]) == 0
    for form in ("svg", "pdf"):
        of_vectors(again / f"fastap-batch.{form}")
    page_of = re.compile(rb"/MediaBox \[[^]]*\]")
    boxes = [page_of.findall((place / "fastap-batch.pdf").read_bytes()) for place in (folder, again)]
    assert boxes[0] == boxes[1]


def test_an_svg_is_there_in_half_a_second_and_holds_the_zoom(page: Page, folder: Path) -> None:
    page.goto("/fastap")
    saved(page, "fastap-batch", "svg", folder)  # with it come the fonts
    page.evaluate(
        "() => { const one = window.dmlPictures.get('fastap-batch'); "
        "return one.Plotly.relayout(one.node, { 'xaxis.range': [0.5, 2.5] }).then(() => null); }"
    )
    path = saved(page, "fastap-batch", "svg", folder)
    assert recipe_of(path).view == {"xaxis.range": [0.5, 2.5]}
    took = page.locator(".dml-export[data-figure=fastap-batch]").get_attribute("data-took")
    assert took
    assert int(took) < SOON


def test_the_menu_is_worked_by_keys_and_copies(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/fastap?fastap.bins=17")
    root = menu_of(page, "fastap-batch")
    expect(root.get_by_role("menuitem", name="SVG")).to_be_focused()
    page.keyboard.press("End")
    expect(root.get_by_role("menuitem", name="Copy PyTorch")).to_be_focused()
    page.keyboard.press("Enter")
    expect(root.get_by_role("status")).to_have_text("Copied PyTorch")
    assert "BINS = 17" in page.evaluate("navigator.clipboard.readText()")
    expect(root.get_by_role("button", name="Export this figure")).to_be_focused()
    page.keyboard.press("ArrowDown")
    root.locator("[data-copy=link]").press("Enter")
    expect(root.get_by_role("status")).to_have_text("Copied link")
    assert page.evaluate("navigator.clipboard.readText()").endswith("/fastap?fastap.bins=17")
    page.keyboard.press("Enter")
    expect(root.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(root.get_by_role("menu")).to_be_hidden()


def test_a_figure_for_a_write_up_is_as_large_as_its_preview_says(page: Page, folder: Path) -> None:
    page.goto("/fastap")
    menu_of(page, "fastap-batch").get_by_role("menuitem", name="For a write-up").press("Enter")
    dialog = page.get_by_role("dialog", name="For a write-up")
    dialog.get_by_label("Size").select_option("two")
    dialog.get_by_label("Palette").select_option("grey")
    dialog.get_by_label("Title").check()
    expect(dialog.get_by_text("6.90 ×")).to_be_visible()
    page.wait_for_function("() => JSON.parse(document.querySelector('dialog').dataset.shown ?? '{}').title")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="PDF").first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ", path.read_bytes())
    assert box
    assert float(box[1]) == pytest.approx(6.9 * 72, abs=1e-3)
    assert b"DMLSerif" in path.read_bytes()
    of_vectors(path)
    written = recipe_of(path).write_up
    assert written
    assert (written["palette"], written["title"], written["width"]) == ("grey", True, 6.9)
