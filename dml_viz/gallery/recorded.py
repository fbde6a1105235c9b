"""The gallery's pictures and data, as ``make gallery`` made them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dml_viz.gallery.entries import Entry

FOLDER = Path(__file__).parents[2] / "assets" / "gallery"
THEMES = ("light", "dark")


def picture(entry: Entry, theme: str) -> Path:
    """Where its picture in "light" or "dark" is."""
    return FOLDER / f"{entry.name}-{theme}.webp"


def data(entry: Entry) -> Path:
    """Where its data are: the module ``assets/<module>.js`` that draws it, and what that is given, without what all share."""
    return FOLDER / f"{entry.name}.json"


@cache
def recorded(entry_data: Path) -> dict[str, Any]:
    """The ``module`` and the ``data`` of an entry's figure."""
    found: dict[str, Any] = json.loads(entry_data.read_text(encoding="utf-8"))
    return found
