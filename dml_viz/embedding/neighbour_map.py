"""A neighbour map: places in the plane in which the nearest neighbours of points in all dimensions are near (t-SNE).

The affinities of L. van der Maaten and G. Hinton (2008, JMLR 9, "Visualizing Data using t-SNE") are exact. Each frame of a run
begins at the places of the frame before, so that points move and do not jump. Places are the same on every machine for the same
affinities: an iteration uses sums, products and quotients alone, its gradient is rounded to multiples of 2^-30, velocities and
places to multiples of 2^-16, so that the order of summation does not matter. Distances between groups, and the sizes of groups,
mean nothing in such a map.
"""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.embedding.pca import main_plane

Places = NDArray[np.float64]

PERPLEXITY = 8.0
FIRST, LATER = 800, 200  # iterations of the first frame, and of each frame after it
EXAGGERATED, EXAGGERATION = 150, 4.0  # the iterations of the first frame whose affinities are larger, and how much
RATE, MOMENTUM = 0.4, 0.8  # the rate is for each point
HALVINGS = 60  # of the interval of a point's precision
GRADIENT_GRID, PLACE_GRID = 2.0**30, 2.0**16
SPREAD = 0.01  # of the first places, along the directions of most variance


def neighbour_maps(frames: Sequence[NDArray[np.floating]], perplexity: float = PERPLEXITY) -> list[Places]:
    """Return places (n, 2) for each of the ``frames`` of rows (n, d), each found from those of the frame before."""
    maps: list[Places] = []
    for rows in frames:
        attraction = affinities(rows, perplexity)
        if maps:
            places = settled(attraction, maps[-1], LATER)
        else:
            early = settled(EXAGGERATION * attraction, first_places(rows), EXAGGERATED)
            places = settled(attraction, early, FIRST - EXAGGERATED)
        maps.append(places)
    return maps


def filling(places: Places) -> Places:
    """Return the places (n, 2) moved and scaled as a whole until they fill a square from -1 to 1: sizes mean nothing in a map."""
    if not len(places):
        return places
    low, high = places.min(0), places.max(0)
    return (places - (low + high) / 2) / max(float((high - low).max()) / 2, np.finfo(np.float64).tiny)


def affinities(rows: NDArray[np.floating], perplexity: float = PERPLEXITY) -> NDArray[np.float64]:
    """Return the symmetric affinities (n, n) of ``rows`` (n, d), of sum 1, whose rows have the ``perplexity`` before symmetry.

    Few rows have a smaller perplexity: a third of the others. Fewer than two rows have no affinities: zeros.
    """
    n = len(rows)
    if n < 2:
        return np.zeros((n, n))
    points = rows.astype(np.float64)
    squares = (points**2).sum(1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0)
    distances /= max(distances.mean(), np.finfo(np.float64).tiny)
    np.fill_diagonal(distances, np.inf)
    distances -= distances.min(1, keepdims=True)
    target = np.log(min(perplexity, max((n - 1) / 3, 1.0)))
    low, high = np.zeros((n, 1)), np.full((n, 1), 2.0**40)
    precision = np.ones((n, 1))
    for _ in range(HALVINGS):
        shares = np.exp(-distances * precision)
        shares /= shares.sum(1, keepdims=True)
        entropy = -(shares * np.log(np.maximum(shares, np.finfo(np.float64).tiny))).sum(1, keepdims=True)
        wide = entropy > target
        low, high = np.where(wide, precision, low), np.where(wide, high, precision)
        precision = np.where(high < 2.0**40, (low + high) / 2, 2 * precision)
    return (shares + shares.T) / (2 * n)


def first_places(rows: NDArray[np.floating]) -> Places:
    """Return small places (n, 2) of ``rows`` (n, d) along their two directions of most variance, on the grid."""
    if len(rows) < 2:
        return np.zeros((len(rows), 2))
    points = torch.from_numpy(rows.astype(np.float64))
    plane = ((points - points.mean(0)) @ main_plane(points)).numpy()
    return on_grid(SPREAD * plane / max(float(plane.std()), np.finfo(np.float64).tiny), PLACE_GRID)


def settled(attraction: NDArray[np.float64], places: Places, iterations: int) -> Places:
    """Return the places (n, 2) after ``iterations`` of descent with momentum from ``places``, on the grid."""
    velocity = np.zeros_like(places)
    for _ in range(iterations):
        downhill = on_grid(-gradient(attraction, places), GRADIENT_GRID)
        velocity = on_grid(MOMENTUM * velocity + RATE * len(places) * downhill, PLACE_GRID)
        places = places + velocity
    return places


def gradient(attraction: NDArray[np.float64], places: Places) -> Places:
    """Return the gradient (n, 2) of the divergence of the map's affinities from ``attraction`` at ``places``."""
    apart = places[:, None, :] - places[None, :, :]
    near = 1 / (1 + (apart**2).sum(2))
    np.fill_diagonal(near, 0)
    pull = (attraction - near / max(near.sum(), np.finfo(np.float64).tiny)) * near
    return 4 * (pull[:, :, None] * apart).sum(1)


def on_grid(values: NDArray[np.float64], steps: float) -> NDArray[np.float64]:
    """Return ``values`` rounded to multiples of 1 / ``steps``, halves upwards."""
    return np.floor(values * steps + 0.5) / steps
