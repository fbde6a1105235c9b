"""The gradient over a plane as arrows, none of which crosses a boundary."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dml_viz.analysis.triplet_plane import Plane


CELLS = 10  # arrows along an axis, about
CROWDED_OUT = 0.5  # share of the arrows; if fewer fit between the boundaries, all are made shorter
CLEAR = 0.95  # share of the way to a boundary that half an arrow may take
USUAL = 0.9  # quantile of the arrows' lengths that is drawn at the largest length


def arrows(plane: "Plane") -> tuple[np.ndarray, float, float]:
    """The arrows x, y, u and v (4, K) to draw, the factor from gradients to arrows, and the largest length of an arrow."""
    u, v = -plane.of_positive, -plane.of_negative
    has = np.nan_to_num(np.hypot(u, v)) > 0
    step = math.ceil((len(plane.s) - 1) / CELLS)
    kept_points = np.zeros_like(has)
    kept_points[step // 2 :: step, step // 2 :: step] = True
    rows, columns = np.nonzero(has & kept_points)
    places, ways = np.stack((plane.s[columns], plane.s[rows])), np.stack((u[rows, columns], v[rows, columns]))
    if plane.band.size:
        places, ways = plane.band[:2], -plane.band[2:]
    length = np.hypot(*ways)
    room = _room(places, ways / length, plane)
    usual = float(np.quantile(length, USUAL)) if len(length) else 0.0
    longest = 0.85 * step * float(plane.s[1] - plane.s[0])
    if len(room) and (room >= longest).mean() < CROWDED_OUT:
        longest = min(longest, float(np.quantile(room, CROWDED_OUT)))
    scale = longest / usual if usual else 0.0
    lengths = np.minimum(scale * length, longest)
    fits = lengths <= room * (1 + 1e-9)
    return np.concatenate((places, ways * lengths / length))[:, fits], scale, longest


def _room(places: np.ndarray, ways: np.ndarray, plane: "Plane") -> np.ndarray:
    """The largest lengths (K,) of arrows with their middle at ``places`` (2, K), along unit ``ways`` (2, K), off boundaries."""
    shore = np.stack((plane.edge[:-1], plane.edge[1:]), 1)
    segments = np.concatenate((plane.still, shore, shore * (1, -1)))
    start, along = segments[:, 0, :, None], (segments[:, 1] - segments[:, 0])[:, :, None]  # (S, 2, 1)
    gap = places - start
    with np.errstate(divide="ignore", invalid="ignore"):
        across = _cross(along, ways)
        on_segment, reach = _cross(gap, ways) / across, np.abs(_cross(gap, along) / across)
    met = (on_segment > -1e-9) & (on_segment < 1 + 1e-9)
    return np.asarray(2 * CLEAR * np.where(met, reach, np.inf).min(0, initial=np.inf))


def _cross(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cross products (S, K) of vectors (S, 2, K), broadcast."""
    return np.asarray(first[..., 0, :] * second[..., 1, :] - first[..., 1, :] * second[..., 0, :])
