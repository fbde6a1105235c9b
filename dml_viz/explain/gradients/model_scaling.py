"""How long arrows are drawn: by one factor for all losses, or each loss by its own mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dml_viz.analysis import ACTIVE
from dml_viz.explain.gradients.figures.paper import LONGEST

RAW, UNIT_MEAN = "raw", "unit mean"
SCALES = (UNIT_MEAN, RAW)
# How long the mean arrow is at most and at least, for up to so many points.
MEANS = ((24, 0.28, 0.14), (70, 0.2, 0.12), (1 << 30, 0.11, 0.08))


def factors(lengths: Sequence[np.ndarray], scale: str) -> list[float]:
    """What to multiply each loss's arrows by, given their lengths (N,); 0 for a loss without any.

    `RAW` has one factor for all, by which the longest of all arrows spans 0.6 radii. `UNIT_MEAN` makes the mean arrow of each
    loss, over the points that it moves, equally long: so long that no arrow spans more, if the points are not too small then.
    """
    if scale == RAW:
        longest = max((float(own.max(initial=0)) for own in lengths), default=0.0)
        return [LONGEST / longest if own.max(initial=0) > 0 else 0.0 for own in lengths]
    means = [mean_length(own) for own in lengths]
    worst = max((float(own.max()) / mean for own, mean in zip(lengths, means, strict=True) if mean), default=1.0)
    many = max(map(len, lengths), default=0)
    usual, least = next((usual, least) for most, usual, least in MEANS if many <= most)
    wanted = max(least, min(usual, LONGEST / worst))
    return [wanted / mean if mean else 0.0 for mean in means]


def mean_length(lengths: np.ndarray) -> float:
    """The mean of lengths (N,) over the active points, 0 where there is none."""
    moved = lengths[lengths > ACTIVE * lengths.max(initial=0)]
    return float(moved.mean()) if len(moved) else 0.0


def cut(lengths: np.ndarray, factor: float) -> np.ndarray:
    """Which arrows (N,) of lengths (N,) are longer than is drawn."""
    return np.asarray(factor * lengths > LONGEST * (1 + 1e-6))
