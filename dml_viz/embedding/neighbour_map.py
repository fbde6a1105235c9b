"""A neighbour map: places in the plane in which the nearest neighbours of points in all dimensions are near (t-SNE).

The affinities are those of L. van der Maaten and G. Hinton (2008, JMLR 9, "Visualizing Data using t-SNE") to the nearest
neighbours of each point, three times the perplexity many. Each frame of a run begins at the places of an earlier one, so that
points move and do not jump. Distances between groups, and the sizes of groups, mean nothing in such a map.

Equal rows have equal places on every machine, to the last bit, though the descent is chaotic: rows are whole numbers, all else
is made by + - * / alone, also exp, and what is summed is a multiple of a power of two, so that its order does not matter.
assets/src/runs/neighbour_map.js computes the same in a browser; map_loops.ts beside it has what takes the time, in WebAssembly.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.uint8]
Places = NDArray[np.float64]

MIDDLE, REACH = 128, 127  # the middle of the numbers of rows, and how far they go from it
MAPPED_UP_TO = 1024  # dimensions; with more, sums would not be exact
PERPLEXITY = 8.0
NEIGHBOURS = 24  # of each point, which attract it
FIRST, LATER = 800, 120  # iterations of the first frame, and of each frame after it
EXAGGERATED, EXAGGERATION = 150, 4.0  # the iterations of the first frame whose affinities are larger, and how much
AGAIN, LARGER = 50, 2.0  # the same of each frame after it: points of a class can pass between those of others
RATE, MOMENTUM = 0.4, 0.8  # the rate is for each point
HALVINGS = 50  # of the interval of a point's precision
SPREAD = 0.03  # how far from the centre the first places reach, along the directions of most variance
POWERS = 60  # products with the covariance that lead to its first direction
PLACE, NEARNESS, FORCE, DIRECTION, COVARIANCE = 16, 32, 40, 20, 22  # what is a multiple of which power of 1/2


def whole_numbers(z: NDArray[np.floating]) -> Rows:
    """Return rows z (n, d) in whole numbers from 1 to 255, which differ as the rows do but for their scale."""
    spread = z - z.mean(0) if len(z) else z
    reach = float(np.abs(spread).max(initial=0)) or 1.0
    return (np.rint(spread / reach * REACH) + MIDDLE).astype(np.uint8)


def neighbour_maps(frames: Iterable[Rows]) -> list[Places]:
    """Return places (n, 2) for each of the ``frames`` of rows (n, d), each found from those of the frame before."""
    maps: list[Places] = []
    for rows in frames:
        maps.append(places_of(rows, maps[-1] if maps else None))
    return maps


def places_of(rows: Rows, before: Places | None) -> Places:
    """Return the places (n, 2) of ``rows`` (n, d) in a frame that begins at the places ``before``; None for a first frame."""
    attraction = affinities(rows)
    if before is not None:
        return settled(attraction, settled(LARGER * attraction, before, AGAIN), LATER - AGAIN)
    early = settled(EXAGGERATION * attraction, first_places(rows), EXAGGERATED)
    return settled(attraction, early, FIRST - EXAGGERATED)


def map_of(z: NDArray[np.floating]) -> Places:
    """Return places (n, 2) of the rows z (n, d) of one frame, which fill a square from -1 to 1."""
    if z.shape[1] > MAPPED_UP_TO:  # in the directions in which n rows can differ, their distances are the same
        directions, lengths, _ = np.linalg.svd(z - z.mean(0), full_matrices=False)
        z = directions * lengths
    return filling(places_of(whole_numbers(z), None))


def filling(places: Places) -> Places:
    """Return the places (n, 2) moved and scaled as a whole until they fill a square from -1 to 1: sizes mean nothing in a map."""
    if not len(places):
        return places
    low, high = places.min(0), places.max(0)
    return (places - (low + high) / 2) / (float((high - low).max()) / 2 or 1.0)


def affinities(rows: Rows) -> NDArray[np.float64]:
    """Return the symmetric affinities (n, n) of ``rows`` (n, d), of sum 1, whose rows have the perplexity before symmetry.

    Few rows have a smaller perplexity: a third of the others. Fewer than two rows have no affinities: zeros.
    """
    n = len(rows)
    if n < 2:
        return np.zeros((n, n))
    points = rows.astype(np.float64)
    squares = (points**2).sum(1)
    distances = squares[:, None] + squares[None, :] - 2 * points @ points.T  # whole numbers
    scale = distances.sum() / (n * (n - 1)) or 1.0
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, 1, kind="stable")[:, : min(NEIGHBOURS, n - 1)].T  # (k, n)
    apart = np.take_along_axis(distances.T, nearest, 0)
    apart = (apart - apart[0]) / scale
    target = min(PERPLEXITY, max((n - 1) / 3, 1.0))
    low, high, precision = np.zeros(n), np.full(n, np.inf), np.ones(n)
    for _ in range(HALVINGS):
        shares = exp_minus(apart * precision)
        total: NDArray[np.float64] = sum(shares)  # type: ignore[assignment]  # one after the other, as the browser sums them
        mean = sum(apart * shares) / total
        # The entropy is log(total) + precision * mean; its exponential is the perplexity.
        wide = total > target * exp_minus(precision * mean)
        low, high = np.where(wide, precision, low), np.where(wide, high, precision)
        precision = np.where(np.isinf(high), 2 * precision, (low + high) / 2)
    shares = exp_minus(apart * precision)
    whole = np.zeros((n, n))
    np.put_along_axis(whole, nearest.T, (shares / sum(shares)).T, 1)
    return (whole + whole.T) / (2 * n)


def exp_minus(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(-x) for x from 0 on, to six digits up to 25, by + * / alone."""
    y = x / 256
    result = 1 / (1 + y * (1 + y / 2 * (1 + y / 3 * (1 + y / 4 * (1 + y / 5)))))
    for _ in range(8):
        result = result * result
    return result


def first_places(rows: Rows) -> Places:
    """Return small places (n, 2) of ``rows`` (n, d) along their two directions of most variance, on the grid."""
    n = len(rows)
    if n < 2:
        return np.zeros((n, 2))
    points = n * rows.astype(np.float64) - rows.sum(0, dtype=np.float64)
    covariance = points.T @ points
    covariance = on_grid(covariance / (np.abs(covariance).max() or 1.0), COVARIANCE)
    first, variance = leading(covariance)
    second, _ = leading(on_grid(covariance - first[:, None] * (variance * first / ((first**2).sum() or 1.0)), COVARIANCE))
    plane = points @ np.stack([first, second], 1)
    return on_grid(SPREAD * (plane / (np.abs(plane).max() or 1.0)), PLACE)


def leading(covariance: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the direction (d,) of most variance, its largest number 1 or -1, and the variance; zeros without variance."""
    direction = covariance[covariance.diagonal().argmax()]
    direction = on_grid(direction / (np.abs(direction).max() or 1.0), DIRECTION)
    variance = 0.0
    for _ in range(POWERS):
        product = covariance @ direction
        largest = int(np.abs(direction).argmax())
        variance = float(product[largest] / (direction[largest] or 1.0))
        direction = on_grid(product / (np.abs(product).max() or 1.0), DIRECTION)
    return direction, variance


def settled(attraction: NDArray[np.float64], places: Places, iterations: int) -> Places:
    """Return the places (n, 2) after ``iterations`` of descent with momentum from ``places``, on the grid."""
    velocity = np.zeros_like(places)
    for _ in range(iterations):
        downhill = RATE * len(places) * gradient(attraction, places)
        velocity = on_grid(MOMENTUM * velocity - downhill, PLACE)
        places = places + velocity
    return places


def gradient(attraction: NDArray[np.float64], places: Places) -> Places:
    """Return the gradient (n, 2) of the divergence of the map's affinities from ``attraction`` at ``places``."""
    x, y = (column[:, None] - column for column in places.T)
    near = x * x
    near += y * y
    near += 1
    np.divide(1, near, out=near)
    np.fill_diagonal(near, 0)
    pull = near * (-1 / (on_grid(near, NEARNESS).sum() or 1.0))
    pull += attraction
    pull *= near
    for apart in (x, y):
        apart *= pull
    return 4 * np.stack([on_grid(apart, FORCE).sum(1) for apart in (x, y)], 1)


def on_grid(values: NDArray[np.float64], power: int) -> NDArray[np.float64]:
    """Return ``values`` rounded to multiples of 1/2 ** ``power``, halves to even ones; their size is below 2 ** (51 - power)."""
    shift = 1.5 * 2.0 ** (52 - power)
    rounded = values + shift
    rounded -= shift
    return rounded
