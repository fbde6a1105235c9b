"""Points and panels of the page of gradients as drawn, and the lengths of arrows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.analysis import ACTIVE, LossResponse

DRAWN_UP_TO = 3
QUARTERS, TENTHS = 4, 10  # steps of a zoom and of a radius, in which a picture is fitted: quarters and tenths
LARGEST_ZOOM = 4.0  # the largest zoom of a plane
AMBIENT = "ambient"
RAW, UNIT_MEAN = "raw", "unit mean"
SCALES = (UNIT_MEAN, RAW)
# The longest and shortest mean arrow, for up to so many points.
MEANS = ((24, 0.28, 0.14), (70, 0.2, 0.12), (1 << 30, 0.11, 0.08))
LONGEST_ARROW = 0.6  # radii of a drawn arrow; a longer one is cut


@dataclass(frozen=True, eq=False)
class Panel:
    """The response of a loss on the points that all panels share, as drawn.

    ``arrows`` (N, k) are its gradients, as the points are drawn (k is 2 or 3), not yet turned downhill nor scaled; ``lengths``
    (N,) their lengths before flattening, 0 for rounding errors. ``partners`` (N, K) of each point are those
    whose weights (N, K) are largest, heaviest first, -1 where there are fewer; from N on they are ``proxies`` (M, k), of classes
    ``owners`` (M,). ``share_drawn`` is the share of the whole gradient that is drawn, NaN where there is none.
    """

    name: str
    response: LossResponse
    arrows: np.ndarray
    lengths: np.ndarray
    share_drawn: float
    partners: np.ndarray
    weights: np.ndarray
    proxies: np.ndarray | None
    owners: np.ndarray


@dataclass(frozen=True, eq=False)
class Points:
    """The places (N, k) of the points in all panels, k = 2 or 3, and their classes (N,).

    ``circle`` is whether the points are on the unit circle, not flattened from more dimensions. Flattened points are drawn
    ``zoom`` times as far from ``middle``, and so are the proxies of all panels; arrows are not longer.
    """

    places: np.ndarray
    y: np.ndarray
    circle: bool
    zoom: float = 1.0
    middle: tuple[float, float] = (0.0, 0.0)

    def enlarged(self, places: np.ndarray) -> np.ndarray:
        """Coordinates (..., k) enlarged around ``middle`` as drawn."""
        return self.zoom * (places - self.middle) if self.zoom > 1 else places


def flattened(rows: np.ndarray, plane: np.ndarray | None) -> np.ndarray:
    """Rows (..., d) as drawn: unchanged up to d = 3, else projected to ``plane`` (d, 2); ValueError without a plane."""
    dim = rows.shape[-1]
    if dim <= DRAWN_UP_TO:
        return rows
    if plane is None:
        raise ValueError(f"rows have {dim} dimensions; pass a plane ({dim}, 2)")
    return rows @ plane


def arrow_factors(lengths: Sequence[np.ndarray], scale: str) -> list[float]:
    """The factor of each loss's arrows, given their lengths (N,); 0 for a loss without arrows.

    `RAW` has one factor for all: the longest arrow becomes `LONGEST_ARROW` radii. `UNIT_MEAN` makes the mean arrow of each
    loss equally long, over the points that it moves.
    """
    if scale == RAW:
        longest = max((float(arrows.max(initial=0)) for arrows in lengths), default=0.0)
        return [LONGEST_ARROW / longest if arrows.max(initial=0) > 0 else 0.0 for arrows in lengths]
    means = [mean_length(arrows) for arrows in lengths]
    worst = max((float(arrows.max()) / mean for arrows, mean in zip(lengths, means, strict=True) if mean), default=1.0)
    many = max(map(len, lengths), default=0)
    usual, least = next((usual, least) for most, usual, least in MEANS if many <= most)
    mean_drawn = max(least, min(usual, LONGEST_ARROW / worst))
    return [mean_drawn / mean if mean else 0.0 for mean in means]


def mean_length(lengths: np.ndarray) -> float:
    """The mean of lengths (N,) over the active points, 0 where there is none."""
    moved = lengths[lengths > ACTIVE * lengths.max(initial=0)]
    return float(moved.mean()) if len(moved) else 0.0
