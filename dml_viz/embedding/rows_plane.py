"""The places of all rows of a file, however many, in numpy and scipy alone, for a process without torch."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import eigsh

BLOCK = 4_096  # rows that are in memory as float64 at once
FLAT = 3  # dimensions that are drawn as they are
ROUNDED = 1e-13  # variance of unit rows up to which it is the rounding of sums


def places_in_plane(z: NDArray[np.floating]) -> tuple[NDArray[np.float32], float]:
    """Return where the rows z (N, d), each divided by its length, are drawn, and the share of their variance that is seen.

    Up to three dimensions are drawn as they are; of more, places (N, 2) are in the plane through the origin that shows most of
    the variance, turned as `dml_viz.embedding.pca.main_plane`. The share is 0 where all rows are one point.
    """
    n, d = z.shape
    if d <= FLAT:
        return unit(z).astype(np.float32), 1.0
    total, products = np.zeros(d), np.zeros((d, d))
    for rows in unit_blocks(z):
        total += rows.sum(0)
        products += rows.T @ rows
    spread = products - np.outer(total, total) / n
    whole = float(np.trace(spread))
    if whole <= ROUNDED * n:
        return np.concatenate([rows[:, :2] for rows in unit_blocks(z)]).astype(np.float32), 0.0
    axes = eigsh(spread, 2, v0=np.ones(d))[1][:, ::-1]
    axes = axes * np.sign(np.take_along_axis(axes, np.abs(axes).argmax(0)[None], 0))
    places = np.concatenate([rows @ axes for rows in unit_blocks(z)])
    return places.astype(np.float32), float(np.trace(axes.T @ spread @ axes)) / whole


def unit_blocks(z: NDArray[np.generic]) -> Iterator[NDArray[np.float64]]:
    """Yield the rows z (N, d), some at a time, divided by their lengths."""
    for start in range(0, len(z), BLOCK):
        yield unit(z[start : start + BLOCK])


def unit(rows: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return the rows (N, d), none of which is zero, divided by their lengths."""
    exact = rows.astype(np.float64)
    return exact / np.linalg.norm(exact, axis=1, keepdims=True)
