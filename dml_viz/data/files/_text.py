"""Tables as text, whose size is known before they are parsed."""

import io
from typing import Any

from dml_viz.data.files._base import FileError
from dml_viz.data.files._images import MOST_IMAGES

MOST_COLUMNS = 4_160  # of the most dimensions, and labels, paths and masks
MOST_CELLS = 26 << 20
LONGEST = 1 << 20  # bytes of a line: 4,096 numbers take a tenth of that


def frame_of(content: bytes, name: str, **how: Any) -> Any:
    """The data frame of pandas from a table in UTF-8; FileError for one with too many lines or columns, or too long ones."""
    import pandas

    check_size(content, name, how.get("sep", ","))
    return pandas.read_csv(io.BytesIO(content), encoding="utf-8-sig", low_memory=False, **how)


def check_size(content: bytes, name: str, separator: str = ",") -> None:
    """Raise FileError for a text with too many lines or columns, or too long lines."""
    end = b"\n" if b"\n" in content else b"\r"
    lines = content.count(end) + 1
    if lines > MOST_IMAGES + 1:
        raise FileError(f"{name} has {lines:,} lines; at most {MOST_IMAGES:,} are read: save a part of them")
    columns = content.partition(end)[0].count(separator.encode()) + 1
    if columns > MOST_COLUMNS:
        raise FileError(f"{name} has {columns:,} columns; at most {MOST_COLUMNS:,} are read")
    at = longest = 0
    for _ in range(lines):
        until = content.find(end, at)
        longest, at = max(longest, (until if until >= 0 else len(content)) - at), until + 1
    if longest > LONGEST:
        raise FileError(
            f"a line of {name} has {longest / 2**20:,.0f} MB; at most {LONGEST >> 20} MB are read: give each point its own line"
        )
    if lines * columns > MOST_CELLS:
        raise FileError(
            f"{name} has {lines:,} lines of {columns:,} columns; at most {MOST_CELLS:,} numbers are read: save fewer rows"
        )
