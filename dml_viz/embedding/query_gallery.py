"""Scores of queries in a gallery, query by query, in numpy alone: the exact scores of files with many rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dml_viz.embedding.ranking import Floats, Integers
from dml_viz.embedding.search import Progress, Search, Shares


@dataclass(frozen=True, eq=False)
class QueryScores:
    """The scores of the rows ``queries`` (Q,) of a file.

    ``ap`` (Q,), ``at_r`` (Q,) and ``first`` (Q,) are average precision, precision summed up to R, the number of positives, and
    the rank of the first positive, from 1; NaN without a positive.
    """

    queries: Integers
    ap: Floats
    at_r: Floats
    first: Floats


def score_queries(search: Search, y: NDArray[np.generic], progress: Progress = lambda _: None, threads: int = 1) -> QueryScores:
    """The scores of the queries of ``search`` in its gallery; y (N,) are the labels of all rows of the file.

    Average precision retrieves equally near rows together, and where ranks count negatives come first. ``progress`` is called
    with the share done. Memory is that of a block in each of the ``threads``.
    """
    labels = np.unique(y, return_inverse=True)[1]
    order = np.argsort(labels[search.gallery], kind="stable")
    ends = np.cumsum(np.bincount(labels[search.gallery], minlength=len(labels)))
    ap, at_r, first = (np.full(len(search.queries), np.nan) for _ in range(3))

    def rank(block: slice, table: Shares) -> None:
        sorted_rows = np.sort(table, axis=1)
        for k, (shares, in_order) in enumerate(zip(table, sorted_rows, strict=True), block.start):
            label = labels[search.queries[k]]
            positives = np.sort(shares[order[ends[label - 1] if label else 0 : ends[label]]])
            positives = positives[np.isfinite(positives)]
            if len(positives):
                ap[k], at_r[k], first[k] = _scores(positives, in_order)

    search.each(rank, progress, threads)
    return QueryScores(search.queries, ap, at_r, first)


def _scores(positives: Shares, everything: Shares) -> tuple[float, float, float]:
    """Average precision, precision at R, and the rank of the first positive, of a query's distances, each in order."""
    hits = np.arange(1, len(positives) + 1)
    retrieved = np.searchsorted(everything, positives, side="right")  # all that are as near, or nearer
    right = np.searchsorted(positives, positives, side="right")
    ranks = retrieved - right + hits
    within = ranks <= len(positives)
    return float((right / retrieved).mean()), float((hits / ranks)[within].sum() / len(positives)), float(ranks[0])
