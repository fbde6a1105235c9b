"""The gallery's pictures and data, as ``make gallery`` made them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from dml_viz.explain.gallery.entries import Entry
from dml_viz.figure_files.formats import FORMATS

FOLDER = Path(__file__).parents[3] / "assets" / "gallery"
THEMES = ("light", "dark")


def picture(entry: Entry, theme: str) -> Path:
    """Where its picture in "light" or "dark" is."""
    return FOLDER / f"{entry.name}-{theme}.webp"


def data(entry: Entry) -> Path:
    """Where its data are: the module ``assets/<module>.js`` that draws it, and what that is given, without what all share."""
    return FOLDER / f"{entry.name}.json"


def files(entry: Entry) -> dict[str, Path]:
    """By format, where the files of a live picture are, which cannot be drawn without its run; none for any other."""
    if recorded(data(entry))["module"] != "live":
        return {}
    return {form: FOLDER / f"{entry.name}.{form}" for form, kind in FORMATS.items() if kind.drawn}


@cache
def recorded(entry_data: Path) -> dict[str, Any]:
    """The ``module`` and the ``data`` of an entry's figure."""
    found: dict[str, Any] = json.loads(entry_data.read_text(encoding="utf-8"))
    return found
