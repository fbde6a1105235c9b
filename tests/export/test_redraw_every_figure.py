"""Every chart is drawn again by its program with the same marks, values, axes and words; no drawing has a program."""

from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import MappingProxyType

import numpy as np
import pytest

from dml_viz import explain
from dml_viz.data import own_images
from dml_viz.data.datasets.own import EVERYBODY
from dml_viz.explain.gallery import GALLERY
from dml_viz.export.command_host import CommandHost
from dml_viz.export.picture import browser_picture
from dml_viz.export.request import figure_for_python_formats
from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.formats import FORMATS
from dml_viz.figure_files.formats._table import shown_traces
from dml_viz.figure_files.spec import Spec, linked
from dml_viz.room.room import Room, figure_name
from tests.export.redrawn import compare, redrawn
from tests.samples import THOROUGH, sample

# What figures need that do not show on their page as it opens.
LINKS = MappingProxyType({"pairs": {"pairs.second": "circle"}})
# Figures with a trace of which a column is empty: of counts of 0, or of a loss without a value.
SCARCE = (
    ("pairs-plane-0", "pairs?pairs.at=a10_60"),
    ("pairs-growth-0", "pairs?pairs.scene=no+two+of+a+class"),
    ("fastap-skewed", "fastap?fastap.scene=no+two+of+a+class"),
    ("angular-against_scale", "angular?angular.scene=collapsed"),
)
NO_FIGURES = ("components",)  # of a page whose figures are made of what a visitor enters


def declared() -> Iterator[Spec]:
    """The spec of every figure of every room, as its page opens, and of the gallery's figures, with their settings."""
    for info in iter_modules(explain.__path__):
        room = getattr(import_module(f"{explain.__name__}.{info.name}"), "ROOM", None)
        if isinstance(room, Room):
            for name in {*room.figures, *room.components} - {*NO_FIGURES}:
                yield Spec(figure_name(room, name), info.name, linked(info.name, LINKS.get(info.name, {})))
    yield from declared_scarce()
    yield from (entry.declared_spec for entry in GALLERY if entry.page not in ("start", "train", "race"))


def declared_scarce() -> Iterator[Spec]:
    """The specs of `SCARCE`."""
    for figure, link in SCARCE:
        yield Spec(figure, link.partition("?")[0], link)


EVERY = sorted(declared(), key=lambda spec: (spec.figure, spec.link))
OF_EACH_PAGE = {spec.page: spec for spec in EVERY}.values()
SOME = {spec.figure: spec for spec in (*OF_EACH_PAGE, *sample({spec.figure: spec for spec in EVERY}.values(), 12))}
SPECS = EVERY if THOROUGH else [*{spec.link + spec.figure: spec for spec in (*SOME.values(), *declared_scarce())}.values()]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandHost]:
    """One with a file of images and embeddings."""
    path = tmp_path_factory.mktemp("own") / "mine.npz"
    rng = np.random.default_rng(0)
    np.savez(path, z=rng.random((24, 3)), y=np.arange(24) % 6, images=rng.random((24, 8, 8)))
    with ExitStack() as stack:
        yield CommandHost(stack, data=[path])
    own_images.release_images(EVERYBODY)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("spec", SPECS, ids=[f"{spec.figure}{'?' in spec.link or ''}" for spec in SPECS])
def test_a_program_draws_what_the_figure_shows(spec: Spec, host: CommandHost, tmp_path: Path) -> None:
    if spec.page == "your_data":
        [(fingerprint, file)] = host.own.items()
        assert file.trainable
        spec = Spec(
            spec.figure, spec.page, linked(spec.page, {"own.file": file.trainable.short_fingerprint, "file": fingerprint})
        )
    made = browser_picture(spec, host)
    figure = figure_for_python_formats(made, made.spec)
    refused = [FORMATS[form].refusal(figure) for form in ("py", "ipynb")]
    assert all(("it is a drawing, no chart" in words) == (made.module != "figure") for words in refused)
    if made.module == "figure":
        assert figure.chart is not None
        compare(redrawn(figure, tmp_path), with_arrays_decoded(dict(figure.chart)), shown_traces(figure.chart))
