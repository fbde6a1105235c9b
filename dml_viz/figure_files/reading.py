"""The recipe that an exported file carries."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from dml_viz.figure_files.spec import Recipe

LARGEST = 100_000_000  # bytes
SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHUNK = b"dml-viz recipe\0\0\0\0\0"
HEADER = "# dml-viz recipe: "


def recipe_of(path: Path) -> Recipe:
    """The recipe in an exported file, or in a file that is one; ValueError, saying why, where there is none."""
    if path.suffix.lower() not in READERS:
        raise ValueError(
            f"files of the kind {path.suffix or 'without a suffix'!r} carry no recipe; choose {', '.join(READERS)}"
        )
    if not path.is_file():
        raise ValueError("there is no such file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"the file is larger than {LARGEST // 1_000_000} MB")
    told = READERS[path.suffix.lower()](path.read_bytes())
    if told is None:
        raise ValueError("the file carries no recipe")
    return Recipe.read(told)


def _json(body: bytes) -> str | None:
    return body.decode("utf-8-sig", "replace")


def _marked(body: bytes) -> str | None:
    """Of SVG and of PDF, whose metadata are XML that is not compressed."""
    told = _between(body, b"<dml:recipe", b"</dml:recipe>")
    return None if told is None else html.unescape(told.partition(">")[2])


def _png(body: bytes) -> str | None:
    if not body.startswith(SIGNATURE):
        return None
    place = len(SIGNATURE)
    while place + 8 <= len(body):
        size = int.from_bytes(body[place : place + 4])
        kind, data = body[place + 4 : place + 8], body[place + 8 : place + 8 + size]
        if kind == b"iTXt" and data.startswith(CHUNK):
            return data.removeprefix(CHUNK).decode("utf-8", "replace")
        place += size + 12
    return None


def _html(body: bytes) -> str | None:
    return _between(body, b'<script type="application/json" id="dml-viz-recipe">', b"</script>")


def _csv(body: bytes) -> str | None:
    first = body.decode("utf-8-sig", "replace").split("\n", 1)[0].strip()
    return first.removeprefix(HEADER) if first.startswith(HEADER) else None


def _between(body: bytes, opening: bytes, closing: bytes) -> str | None:
    """What the first ``opening`` encloses; found in one pass, whatever a file holds."""
    begin = body.find(opening)
    end = body.find(closing, begin)
    return None if min(begin, end) < 0 else body[begin + len(opening) : end].decode("utf-8", "replace")


READERS: Mapping[str, Callable[[bytes], str | None]] = MappingProxyType({
    ".json": _json, ".svg": _marked, ".pdf": _marked, ".png": _png, ".html": _html, ".csv": _csv,
})  # fmt: skip
