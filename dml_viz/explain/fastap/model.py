"""Embeddings as FastAP sees them, one query and the whole batch; each number is computed when first used.

Letters: N points, G = N - 1 in the gallery of a query, B bins between B + 1 centres, N+ positives of the query.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.embedding.embeddings import EmbeddingsModel
from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.ranking import round_distances
from dml_viz.explain.fastap.model_bins import (
    BatchHistograms,
    Binning,
    batch_arrows,
    fastap,
    histograms,
    histograms_of_batch,
    ratio,
    slopes_per_bin,
)
from dml_viz.explain.fastap.model_ranking import (
    FINE,
    HammingScores,
    Limit,
    Stairs,
    against_bins,
    ap_by_gallery_size,
    hamming_scores,
    recall_with_fewer_negatives,
    scores_by_imbalance,
    scores_by_power,
    stairs,
)
from dml_viz.losses.fastap import FastAP

COUNTS = np.unique(np.round(np.geomspace(4, 1000, 70)).astype(int))
OTHERS_PER_POSITIVE = 10  # times as many others, from which on positives are few


@dataclass(frozen=True)
class Settings:
    """The point that ranks all others, the bins of the histograms, and whether arrows are of that query alone."""

    query: int
    binning: Binning
    of_query: bool = True


class Model(EmbeddingsModel[Settings]):
    """Embeddings as FastAP ranks them: from the query, ``ranking``, and as a whole batch; ``d2`` (N, N) are squared distances."""

    @property
    def loss(self) -> FastAP:
        """The loss with as many bins as the page's binning."""
        return FastAP(bins=self.settings.binning.bins)

    @property
    def d2(self) -> np.ndarray:
        return self.embeddings.d2.numpy()

    @cached_property
    def ranking(self) -> "QueryRanking":
        return QueryRanking(self.d2[self.settings.query], self.y, self.settings.query, self.settings.binning)

    @cached_property
    def batch_histograms(self) -> BatchHistograms:
        return histograms_of_batch(self.d2, self.y, self.settings.binning)

    @cached_property
    def average_precision(self) -> np.ndarray:
        """Exact AP (N,) of every query, NaN without positives."""
        return retrieval(self.embeddings.z, self.embeddings.y).ap

    @cached_property
    def against_bins(self) -> np.ndarray:
        """The query's FastAP (2, K) with soft and with hard bins, for each number of bins in `COUNTS` (K,), ascending."""
        d2, relevant, top = self.ranking.d2, self.ranking.relevant, self.settings.binning.top
        return np.stack([against_bins(d2, relevant, COUNTS, Binning(1, hard=hard, top=top)) for hard in (False, True)])

    @cached_property
    def stairs(self) -> Stairs:
        """Exact AP of the query as it goes round, and its FastAP with the page's bins and with `FINE` bins."""
        return stairs(
            self.z, self.y, self.settings.query, (self.settings.binning, Binning(FINE.bins, top=self.settings.binning.top))
        )

    @cached_property
    def stretched(self) -> np.ndarray:
        """Exact AP and FastAP (2, K) of the query with its distances raised to powers."""
        return scores_by_power(self.ranking.d2, self.ranking.relevant, self.settings.binning)

    @cached_property
    def skewed(self) -> np.ndarray:
        """Exact AP, FastAP and the area under the ROC curve (3, K) of the query with more or fewer negatives."""
        return scores_by_imbalance(self.ranking.d2, self.ranking.relevant, self.settings.binning)

    @cached_property
    def limit(self) -> Limit | None:
        """Exact AP of galleries of growing size, drawn from the densities of the batch."""
        return ap_by_gallery_size(self.positive_d2, self.negative_d2, self.settings.binning.bins)

    @cached_property
    def recall_with_fewer_negatives(self) -> np.ndarray:
        """Expected R@K (K, S) of the batch with each of `FEWER` shares of its negatives in the gallery."""
        return recall_with_fewer_negatives(self.d2, self.y)

    @cached_property
    def hamming_scores(self) -> HammingScores:
        """Shares (d + 1,) of positive and of negative pairs by Hamming distance, and mAP, with signs as binary codes."""
        return hamming_scores(self.z, self.y)

    @property
    def arrows(self) -> np.ndarray:
        """Arrows (N, d) that raise the query's FastAP, or lower the loss of the batch."""
        return self.arrows_of_query if self.settings.of_query else self.arrows_of_batch

    @cached_property
    def arrows_of_query(self) -> np.ndarray:
        return query_arrows(self.z, self.settings.query, self.ranking)

    @cached_property
    def arrows_of_batch(self) -> np.ndarray:
        return batch_arrows(self.z, self.d2, self.y, self.settings.binning)

    @property
    def negative_d2(self) -> np.ndarray:
        """The squared distances of all ordered negative pairs."""
        return self.d2[self.y[:, None] != self.y]

    @cached_property
    def positive_d2(self) -> np.ndarray:
        """The squared distances of all ordered positive pairs."""
        return self.d2[(self.y[:, None] == self.y) & ~np.eye(len(self.y), dtype=bool)]


class QueryRanking:
    """One query's gallery, nearest first, and the result of each step of FastAP.

    ``gallery`` (G,) holds the points' places in the batch, ``d2`` (G,) ascending, ``relevant`` (G,) bool;
    ``plus`` and ``minus`` (B+1,) are the histograms h+ and h- of positives and negatives.
    """

    def __init__(self, d2: np.ndarray, y: np.ndarray, query: int, binning: Binning) -> None:
        """Take point ``query``, whose squared distances to all points are ``d2`` (N,); the point itself is left out by index."""
        order = np.argsort(d2, kind="stable")
        self.binning, self.gallery = binning, order[order != query]
        self.d2, self.relevant = d2[self.gallery], y[self.gallery] == y[query]
        (self.plus,), (self.minus,) = histograms(self.d2[None], self.relevant[None], np.ones((1, len(self.d2))), binning)

    @cached_property
    def positives(self) -> int:
        """N+, the points of the query's class other than itself."""
        return int(self.relevant.sum())

    @cached_property
    def positives_beyond_bins(self) -> int:
        """The number of positives farther than the last centre: more bins do not count them."""
        return int((round_distances(self.d2[self.relevant]) > self.binning.top).sum())

    @property
    def has_few_positives(self) -> bool:
        """Whether positives are so few that a drawing of both kinds on one scale hides them."""
        return 0 < OTHERS_PER_POSITIVE * self.positives < len(self.d2)

    @cached_property
    def cum_plus(self) -> np.ndarray:
        """H+ (B+1,): positives up to and including each bin."""
        return np.cumsum(self.plus)

    @cached_property
    def cum(self) -> np.ndarray:
        """H (B+1,): points up to and including each bin."""
        return self.cum_plus + np.cumsum(self.minus)

    @cached_property
    def precision(self) -> np.ndarray:
        """H+/H (B+1,), NaN while nothing is retrieved."""
        return ratio(self.cum_plus, self.cum, np.nan)

    @cached_property
    def recall(self) -> np.ndarray:
        """H+/N+ (B+1,), NaN without positives."""
        return self.cum_plus / (self.positives or np.nan)

    @cached_property
    def fastap(self) -> float:
        """FastAP of the query in [0, 1], NaN without positives."""
        return float(fastap(self.plus, self.minus, self.positives))

    @cached_property
    def slope_by_positives(self) -> np.ndarray:
        """The derivative dFastAP/dh+ (B+1,), one-sided where nothing is retrieved yet; NaN without positives."""
        return slopes_per_bin(self.plus, self.minus)[0] / (self.positives or np.nan)

    @cached_property
    def slope_by_negatives(self) -> np.ndarray:
        """The derivative dFastAP/dh- (B+1,), never above 0; NaN without positives."""
        return slopes_per_bin(self.plus, self.minus)[1] / (self.positives or np.nan)

    @cached_property
    def slope(self) -> np.ndarray:
        """The derivative dFastAP/dd^2 (G,) at each point of the gallery: the difference of the bin gradients on either side.

        It is 0 for hard bins (almost everywhere) and without positives; at a centre it is the derivative to the right.
        """
        if self.binning.hard or not self.positives:
            return np.zeros_like(self.d2)
        first, _ = self.binning.first_centre_and_share(self.d2)
        steps = np.diff(np.pad(np.stack((self.slope_by_negatives, self.slope_by_positives)), ((0, 0), (0, 2))))  # (2, B+2)
        return np.asarray(steps[self.relevant.astype(int), first] / self.binning.width)

    @cached_property
    def exact_recall_and_precision(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances, recall and precision (T,) at every distinct squared distance; tied points are retrieved together."""
        last = np.flatnonzero(np.append(np.diff(round_distances(self.d2)) > 0, True)[: len(self.d2)])
        right = np.cumsum(self.relevant)[last]
        return self.d2[last], right / (self.positives or np.nan), right / (last + 1)

    @cached_property
    def average_precision(self) -> float:
        """Exact AP of the query in [0, 1], ties as in scikit-learn's ``average_precision_score``; NaN without positives."""
        _, recall, precision = self.exact_recall_and_precision
        return float((np.diff(recall, prepend=0) * precision).sum())

    @cached_property
    def gap_between_classes(self) -> float:
        """Squared distance of the nearest negative less that of the farthest positive; NaN where either is missing."""
        if not 0 < self.positives < len(self.d2):
            return float("nan")
        d2 = round_distances(self.d2)
        return float(d2[~self.relevant][0] - d2[self.relevant][-1])

    @cached_property
    def bins_for_perfect_fastap(self) -> float:
        """The number of soft bins from which FastAP is certainly 1, as two fit into the gap; inf if no number is enough."""
        enough = self.gap_between_classes > 0 and not self.positives_beyond_bins
        return math.ceil(2 * self.binning.top / self.gap_between_classes) if enough else math.inf


def query_arrows(z: np.ndarray, query: int, ranking: QueryRanking) -> np.ndarray:
    """Tangent gradient (N, d) of the query's FastAP at unit rows ``z``: where each point should go to raise it."""
    pull = 2 * ranking.slope[:, None] * (z[ranking.gallery] - z[query])  # (G, d)
    g = np.zeros_like(z)
    g[ranking.gallery] = pull
    g[query] = -pull.sum(0)
    return np.asarray(g - (g * z).sum(1, keepdims=True) * z)
