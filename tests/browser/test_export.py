"""Figures leave the browser as files, and are made again from them on the command line."""

import re
import xml.etree.ElementTree as ElementTree
import zlib
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from dml_viz.export.command import main
from dml_viz.export.command_host import CommandHost
from dml_viz.export.picture import browser_picture
from dml_viz.export.request import figure_for_python_formats
from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.formats import read_spec
from dml_viz.figure_files.formats._table import shown_traces
from dml_viz.figure_files.spec import Spec
from tests.browser import passing
from tests.export.redrawn import compare, run
from tests.samples import sample, thorough
from tests.tables import alike, rows
from tests.waiting import holds

SVG = "{http://www.w3.org/2000/svg}"
# Figures of each kind: a chart, small multiples, an edited scene, canvases.
KINDS = {
    "fastap-pipeline": "fastap?fastap.bins=20&fastap.query=2",
    "gradients-panels": "gradients?gradients.losses=triplet.circle.fastap",
    "ranked_list": "ranked_list?ranked_list.dim=3",
    "race-race-field": "race",
}
FIGURES = dict(sample(KINDS.items(), 1))
CHARTS = ("fastap-pipeline",)  # which a script draws again
WORDS = 0.6  # of the glyphs of a PDF, at least, are in words: letters one by one are out of place
OF_ONE_SIZE = ("fastap-pipeline", "gradients-panels")  # also where no page is around them


def menu_of(page: Page, figure: str) -> Locator:
    """The opened menu of a figure, once its picture is drawn."""
    # A figure below the fold, or in a drawer, is made when it comes into sight.
    holds(
        page,
        """figure => {
          const place = document.querySelector(`.st-key-${figure}`);
          place?.closest("details:not([open])")?.querySelector("summary").click();
          place?.scrollIntoView({ block: "center" });
          const one = window.dmlPictures?.get(figure);
          return one && (!one.isDrawn || one.isDrawn());
        }""",
        arg=figure,
    )
    root = page.locator(f".dml-export[data-figure={figure}]")
    root.locator(".dml-export-button").press("Enter")
    expect(root.get_by_role("menu")).to_be_visible()
    return root


def saved(page: Page, figure: str, form: str, folder: Path) -> Path:
    root = menu_of(page, figure)
    with page.expect_download() as download:
        root.locator(f"[data-format={form}]").press("Enter")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def script_of(page: Page, figure: str, folder: Path, recipe: Spec) -> None:
    """The browser's script draws what a chart shows; the menu says that there is none of a drawing."""
    if figure not in CHARTS:
        root = menu_of(page, figure)
        expect(root.get_by_text("No Python script: a drawing, no chart")).to_be_visible()
        expect(root.locator("[data-format=py]")).to_have_count(0)
        page.keyboard.press("Escape")
        return
    with ExitStack() as stack:
        shown = figure_for_python_formats(browser_picture(recipe, CommandHost(stack)), recipe).chart
    assert shown is not None
    chart = with_arrays_decoded(dict(shown))
    chart["layout"] |= recipe.size
    compare(run(saved(page, figure, "py", folder)), chart, shown_traces(chart))


def of_vectors(path: Path) -> None:
    """Lines and text, no images, with the fonts that ship with the app inside."""
    whole = path.read_bytes()
    if path.suffix == ".pdf":
        assert b"/Subtype /Image" not in whole
        assert b"/FontFile2" in whole
        assert b"/BaseFont /DMLS" in whole
        assert len(re.findall(rb"/Type /Page\b", whole)) == 1
        streams = re.findall(rb"stream\n(.*?)\nendstream", whole, re.DOTALL)
        glyphs = [len(shown) // 4 for stream in streams for shown in re.findall(rb"<(\w+)> Tj", unpacked(stream))]
        assert sum(count for count in glyphs if count > 1) > WORDS * sum(glyphs)
        return
    root = ElementTree.fromstring(whole)
    assert not list(root.iter(f"{SVG}image"))
    assert list(root.iter(f"{SVG}text"))
    assert "base64" in "".join(style.text or "" for style in root.iter(f"{SVG}style"))


def page_of(path: Path) -> list[float]:
    """Width and height of a PDF's page, in points."""
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", path.read_bytes())
    assert box
    return [float(box[1]), float(box[2])]


def plots_of(path: Path) -> list[dict[str, str]]:
    """The sizes of the plots of an SVG of a chart, which are what its margins leave."""
    return [rect.attrib for rect in ElementTree.parse(path).iterfind(f".//{SVG}clipPath/{SVG}rect")]


def unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "saved").mkdir()
    return tmp_path / "saved"


def test_figures_are_saved_in_every_format_and_made_again(page: Page, folder: Path) -> None:
    page.emulate_media(reduced_motion="reduce")  # a recorded race shows its last step
    tables = {}
    for figure, link in FIGURES.items():
        page.goto(f"/{link}")
        files = {form: saved(page, figure, form, folder) for form in ("svg", "pdf", "png2", "csv")}
        recipes = [read_spec(path) for path in files.values()]
        assert all(recipe == recipes[0] for recipe in recipes)
        assert (recipes[0].figure, recipes[0].page) == (figure, link.partition("?")[0])
        for form in ("svg", "pdf"):
            of_vectors(files[form])
        root = ElementTree.fromstring(files["svg"].read_bytes())
        size = [float(root.attrib[name]) for name in ("width", "height")]
        assert [0.75 * length for length in size] == pytest.approx(page_of(files["pdf"]), abs=0.4)
        assert size[0] == pytest.approx(recipes[0].size["width"], abs=1)
        tables[figure] = files["csv"]
        script_of(page, figure, folder, recipes[0])
    again = folder.parent / "again"
    sources = [str(folder / f"{figure}.pdf") for figure in FIGURES]
    assert main([*sources, "-o", str(again), "--format", "csv,pdf,svg"]) == 0
    for figure, made in tables.items():
        alike(made.read_text(), (again / f"{figure}.csv").read_text())
        of_vectors(again / f"{figure}.pdf")
    for figure in {*OF_ONE_SIZE} & {*FIGURES}:
        assert page_of(again / f"{figure}.pdf") == page_of(folder / f"{figure}.pdf")
        assert plots_of(again / f"{figure}.svg") == plots_of(folder / f"{figure}.svg")


@thorough
def test_pictures_of_pixels_are_labelled_and_contain_them(page: Page, folder: Path) -> None:
    page.goto("/")
    root = menu_of(page, "start-strip")
    expect(root.get_by_role("menuitem", name="SVG (holds pixels)")).to_be_visible()
    page.keyboard.press("Escape")
    path = saved(page, "start-strip", "svg", folder)
    images = list(ElementTree.fromstring(path.read_bytes()).iter(f"{SVG}image"))
    ranked = rows(saved(page, "start-strip", "csv", folder).read_text())
    assert len(images) == len(ranked) - 1 == 9
    assert b"/Subtype /Image" in saved(page, "start-gallery", "pdf", folder).read_bytes()


def test_the_menu_works_by_keys_copies_and_saves_what_is_seen(page: Page, folder: Path) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/fastap?fastap.bins=17")
    root = menu_of(page, "fastap-batch")
    passing.note(page, ".dml-export-status")  # it says so for some seconds
    expect(root.get_by_role("menuitem", name="SVG")).to_be_focused()
    page.keyboard.press("End")
    expect(root.get_by_role("menuitem", name="Copy PyTorch")).to_be_focused()
    page.keyboard.press("Enter")
    passing.has_shown(page, "Copied PyTorch")
    assert "bins: int = 17" in page.evaluate("navigator.clipboard.readText()")
    expect(root.get_by_role("button", name="Export: Over the batch, FastAP separates two histograms")).to_be_focused()
    page.keyboard.press("ArrowDown")
    root.locator("[data-copy=link]").press("Enter")
    passing.has_shown(page, "Copied link")
    assert page.evaluate("navigator.clipboard.readText()").endswith("/fastap?fastap.bins=17")
    page.keyboard.press("Enter")
    expect(root.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(root.get_by_role("menu")).to_be_hidden()
    saved(page, "fastap-batch", "svg", folder)  # with it come the fonts
    page.evaluate(
        "() => { const one = window.dmlPictures.get('fastap-batch'); "
        "return one.Plotly.relayout(one.node, { 'xaxis.range': [0.5, 2.5] }).then(() => null); }"
    )
    path = saved(page, "fastap-batch", "svg", folder)
    assert read_spec(path).view == {"xaxis.range": [0.5, 2.5]}
    written_up(page, folder)


def written_up(page: Page, folder: Path) -> None:
    """A figure for a write-up is as large as its preview says."""
    menu_of(page, "fastap-batch").get_by_role("menuitem", name="For a write-up").press("Enter")
    dialog = page.get_by_role("dialog", name="For a write-up")
    dialog.get_by_label("Size").select_option("two")
    dialog.get_by_label("Palette").select_option("grey")
    dialog.get_by_label("Title").check()
    expect(dialog.get_by_text("6.90 ×")).to_be_visible()
    holds(page, "() => JSON.parse(document.querySelector('dialog').dataset.shown ?? '{}').title")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="PDF").first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    assert page_of(path)[0] == pytest.approx(6.9 * 72, abs=1e-3)
    assert b"DMLSerif" in path.read_bytes()
    of_vectors(path)
    written = read_spec(path).write_up
    assert written
    assert (written["palette"], written["title"], written["width"]) == ("grey", True, 6.9)
