"""Retrieval metrics of queries against a gallery, block by block: what a file with thousands of rows is scored by."""

from collections.abc import Callable, Sequence

import numpy as np

from dml_viz.embedding.metrics import Retrieval
from dml_viz.embedding.ranking import ROW_BLOCK, unit_rows

LAST = np.iinfo(np.int64).max - 1  # the key of what is not searched: behind all, and no positive


def retrieval_of_queries(
    z: np.ndarray, y: np.ndarray, query: np.ndarray | None = None, gallery: np.ndarray | None = None,
    ks: Sequence[int] = (1, 2, 4, 8), progress: Callable[[float], object] = lambda _: None,
) -> Retrieval:  # fmt: skip
    """The metrics of `retrieval`, of the rows ``query`` (N,) bool among the rows ``gallery``, all where they are not given.

    A query never finds itself. ``progress`` is given the share done. The metrics agree with `retrieval` where all rows are both;
    ``ap`` is of the queries, and ``near`` is empty. ValueError as in `unit_rows`.
    """
    rows = unit_rows(z, y)
    asks = np.arange(len(z)) if query is None else np.flatnonzero(query)
    searched = np.arange(len(z)) if gallery is None else np.flatnonzero(gallery)
    place_of = np.full(len(z), -1)
    place_of[searched] = np.arange(len(searched))
    points, labels = rows.points[searched], rows.labels[searched]
    ap, at_r, first = (np.full(len(asks), np.nan) for _ in range(3))
    for start in range(0, len(asks), ROW_BLOCK):
        at = asks[start : start + ROW_BLOCK]
        # As in `ranking`: a float64 that is not negative, read as an integer, keeps its order; its last bit is relevance.
        shares = np.clip(0.5 - 0.5 * (rows.points[at] @ points.T), 0, 1)
        keys = np.ascontiguousarray(shares).view(np.int64) << 1
        keys |= rows.labels[at, None] == labels
        own = place_of[at]
        keys[np.flatnonzero(own >= 0), own[own >= 0]] = LAST
        keys.sort(axis=1)
        relevant = (keys & 1).astype(bool)
        positives = relevant.sum(1)
        some = positives > 0
        block = slice(start, start + len(at))
        ap[block][some], at_r[block][some], first[block][some] = _scores(keys[some], relevant[some], positives[some])
        progress(min(1.0, (start + len(at)) / len(asks)))
    found = np.isfinite(ap)
    if not found.any():
        return Retrieval(ap, np.nan, dict.fromkeys(ks, np.nan), np.nan, np.zeros((len(asks), 0), np.uint16))
    recall = {k: float(np.mean(first[found] <= k)) for k in ks}
    return Retrieval(
        ap, float(ap[found].mean()), recall, float(at_r[found].mean()), np.zeros((len(asks), 0), np.uint16)
    )


def _scores(keys: np.ndarray, relevant: np.ndarray, positives: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Average precision, precision at R, and the place of the first positive, of sorted keys (n, G)."""
    size = keys.shape[1]
    hits, places = relevant.cumsum(1), np.arange(1, size + 1)
    farther = np.ones(keys.shape, bool)
    farther[:, :-1] = (keys[:, 1:] ^ keys[:, :-1]) > 1
    if farther.all():
        precision = hits / places
    else:  # of a tie, all are retrieved at once
        end = np.minimum.accumulate(np.where(farther, places, size)[:, ::-1], axis=1)[:, ::-1]
        precision = np.take_along_axis(hits, end - 1, axis=1) / end
    ap = (precision * relevant).sum(1) / positives
    within = relevant & (places <= positives[:, None])
    return ap, (hits / places * within).sum(1) / positives, relevant.argmax(1) + 1
