"""The ranking of queries in a gallery, query by query, in numpy alone: the scores and nearest rows of files with many rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dml_viz.embedding.ranking import Floats, Integers, distance_shares, unit_rows

NEAREST = 10
SAMPLE = 1_000  # columns whose distances bound those of a query's nearest rows


@dataclass(frozen=True, eq=False)
class Ranked:
    """The scores of the rows ``queries`` (Q,) of a file, and the rows of the file that each finds nearest.

    ``ap`` (Q,), ``at_r`` (Q,) and ``first`` (Q,) are average precision, precision summed up to R, the number of positives, and
    the rank of the first positive, from 1; NaN without a positive. ``near`` (Q, k) are the k nearest rows, nearest first, at
    most 10, and ``cosine`` (Q, k) their similarities.
    """

    queries: Integers
    ap: Floats
    at_r: Floats
    first: Floats
    near: NDArray[np.int32]
    cosine: NDArray[np.float32]


def rank_queries(
    z: NDArray[np.generic],
    y: NDArray[np.int64],
    query: NDArray[np.bool_] | None = None,
    gallery: NDArray[np.bool_] | None = None,
    progress: Callable[[float], object] = lambda _: None,
) -> Ranked:
    """The rows ``query`` (N,) of embeddings z (N, d) with labels y (N,), ranked among the rows ``gallery`` (N,); None is all.

    A query never finds itself. ``progress`` is called with the share done. Distances and ties are those of `ranking`: average
    precision retrieves equally near rows together, and where ranks count negatives come first. ValueError as in `unit_rows`.
    """
    rows = unit_rows(z, y)
    queries, searched = (np.arange(len(z)) if mask is None else np.flatnonzero(mask) for mask in (query, gallery))
    points = rows.points if gallery is None else rows.points[searched]
    column = np.full(len(z), -1)  # of each row in the gallery
    column[searched] = np.arange(len(searched))
    order = np.argsort(rows.labels[searched], kind="stable")
    ends = np.cumsum(np.bincount(rows.labels[searched], minlength=len(z)))
    size = min(NEAREST, len(searched) - 1)
    ap, at_r, first = (np.full(len(queries), np.nan) for _ in range(3))
    near, cosine = np.zeros((len(queries), size), np.int32), np.zeros((len(queries), size), np.float32)
    for block, shares in distance_shares(points, None if query is None else rows.points[queries]):
        itself = column[queries[block]]
        shares[np.flatnonzero(itself >= 0), itself[itself >= 0]] = np.inf
        sample = shares[:, :: max(1, len(searched) // SAMPLE)]
        bounds = np.partition(sample, max(0, size - 1), axis=1)[:, max(0, size - 1)]
        for k, distances, bound in zip(range(block.start, block.stop), shares, bounds, strict=True):
            columns = _nearest(distances, bound, size)
            near[k], cosine[k] = searched[columns], 1 - 2 * distances[columns]
            label = rows.labels[queries[k]]
            members = order[ends[label - 1] if label else 0 : ends[label]]
            positives = np.sort(distances[members])
            positives = positives[np.isfinite(positives)]
            distances[members] = np.inf
            if len(positives):
                ap[k], at_r[k], first[k] = _scores(positives, distances)
        progress(block.stop / len(queries))
    return Ranked(queries, ap, at_r, first, near, cosine)


def _nearest(distances: Floats, bound: float, count: int) -> Integers:
    """The columns of the ``count`` smallest of ``distances`` (N,), of which that many are at most ``bound``, in order."""
    columns = np.flatnonzero(distances <= bound)
    if len(columns) > count:
        columns = columns[np.argpartition(distances[columns], count)[:count]]
    return columns[np.argsort(distances[columns], kind="stable")]


def _scores(positives: Floats, negatives: Floats) -> tuple[float, float, float]:
    """Average precision, precision at R, and the rank of the first positive, of a query's distances, the positives' in order."""
    hits = np.arange(1, len(positives) + 1)
    rivals = negatives[negatives <= positives[-1]]
    ahead = np.bincount(np.searchsorted(positives, rivals), minlength=len(positives)).cumsum()  # or as near
    ranks, as_near = ahead + hits, np.searchsorted(positives, positives, side="right")
    within = ranks <= len(positives)
    return float((as_near / (as_near + ahead)).mean()), float((hits / ranks)[within].sum() / len(positives)), float(ranks[0])
