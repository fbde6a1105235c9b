"""Where a plane has a gradient only in a band too narrow for its grid: places along the middle of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dml_viz.explain.pairs.model_tuples import SmallBatch

FEW = 150  # places of the grid with a gradient, at most, for that to be a band
APART = 0.06  # at least, between places along a band
LONG = 0.5  # for a line across a band
HALVINGS = 6  # of a step of `APART`, until the end of a line is known


def band(batch: SmallBatch, s: np.ndarray, of_positive: np.ndarray, of_negative: np.ndarray) -> np.ndarray:
    """Along the middle of a narrow gradient s_p, s_n, dL/ds_p and dL/ds_n (4, B), at places `APART` across their direction.

    By the gradient on a grid of similarities s (G,), rows s_n and columns s_p, (G, G) each. Empty where that is not narrow.
    """

    def moves(place: np.ndarray) -> bool:
        return bool((place >= s[0]).all() and (place <= s[-1]).all()) and batch.felt(*place.tolist()).moves

    rows, columns = np.nonzero(np.nan_to_num(np.hypot(of_positive, of_negative)) > 0)
    crossed: list[tuple[np.ndarray, float]] = []
    if len(rows) <= FEW:
        for row, column in zip(rows, columns, strict=True):
            place = np.array([s[column], s[row]])
            way = -np.array([of_positive[row, column], of_negative[row, column]])
            way /= np.hypot(*way)
            gaps = [(place - middle, half) for middle, half in crossed]
            if all(abs(gap[0] * way[1] - gap[1] * way[0]) >= APART or abs(gap @ way) > half for gap, half in gaps):
                crossed.append(_middle(moves, place, way))
    felt = [(*place, *batch.felt(*place.tolist())[1:]) for place, _ in crossed]
    return np.array([one for one in felt if np.hypot(*one[2:]) > 0]).reshape(-1, 4).T


def _middle(moves: Callable[[np.ndarray], bool], place: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, float]:
    """Of the line through ``place`` (2,) along unit ``way`` (2,), as far as it has a gradient, the middle and half the length.

    Of a line that goes on for `LONG` it is the place itself.
    """
    ends = []
    for sign in (1.0, -1.0):
        near, far = 0.0, APART
        while far < LONG and moves(place + sign * far * way):
            near, far = far, far + APART
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if moves(place + sign * middle * way) else (near, middle)
        ends.append(near)
    ahead, behind = ends
    return (place if max(ends) > LONG - APART else place + (ahead - behind) / 2 * way), (ahead + behind) / 2
