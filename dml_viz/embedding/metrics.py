"""Metrics of embeddings, exact and in float64: retrieval with every point as query, distances, clustering.

They need NumPy alone, clustering scikit-learn, too.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_viz.embedding.ranking import Array, Floats, PositiveRanks, UnitRows, ranking, round_distances, unit_rows

KMEANS_STARTS = 3


@dataclass(frozen=True, eq=False)
class Retrieval:
    """Retrieval metrics in [0, 1]: means over the queries that have a positive, all NaN where none has.

    ``ap`` (N,) is average precision per query, NaN without positives; ``recall`` R@K by K; ``near`` (N, neighbours)
    uint16 the nearest points of each query, nearest first.
    """

    ap: Floats
    map: float
    recall: dict[int, float]
    map_at_r: float
    near: NDArray[np.uint16]


def retrieval(z: Array, y: Array, ks: tuple[int, ...] = (1, 2, 4, 8), neighbours: int = 0) -> Retrieval:
    """mAP, R@K, MAP@R and the nearest ``neighbours`` (at most N - 1) of embeddings z (N, d) with labels y (N,).

    Each point queries all others, as `ranking` says. R@K is the share of queries with a positive among the K nearest;
    MAP@R (Musgrave et al. 2020, section 3.1) sums the precision at the hits among the R nearest and divides by R, the
    number of positives. Ties: average precision retrieves equally near points together, as scikit-learn's
    ``average_precision_score`` does; R@K, MAP@R and ``near`` put the negatives first, so that a collapsed embedding
    scores 0 and not what the order of its rows happens to give. ValueError as in `unit_rows`, `ranking` and `retrieval_of`.
    """
    return retrieval_of(ranking(unit_rows(z, y), neighbours), ks)


def retrieval_of(ranked: PositiveRanks, ks: tuple[int, ...] = (1, 2, 4, 8)) -> Retrieval:
    """The metrics of `retrieval` of a ranking; ValueError for a K below 1."""
    if any(k < 1 for k in ks):
        raise ValueError(f"ks = {ks} is not allowed; choose whole numbers of at least 1")
    valid = ranked.positives > 0
    ap = np.full(len(valid), np.nan)
    if not valid.any():
        return Retrieval(ap, np.nan, dict.fromkeys(ks, np.nan), np.nan, ranked.near)
    ranks, positives = ranked.ranks[valid], ranked.positives[valid]
    ap[valid] = ranked.precision[valid].sum(1) / positives
    hits = np.arange(1, ranks.shape[1] + 1)
    within = (ranks > 0) & (ranks <= positives[:, None])  # (n, R)
    at_r = np.divide(hits, ranks, out=np.zeros(ranks.shape), where=within).sum(1) / positives
    first = ranks[:, 0]
    recall = {k: int(np.count_nonzero(first <= k)) / len(first) for k in ks}
    return Retrieval(ap, float(ap[valid].mean()), recall, float(at_r.mean()), ranked.near)


def map_and_r1_across(queries: Array, searched: Array, y: Array) -> tuple[float, float]:
    """mAP and R@1 where row i of ``queries`` (N, d) asks for its class among the rows ``searched`` (N, d), by distance.

    Rows need not have unit length; no query finds itself. Points that are found as equal rows, such as those of one code, are
    told apart by nothing: average precision retrieves them together, and R@1 is its expectation over their orders.
    """
    points, gallery = (np.asarray(rows).astype(np.float64) for rows in (queries, searched))
    apart = np.maximum((points**2).sum(1)[:, None] + (gallery**2).sum(1) - 2 * points @ gallery.T, 0)
    shares = round_distances(apart / max(float(apart.max()), np.finfo(float).tiny))
    labels = np.unique(np.asarray(y), return_inverse=True)[1]
    ranked = ranking(UnitRows(points, labels, ((slice(0, len(points)), shares),)))
    others = np.where(np.eye(len(points), dtype=bool), np.inf, shares)
    nearest, same = others == others.min(1, keepdims=True), labels[:, None] == labels
    hits = (nearest & same).sum(1) / nearest.sum(1)
    return retrieval_of(ranked, (1,)).map, float(hits[ranked.positives > 0].mean())


def pr_curve(ranked: PositiveRanks, levels: int = 51) -> tuple[Floats, Floats]:
    """Recall and precision, each (levels,), of the mean precision-recall curve of a ranking.

    The recall levels are evenly spaced from 0 to 1. At each, the interpolated precision, the best at this recall or above,
    is averaged over the queries that have a positive; NaN where none has. Ties are retrieved together. Raises ValueError
    for fewer than 2 levels. Source: Manning et al. 2008, Introduction to Information Retrieval, section 8.4.
    """
    if levels < 2:
        raise ValueError(f"levels = {levels} is not allowed; choose at least 2")
    recall, valid = np.linspace(0, 1, levels), ranked.positives > 0
    if not valid.any():
        return recall, np.full(levels, np.nan)
    best = np.maximum.accumulate(ranked.precision[valid, ::-1], axis=1)[:, ::-1]  # (n, R)
    sizes, of_query = np.unique(ranked.positives[valid], return_inverse=True)
    # In whole numbers, because ceil(level * R) in floating point is sometimes one hit too many.
    needed = -(-np.arange(levels) * sizes[:, None] // (levels - 1))  # for each number of positives
    places = np.maximum(needed, 1) - 1
    if len(places) == 1:  # of classes of one size: the mean of all queries first
        return recall, best.mean(0)[places[0]]
    return recall, np.take_along_axis(best, places[of_query], axis=1).mean(0)


def pixel_neighbours(x: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """The ``count`` images nearest to each of images x (N, H, W) in [0, 1], nearest first, by the Euclidean distance of greys."""
    rows = np.rint(255 * x.reshape(len(x), -1).astype(np.float64))  # whole numbers, so that sums are exact in any order
    squares = np.square(rows).sum(1)
    distances = squares[:, None] + squares - 2 * rows @ rows.T
    np.fill_diagonal(distances, np.inf)
    return distances.argsort(axis=1, kind="stable")[:, :count]


def raw_pixel_recall(x: NDArray[np.float32], y: Array) -> float:
    """R@1 of images x (N, H, W) of classes y (N,), compared pixel by pixel: a score that an embedding should exceed.

    R@1 falls as the gallery grows, so pass the very images that the embedding is scored on. NaN without positives.
    """
    valid = np.unique_counts(y).counts[np.unique_inverse(y).inverse_indices] > 1
    right = np.equal(y[pixel_neighbours(x, 1)[:, 0]], y)
    return float(right[valid].mean()) if valid.any() else np.nan


def distance_histograms(rows: UnitRows, bins: int = 40) -> tuple[Floats, Floats, Floats]:
    """Edges (bins + 1,) on [0, 2] and densities (bins,) of the Euclidean distances of positive, then of negative pairs.

    Each density integrates to 1, or is 0 throughout without such pairs. A distance on an inner edge counts in the bin above.
    ValueError for fewer than one bin.
    """
    if bins < 1:
        raise ValueError(f"bins = {bins} is not allowed; choose at least 1")
    labels = rows.small_labels
    counts = np.zeros(2 * bins + 2)
    for block, shares in rows.scaled_d2_blocks:
        # The root of d^2 / 4 is d as a share of the largest distance, 2.
        bin_of = np.sqrt(shares)
        bin_of *= bins
        bin_of = bin_of.astype(np.int64)
        bin_of += (bins + 1) * (labels[block, None] == labels)
        counts += np.bincount(bin_of.ravel(), minlength=len(counts))
    table = counts.reshape(2, bins + 1)
    table[:, bins - 1] += table[:, bins]  # the largest distance belongs to the last bin
    # Every pair was counted twice, and every point once with itself.
    table[1, 0] -= len(labels)
    table = table[:, :bins] / 2
    negative, positive = table / np.maximum(table.sum(1, keepdims=True), 1) * (bins / 2)
    return np.linspace(0, 2, bins + 1), positive, negative


PairRanks = tuple[NDArray[np.intp], NDArray[np.intp], Floats]


def pixel_ranks(x: NDArray[np.float32], y: Array) -> tuple[PairRanks, ...]:
    """The pairs of each class of 3 images or more: both ends (K,), and the ranks (K,) of their distances, less the mean.

    Images x (N, H, W) have classes y (N,); distances are Euclidean, of greys.
    """
    rows, classes = x.reshape(len(x), -1).astype(np.float64), []
    for label in np.unique(y):
        members = np.flatnonzero(np.asarray(y) == label)
        if len(members) > 2:
            first, second = (members[ends] for ends in np.triu_indices(len(members), 1))
            ranks = _ranks(np.linalg.norm(rows[first] - rows[second], axis=1))
            classes.append((first, second, ranks - ranks.mean()))
    return tuple(classes)


def order_correlation(rows: UnitRows, classes: Sequence[PairRanks]) -> float:
    """The mean over ``classes`` of Spearman's correlation of the distances of a class's pairs with their `pixel_ranks`.

    0 for a class whose points are all equally far apart; NaN without classes.
    """
    if not classes:
        return math.nan
    correlations, cosines = [], rows.points @ rows.points.T
    for first, second, ranks in classes:
        cosine_ranks = _ranks(-cosines[first, second].round(12))
        cosine_ranks -= cosine_ranks.mean()
        lengths = float(np.linalg.norm(cosine_ranks) * np.linalg.norm(ranks))
        correlations.append(float(cosine_ranks @ ranks) / lengths if lengths else 0.0)
    return float(np.mean(correlations))


def nmi(rows: UnitRows, seed: int = 0) -> float:
    """Normalised mutual information in [0, 1] of the labels and a k-means clustering of the rows, k the class count.

    The best of 3 k-means++ starts drawn by ``seed``, arithmetic normalisation, both by scikit-learn on one thread. NaN for
    fewer than two classes.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import normalized_mutual_info_score

    points, labels = rows.points, rows.labels
    classes = int(labels.max()) + 1
    if classes < 2:
        return float("nan")
    # With several threads the sums of a cluster would depend on the order in which the threads finish.
    with _thread_pools().limit(limits=1), warnings.catch_warnings():
        # A collapsed embedding has fewer distinct points than classes; its score shows that, so no warning is needed.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = KMeans(classes, n_init=KMEANS_STARTS, random_state=seed).fit_predict(points)
    return float(normalized_mutual_info_score(labels, clusters))


@cache
def _thread_pools() -> Any:
    """The controller of the threads of linear algebra."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _ranks(values: Floats) -> Floats:
    """The ranks of values (K,) from 1 on, equal ones with their mean rank."""
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[group]
