"""Exported tables, read and compared."""

import csv
import io


def rows(text: str) -> list[list[str]]:
    """The cells of a CSV below its recipe and caption."""
    return list(csv.reader(line for line in io.StringIO(text, newline="") if not line.startswith("#")))


def alike(one: str, other: str) -> None:
    """Two CSVs have the same cells, numbers to 1e-6."""
    left, right = rows(one), rows(other)
    assert len(left) == len(right) > 1
    for first, second in zip(left, right, strict=True):
        for a, b in zip(first, second, strict=True):
            assert a == b or abs(float(a) - float(b)) <= 1e-6, (first, second)
