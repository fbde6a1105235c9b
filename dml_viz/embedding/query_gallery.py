"""Retrieval metrics of queries against a gallery, block by block: the scores of files with thousands of rows."""

from collections.abc import Callable, Sequence

import numpy as np

from dml_viz.embedding.metrics import Retrieval
from dml_viz.embedding.ranking import ROW_BLOCK, unit_rows

LAST = np.iinfo(np.int64).max - 1  # the key of a query in its own gallery: sorted last, and not a positive


def retrieval_of_queries(
    z: np.ndarray,
    y: np.ndarray,
    query: np.ndarray | None = None,
    gallery: np.ndarray | None = None,
    ks: Sequence[int] = (1, 2, 4, 8),
    progress: Callable[[float], object] = lambda _: None,
) -> Retrieval:
    """The metrics of `retrieval` for the rows ``query`` (N,) bool among the rows ``gallery`` (N,) bool; None stands for all rows.

    A query never finds itself. ``progress`` is called with the share done. Where all rows are both, the metrics equal those of
    `retrieval`; ``ap`` has one number per query, and ``near`` is empty. ValueError as in `unit_rows`.
    """
    rows = unit_rows(z, y)
    queries = np.arange(len(z)) if query is None else np.flatnonzero(query)
    searched = np.arange(len(z)) if gallery is None else np.flatnonzero(gallery)
    place_of = np.full(len(z), -1)
    place_of[searched] = np.arange(len(searched))
    points, labels = rows.points[searched], rows.labels[searched]
    ap, at_r, first = (np.full(len(queries), np.nan) for _ in range(3))
    for start in range(0, len(queries), ROW_BLOCK):
        at = queries[start : start + ROW_BLOCK]
        # As in `ranking`: a float64 that is not negative, read as an integer, keeps its order; its last bit is relevance.
        shares = np.clip(0.5 - 0.5 * (rows.points[at] @ points.T), 0, 1)
        keys = np.ascontiguousarray(shares).view(np.int64) << 1
        keys |= rows.labels[at, None] == labels
        gallery_rows = place_of[at]
        keys[np.flatnonzero(gallery_rows >= 0), gallery_rows[gallery_rows >= 0]] = LAST
        keys.sort(axis=1)
        relevant = (keys & 1).astype(bool)
        positives = relevant.sum(1)
        some = positives > 0
        block = slice(start, start + len(at))
        ap[block][some], at_r[block][some], first[block][some] = _scores(keys[some], relevant[some], positives[some])
        progress(min(1.0, (start + len(at)) / len(queries)))
    valid, near = np.isfinite(ap), np.zeros((len(queries), 0), np.uint16)
    if not valid.any():
        return Retrieval(ap, np.nan, dict.fromkeys(ks, np.nan), np.nan, near)
    recall = {k: float(np.mean(first[valid] <= k)) for k in ks}
    return Retrieval(ap, float(ap[valid].mean()), recall, float(at_r[valid].mean()), near)


def _scores(keys: np.ndarray, relevant: np.ndarray, positives: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average precision, precision at R, and the place of the first positive, of sorted keys (n, G)."""
    size = keys.shape[1]
    hits, places = relevant.cumsum(1), np.arange(1, size + 1)
    farther = np.ones(keys.shape, bool)
    farther[:, :-1] = (keys[:, 1:] ^ keys[:, :-1]) > 1
    if farther.all():
        precision = hits / places
    else:  # all points of a tie are retrieved at once
        end = np.minimum.accumulate(np.where(farther, places, size)[:, ::-1], axis=1)[:, ::-1]
        precision = np.take_along_axis(hits, end - 1, axis=1) / end
    ap = (precision * relevant).sum(1) / positives
    within = relevant & (places <= positives[:, None])
    return ap, (hits / places * within).sum(1) / positives, relevant.argmax(1) + 1
