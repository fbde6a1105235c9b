"""The formats of exported files, found by this folder: one file, one format."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dml_viz.figure_files.formats._base import Figure, FileFormat
from dml_viz.figure_files.spec import Spec
from dml_viz.registry import discover
from dml_viz.threads import once

LARGEST = 100_000_000  # bytes
FORMATS: Mapping[str, type[FileFormat]] = MappingProxyType(
    dict(sorted(discover(__name__, FileFormat).items(), key=lambda item: item[1].order))
)

__all__ = ["FORMATS", "Figure", "FileFormat", "declared_format", "menu", "read_spec"]


def declared_format(name: str) -> dict[str, Any]:
    """The declaration of the format ``name`` for a browser, as JSON values."""
    kind = FORMATS[name]
    return {
        "name": name,
        "label": kind.label,
        "note": kind.note,
        "type": kind.media_type,
        "writer": kind.writer,
        "drawn": kind.is_drawing,
        "scales": kind.scales,
        "companion": kind.companion,
        **kind.options,
    }


@once
def menu() -> list[dict[str, Any]]:
    """The formats that the menu of a figure offers, in order."""
    return [declared_format(name) for name, kind in FORMATS.items() if kind.label]


class NoRecipeError(ValueError):
    """A file, such as a table of a sweep, that does not say how it was made."""


def read_spec(path: Path) -> Spec:
    """The spec in an exported file, or in a file of the spec alone; ValueError, which says why, for other files."""
    kind = FORMATS.get(path.suffix.lower().removeprefix("."))
    if kind is None:
        suffixes = ", ".join(f".{name}" for name in FORMATS)
        raise ValueError(f"files of the kind {path.suffix or 'without a suffix'!r} carry no recipe; choose {suffixes}")
    if not path.is_file():
        raise ValueError("there is no such file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"the file is larger than {LARGEST // 1_000_000} MB")
    body = path.read_bytes()
    text = kind.read(body)
    if text is None:
        raise NoRecipeError(f"the file {'carries no recipe' if body else 'is empty'}; choose one that dml-viz has saved")
    return Spec.read(text)
