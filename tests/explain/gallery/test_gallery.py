"""The gallery: every entry's link opens as declared, has its figure, and shows the data that are recorded."""

import json
import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dml_viz.app.frame import page_files
from dml_viz.explain.gallery import GALLERY, Entry
from dml_viz.explain.gallery.entries import FOLDER, THEMES, data_path, live_picture_paths, picture_path, read_figure_data
from dml_viz.explain.gallery.page import recorded_spec
from dml_viz.export.command_host import CommandHost
from dml_viz.export.gallery import recorded_data
from dml_viz.export.picture import browser_picture
from dml_viz.figure_files.formats import read_spec
from dml_viz.figure_files.spec import Spec
from tests.samples import for_each, sample
from tests.screenshots import PICTURES
from tests.shown import PAGES, decoded, given, opened, watched

LARGEST = 1_500_000  # bytes of all pictures
LARGEST_FILES = 1_500_000  # bytes of all files that the gallery hands out
# Without a figure of their own, or with one of a file.
UNSEEN = {"votes", "lesson", "reference", "gallery", "compose", "your_data", "name_that_loss"}
NAMES = [entry.name for entry in GALLERY]
OF_SCENES = [entry for entry in GALLERY if "step" not in entry.settings]
# Of every page that draws it with Plotly; a browser opens one of them, and a scene.
OF_EVERY_PAGE = {
    entry.page: entry for entry in reversed(GALLERY) if read_figure_data(data_path(entry))["module"] == "figure"
}.values()


@pytest.fixture(autouse=True, scope="module")
def host() -> Iterator[CommandHost]:
    with ExitStack() as stack:
        yield CommandHost(stack)


def alike(one: Any, other: Any) -> bool:
    """Whether JSON values are the same, numbers to 1e-6."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, np.ndarray)) and isinstance(other, (list, np.ndarray)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, (float, int)) and isinstance(other, (float, int)):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def drawn(component: dict[str, Any]) -> dict[str, Any]:
    """The data that a component draws, without the recipe, which names versions."""
    shown = {key: value for key, value in component["data"].items() if key not in ("recipe", "figure")}
    figure = component["data"].get("figure")
    return {**shown, "figure": decoded(json.loads(figure)) if figure else None}


def test_there_is_something_from_every_page() -> None:
    assert len(GALLERY) >= 12
    assert len(set(NAMES)) == len(NAMES)
    assert {entry.page for entry in GALLERY} == {room.path_in_address for room in page_files()} - UNSEEN
    for entry in GALLERY:
        assert len(entry.title) < 50
        assert entry.sentence.endswith(".")


def test_every_picture_is_there_and_all_are_small() -> None:
    made = {path for entry in GALLERY for path in (data_path(entry), *(picture_path(entry, theme) for theme in THEMES))}
    stored = {path for entry in GALLERY for path in live_picture_paths(entry).values()}
    assert made | stored == set(FOLDER.iterdir()), "python -m dml_viz.export.gallery makes what is missing; the rest is of nobody"
    assert sum(path.stat().st_size for path in (*FOLDER.glob("*.webp"), *PICTURES.iterdir())) < LARGEST
    assert sum(path.stat().st_size for path in stored) < LARGEST_FILES


LIVE = [entry for entry in GALLERY if live_picture_paths(entry)]


@pytest.mark.parametrize("entry", LIVE, ids=lambda entry: entry.name)
def test_the_files_of_a_live_picture_are_its_own_and_can_be_made_again(entry: Entry) -> None:
    for form, path in live_picture_paths(entry).items():
        carried = read_spec(path)
        assert (carried.figure, carried.page, carried.link) == (entry.figure, entry.page, entry.link), form
        assert carried.run is not None
        assert carried.step == int(entry.settings.get("step", carried.run["steps"])), "it stands at its end"


@pytest.mark.parametrize("entry", sample(OF_SCENES, 8), ids=lambda entry: entry.name)
def test_the_link_opens_without_complaint_on_the_figure_as_recorded(entry: Entry, host: CommandHost) -> None:
    made = recorded_data(browser_picture(entry.declared_spec, host))
    stored = read_figure_data(data_path(entry))
    assert made["module"] == stored["module"]
    assert alike(drawn(made), drawn(stored)), f"make gallery ARGS={entry.name} records it anew"
    assert Spec.read(json.dumps(stored["data"]["recipe"])).link == entry.link


@pytest.mark.parametrize("entry", sample(OF_EVERY_PAGE, 6), ids=lambda entry: entry.name)
def test_the_page_of_the_link_draws_the_figure_as_recorded(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = watched(monkeypatch, "")
    (page,) = (path.name for path in PAGES.glob(f"[0-9]*_{entry.page}.py"))
    assert not opened(page, entry.settings).warning
    made = decoded(json.loads(shown[entry.figure].to_json()))
    assert alike(made, decoded(json.loads(read_figure_data(data_path(entry))["data"]["figure"])))


def test_numbers_are_alike_to_a_millionth_and_no_further() -> None:
    assert alike({"a": [1.0, float("nan"), "x"]}, {"a": [1.0 + 1e-9, float("nan"), "x"]})
    assert not alike([1.0], [1.0001])
    assert not alike({"a": 1}, {"b": 1})


def test_a_card_opens_its_page_and_its_exports() -> None:
    app = opened("95_gallery.py", {})
    words = "".join(element.proto.html.body if hasattr(element.proto, "html") else "" for element in app.get("html"))
    assert len([button for button in app.button if str(button.key).startswith("gallery.export.")]) == len(GALLERY)
    for entry in GALLERY:
        assert entry.title in words or not words


def page_with_exports(name: str) -> None:
    from dml_viz.explain.gallery import GALLERY
    from dml_viz.explain.gallery.page import draw_dialog

    draw_dialog(next(entry for entry in GALLERY if entry.name == name))


@pytest.mark.parametrize("name", ["circle", "ranked-list", "training"])
def test_the_exports_of_a_figure_have_its_recipe(name: str) -> None:
    app = AppTest.from_function(page_with_exports, args=(name,)).run()
    assert not app.exception
    shown = given(app)
    assert len(shown) == (name != "training")
    assert all(one["recipe"]["figure"] for one in shown)
    assert f"dml-viz export {name}.json" in app.code[0].value
    names = [button.proto.label for button in app.get("download_button")]
    assert names == [*(["SVG", "PDF", "PNG"] if name == "training" else []), "Recipe (JSON)"]
    assert len([text for text in app.markdown if entry_of(name).title in text.value]) == 1


def entry_of(name: str) -> Entry:
    return next(entry for entry in GALLERY if entry.name == name)


@for_each("entry", GALLERY, ids=lambda entry: entry.name)
def test_a_card_gives_the_recipe_of_its_own_figure(entry: Entry) -> None:
    spec = recorded_spec(entry)
    assert (spec.figure, spec.page, spec.link) == (entry.figure, entry.page, entry.link)
    step = int(entry.settings["step"]) if "step" in entry.settings else spec.step
    assert spec.step == step
    assert (spec.run is None) == (spec.step is None)


def test_the_page_is_in_the_navigation() -> None:
    assert (PAGES / "95_gallery.py").exists()
    assert "Gallery" in [room.title for room in page_files()]
