"""One query's exact AP beside its FastAP, as its position, its distances, the gallery or the codes change.

Letters: G points in its gallery, B bins, K places or values tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from dml_viz.embedding.ranking import round_distances
from dml_viz.embedding.sphere import LARGEST_D2
from dml_viz.explain.fastap.model_bins import Binning, fastap, histograms, ratio

FINE = Binning(100)
HALF_DEGREES = 720  # in a full turn
POWERS = np.geomspace(0.25, 4, 49)  # exponents of the distances; the middle one is 1
TIMES = np.geomspace(0.1, 100, 46)  # how often each negative is counted; the 16th is 1
SIZES = np.unique(np.round(np.geomspace(5, 500, 14)).astype(int))  # of drawn galleries
RANKS, FEWER = (1, 2, 4, 8), np.geomspace(0.01, 1, 41)  # K of R@K, shares of the negatives
DRAWS, FINE_STEPS = 200, 100  # galleries of a size; steps of an integral in each bin


@dataclass(frozen=True, eq=False)
class Stairs:
    """Scores of a query that goes round: ``degrees`` (K,) ascending, exact ``ap`` (K,), and ``fastap`` (M, K) of M binnings.

    On the circle ``others`` (G,) are the degrees of the gallery and ``now`` the query's; elsewhere degrees count from the query
    towards the mean of its positives, and ``others`` is empty. ``here`` (1 + M,) are the scores at the query's own place.
    """

    degrees: np.ndarray
    ap: np.ndarray
    fastap: np.ndarray
    now: float
    here: np.ndarray
    others: np.ndarray

    @property
    def jumps(self) -> int:
        """The number of steps of half a degree at which exact AP changes."""
        return int((np.abs(np.diff(self.ap)) > 1e-12).sum())


def stairs(z: np.ndarray, y: np.ndarray, query: int, binnings: Sequence[Binning]) -> Stairs:
    """Turn the row ``query`` of unit rows ``z`` (N, d) once round, while all others stay."""
    here, rest = z[query], np.delete(np.arange(len(y)), query)
    relevant, gallery, circle = y[rest] == y[query], z[rest], z.shape[1] == 2
    ahead = np.array((-here[1], here[0])) if circle else _tangent_to_positives(here, gallery, relevant)
    # Quarters of a degree, because rankings tie halfway between points on whole degrees: at halves.
    degrees, now, others = np.arange(HALF_DEGREES) / 2 + 0.25, 0.0, np.empty(0)
    if circle:
        now, others = (np.degrees(np.arctan2(rows[..., 1], rows[..., 0])) % 360 for rows in (here, gallery))
    else:
        degrees -= 180
    turn = np.radians(np.append(degrees, now) - now)[:, None]
    d2 = np.clip(2 - 2 * (np.cos(turn) * (gallery @ here) + np.sin(turn) * (gallery @ ahead)), 0, 4).round(12)  # (K + 1, G)
    scores = np.stack([exact_average_precision(d2, relevant), *(binned_fastap(d2, relevant, binning) for binning in binnings)])
    return Stairs(degrees, scores[0, :-1], scores[1:, :-1], float(now), scores[:, -1], others)


def exact_average_precision(d2: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Exact AP (K,) of galleries ``d2`` (K, G), ties as in scikit-learn; NaN without positives."""
    d2 = round_distances(d2)
    order = np.argsort(d2, axis=1, kind="stable")
    ranked, hits = np.take_along_axis(d2, order, 1), relevant[order]
    last = np.where(np.diff(ranked, axis=1, append=np.inf) > 0, np.arange(d2.shape[1]), d2.shape[1])
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]  # for each point, the last one that is equally near
    precision = np.take_along_axis(np.cumsum(hits, 1), last, 1) / (last + 1)
    return np.asarray((precision * hits).sum(1) / (relevant.sum() or np.nan))


def binned_fastap(d2: np.ndarray, relevant: np.ndarray, binning: Binning, negatives: float = 1) -> np.ndarray:
    """FastAP (K,) of galleries ``d2`` (K, G), each negative counted ``negatives`` times; NaN without positives."""
    plus, minus = histograms(d2, np.broadcast_to(relevant, d2.shape), np.ones_like(d2), binning)
    return fastap(plus, negatives * minus, relevant.sum())


def against_bins(d2: np.ndarray, relevant: np.ndarray, bins: np.ndarray, like: Binning = FINE) -> np.ndarray:
    """FastAP (K,) of one query, gallery ``d2`` (G,), with each of ``bins`` (K,) numbers of bins, otherwise ``like`` a binning."""
    binnings = [Binning(int(count), like.hard, like.top) for count in bins]
    return np.array([binned_fastap(d2[None], relevant, binning)[0] for binning in binnings])


def scores_by_power(d2: np.ndarray, relevant: np.ndarray, binning: Binning) -> np.ndarray:
    """Exact AP and FastAP (2, K) of a gallery d2 (G,) whose distances become 2 (d / 2) to the power of each of `POWERS` (K,)."""
    moved = LARGEST_D2 * (d2 / LARGEST_D2) ** POWERS[:, None]
    return np.stack((exact_average_precision(moved, relevant), binned_fastap(moved, relevant, binning)))


def scores_by_imbalance(d2: np.ndarray, relevant: np.ndarray, binning: Binning) -> np.ndarray:
    """Exact AP, FastAP and the area under the ROC curve (3, K), each negative of a gallery d2 (G,) counted `TIMES` (K,)."""
    rounded = round_distances(d2)
    near, far = rounded[relevant], rounded[~relevant]
    ahead = (far <= near[:, None]).sum(1)  # negatives (P,) no farther than a positive
    hits = (near <= near[:, None]).sum(1)
    pairs = near.size * far.size or np.nan
    roc = ((near[:, None] < far).sum() + 0.5 * (near[:, None] == far).sum()) / pairs
    average = (hits / (hits + TIMES[:, None] * ahead)).sum(1) / (near.size or np.nan)
    scores = [binned_fastap(d2[None], relevant, binning, times)[0] for times in TIMES]
    return np.stack((average, scores, np.full(len(TIMES), roc)))


@dataclass(frozen=True, eq=False)
class Limit:
    """Exact AP of galleries drawn from two densities: ``mean``, ``low`` and ``high`` tenth (K,) of many draws, by their `SIZES`.

    ``integral`` is its limit, ``binned`` FastAP's sum over bins for the densities; ``prior`` is the share of
    positives.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    integral: float
    binned: float
    prior: float


def ap_by_gallery_size(near: np.ndarray, far: np.ndarray, bins: int) -> Limit | None:
    """The AP of galleries drawn from densities constant in each of ``bins``, given d^2 of positive (P,) and negative pairs (Q,).

    None without pairs of both kinds.
    """
    if not len(near) or not len(far):
        return None
    edges, prior = np.linspace(0, LARGEST_D2, bins + 1), len(near) / (len(near) + len(far))
    plus, minus = (np.append(0, np.histogram(d2, edges)[0].cumsum()) / len(d2) for d2 in (near, far))
    fine = np.linspace(0, LARGEST_D2, bins * FINE_STEPS + 1)
    middles = (fine[1:] + fine[:-1]) / 2
    above = prior * np.interp(middles, edges, plus)
    precision = ratio(above, above + (1 - prior) * np.interp(middles, edges, minus))
    integral = float(precision @ np.diff(np.interp(fine, edges, plus)))
    at_ends = ratio(prior * plus[1:], prior * plus[1:] + (1 - prior) * minus[1:])
    random, scores = np.random.default_rng(0), []
    for size in SIZES.tolist():
        positives = min(max(round(prior * size), 1), size - 1)
        distances = [
            np.interp(random.random((DRAWS, many)), rising, edges)
            for many, rising in ((positives, plus), (size - positives, minus))
        ]
        average = exact_average_precision(np.concatenate(distances, 1), np.arange(size) < positives)
        scores.append((average.mean(), *np.quantile(average, (0.1, 0.9))))
    mean, low, high = np.array(scores).T
    return Limit(mean, low, high, integral, float(at_ends @ np.diff(plus)), prior)


def recall_with_fewer_negatives(d2: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Expected R@K (K, S) of a batch with each of `FEWER` shares (S,) of its negatives, by `RANKS`; NaN without positives.

    Squared distances d2 (N, N), classes y (N,). A query hits if fewer than K of its remaining negatives are as near as
    its nearest positive.
    """
    same, others = y[:, None] == y, ~np.eye(len(y), dtype=bool)
    positive = same & others
    queries = positive.any(1)
    if not queries.any():
        return np.full((len(RANKS), len(FEWER)), np.nan)
    d2 = round_distances(d2)
    nearest = np.where(positive, d2, np.inf).min(1)
    before = ((d2 <= nearest[:, None]) & ~same).sum(1)[queries]  # (Q,)
    return np.asarray(binom.cdf(np.array(RANKS)[:, None, None] - 1, before, FEWER[:, None]).mean(2))


@dataclass(frozen=True, eq=False)
class HammingScores:
    """Shares (d + 1,) of positive and of negative pairs by Hamming distance, and mAP, with signs as binary codes."""

    plus: np.ndarray
    minus: np.ndarray
    average_precision: float


def hamming_scores(z: np.ndarray, y: np.ndarray) -> HammingScores:
    """The scores of the signs of rows z (N, d) with classes y (N,)."""
    bits = (z > 0).astype(float)
    apart = np.rint(bits @ (1 - bits).T + (1 - bits) @ bits.T).astype(int)
    same, others = y[:, None] == y, ~np.eye(len(y), dtype=bool)
    plus, minus = (np.bincount(apart[pairs], minlength=z.shape[1] + 1) for pairs in (same & others, ~same))
    scores = [exact_average_precision(apart[k : k + 1, others[k]].astype(float), same[k, others[k]])[0] for k in range(len(y))]
    known = [value for value in scores if value == value]
    mean = float(np.mean(known)) if known else float("nan")
    return HammingScores(plus / max(plus.sum(), 1), minus / max(minus.sum(), 1), mean)


def _tangent_to_positives(here: np.ndarray, gallery: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """The unit tangent (d,) at ``here`` towards the mean of the positives, else towards the first row or axis that has one."""
    rows = (gallery[relevant].sum(0), *gallery, *np.eye(len(here)))
    tangents = (row - (row @ here) * here for row in rows)
    lengths = ((row, float(np.linalg.norm(row))) for row in tangents)
    return next(row / length for row, length in lengths if length > 1e-9)
