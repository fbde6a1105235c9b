"""The entries of the gallery in order, from assets/gallery.toml; ``make gallery`` makes their pictures and data."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dml_viz.assets import ASSETS
from dml_viz.figure_files.formats import FORMATS
from dml_viz.figure_files.spec import Spec, declared_run, linked
from dml_viz.room.ask import AT
from dml_viz.training.run import Run

FOLDER = ASSETS / "gallery"
THEMES = ("light", "dark")


@dataclass(frozen=True)
class Entry:
    """A figure by its key on its page, the page's ``settings``, and what the figure shows.

    ``tall`` is the height of its picture in pixels, if it needs more than the others.
    """

    name: str
    title: str
    sentence: str
    page: str
    figure: str
    settings: Mapping[str, str] = field(default_factory=dict)
    tall: int = 0

    @property
    def link(self) -> str:
        """The address of the page with these settings, relative to the app."""
        return linked("" if self.page == "start" else self.page, self.settings)

    @property
    def figure_link(self) -> str:
        """`link` that also scrolls to the figure."""
        return linked("" if self.page == "start" else self.page, {**self.settings, AT: self.figure})

    @property
    def declared_spec(self) -> Spec:
        """The part of the figure's spec that the gallery declares; its page adds the rest. A step is one of the default run."""
        step = int(self.settings["step"]) if "step" in self.settings else None
        run = None if step is None else declared_run(Run())
        return Spec(self.figure, self.page, self.link, self.title, run=run, step=step)


GALLERY = tuple(Entry(**declared) for declared in tomllib.loads((ASSETS / "gallery.toml").read_text(encoding="utf-8"))["figure"])


def picture_path(entry: Entry, theme: str) -> Path:
    """The path of the entry's picture in a theme, "light" or "dark"."""
    return FOLDER / f"{entry.name}-{theme}.webp"


def data_path(entry: Entry) -> Path:
    """The path of the entry's data: the module ``assets/<module>.js`` that draws it, and the module's input."""
    return FOLDER / f"{entry.name}.json"


def live_picture_paths(entry: Entry) -> dict[str, Path]:
    """The paths, by format, of the files of a live picture, which cannot be drawn without its run; empty for other entries."""
    if read_figure_data(data_path(entry))["module"] != "live":
        return {}
    return {form: FOLDER / f"{entry.name}.{form}" for form, kind in FORMATS.items() if kind.is_drawing}


@cache
def read_figure_data(path: Path) -> dict[str, Any]:
    """Read the ``module`` that draws an entry's figure, and the module's input ``data``, from the file at ``path``."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content
