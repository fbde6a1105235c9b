"""Which pairs a bin counts: their names for its label, and the marks that light up with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

LISTED = 4  # pairs named in one label


def spans(d2: np.ndarray, width: float, *, hard: bool) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last bin (G,) that count each squared distance (G,), with ``width`` from centre to centre."""
    t = d2 / width
    low = np.floor(t + (0.5 if hard else 0)).astype(int)
    return low, low if hard else np.ceil(t).astype(int)


def member_labels(
    d2: np.ndarray, relevant: np.ndarray, who: Sequence[str], centres: np.ndarray, *, hard: bool
) -> list[str]:
    """For each bin (B+1,) the pairs it counts, nearest first, as further lines of its label: sign, name and share."""
    width = float(centres[1] - centres[0])
    low, high = spans(d2, width, hard=hard)
    share = np.ones_like(d2) if hard else low + 1 - d2 / width
    signs = np.where(relevant, "+", "−")
    found: list[list[str]] = [[] for _ in centres]
    unnamed = [0] * len(centres)
    for name, sign, first, last, part in zip(
        who, signs.tolist(), low.tolist(), high.tolist(), share.tolist(), strict=True
    ):
        for place in range(first, min(last, len(centres) - 1) + 1):
            if len(found[place]) < LISTED:
                found[place].append(f"<br>{sign} {name}: {part if place == first else 1 - part:.2f}")
            else:
                unnamed[place] += 1
    return [
        "".join(names) + (f"<br>and {more} more" if more else "") for names, more in zip(found, unnamed, strict=True)
    ]


def lights(by: Sequence[int], marks: Sequence[tuple[int, np.ndarray]], width: float, *, hard: bool) -> dict[str, Any]:
    """What the browser needs to light the marks of a bin while a hand is on it.

    Hovering point ``k`` of a trace in ``by`` lights, in every trace of ``points``, the marks with ``low <= k <= high``;
    ``marks`` gives these traces with the squared distances of their marks.
    """
    points = []
    for trace, d2 in marks:
        low, high = spans(d2, width, hard=hard)
        points.append({"trace": trace, "low": low.tolist(), "high": high.tolist()})
    return {"by": list(by), "points": points}
