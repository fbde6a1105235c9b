"""Histograms of squared distances in the page's bins, FastAP of them, and its gradient.

The loss has soft bins on [0, 4] alone; the page has hard bins and bins on [0, 2] beside them, and galleries that no batch has.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from dml_viz.embedding.sphere import LARGEST_D2, pair_gradient, tangent


@dataclass(frozen=True)
class Binning:
    """``bins`` intervals of the squared distances [0, top], which lie between ``bins + 1`` centres.

    Soft: a pair is shared by the two nearest centres, in proportion to its nearness (a triangular kernel).
    Hard: a pair counts for its nearest centre alone (halfway: the farther one). ``top`` below 4 leaves pairs out.
    """

    bins: int
    hard: bool = False
    top: float = LARGEST_D2

    def __post_init__(self) -> None:
        if self.bins < 1 or not 0 < self.top <= LARGEST_D2:
            raise ValueError(f"bins = {self.bins}, top = {self.top}: choose at least 1 bin and a top in (0, 4]")

    @property
    def width(self) -> float:
        """Squared distance from one centre to the next."""
        return self.top / self.bins

    @property
    def centres(self) -> np.ndarray:
        """The centres (B+1,), from 0 to ``top``."""
        return np.linspace(0, self.top, self.bins + 1)

    @property
    def table_width(self) -> int:
        """The columns of the table of `histograms`: the B + 1 centres, and two past the last one, for pairs beyond ``top``."""
        return self.bins + 3

    def first_centre_and_share(self, d2: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The index of the first centre that a pair counts for (int64), and its share there; the next one gets the rest.

        Both have the shape of ``d2``. Centres from B + 1 on do not exist: pairs that fall there are outside every bin.
        """
        t = d2 / self.width
        first = np.minimum(np.floor(t + 0.5 if self.hard else t).astype(np.int64), self.bins + 1)
        return first, np.ones_like(t) if self.hard else np.clip(first + 1 - t, 0, 1)


def histograms(d2: np.ndarray, relevant: np.ndarray, counts: np.ndarray, binning: Binning) -> tuple[np.ndarray, np.ndarray]:
    """h+ and h- (Q, B+1) of squared distances (Q, G); ``counts`` (Q, G) is 1 for points of a query's gallery, 0 for others."""
    first, share = binning.first_centre_and_share(d2)
    columns, queries = binning.table_width, len(d2)
    index = first + np.where(relevant, 0, columns) + 2 * columns * np.arange(queries)[:, None]
    share = share * counts
    table = np.bincount(index.ravel(), share.ravel(), 2 * columns * queries)
    if not binning.hard:
        table += np.bincount(index.ravel() + 1, (counts - share).ravel(), 2 * columns * queries)
    table = table.reshape(queries, 2, columns)[:, :, : binning.bins + 1]
    return table[:, 0], table[:, 1]


def is_outside_bins(d2: np.ndarray, binning: Binning) -> np.ndarray:
    """Whether a pair (shape of ``d2``) is outside every bin: such a pair has no gradient."""
    return np.asarray(binning.first_centre_and_share(d2)[0] > binning.bins)


def fastap(plus: np.ndarray, minus: np.ndarray, positives: Any) -> np.ndarray:
    """FastAP (Q,) of queries with histograms (Q, B+1) and so many ``positives`` each; NaN without any."""
    cum_plus = np.cumsum(plus, -1)
    total = (plus * ratio(cum_plus, cum_plus + np.cumsum(minus, -1))).sum(-1)
    return np.asarray(total / np.where(positives, positives, np.nan))


def slopes_per_bin(plus: np.ndarray, minus: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """N+ dFastAP/dh+ and N+ dFastAP/dh- (..., B+1) from histograms (..., B+1); N+ is constant: no distance changes it."""
    cum_plus, cum_minus = np.cumsum(plus, -1), np.cumsum(minus, -1)
    cum = cum_plus + cum_minus
    for_positive = ratio(cum_plus, cum, 1.0) + _tail(plus * ratio(cum_minus, cum**2))
    return for_positive, -_tail(plus * ratio(cum_plus, cum**2))


@dataclass(frozen=True)
class BatchHistograms:
    """All queries at once: histograms ``plus`` and ``minus`` (N, B+1), and FastAP (N,), NaN for queries without positives."""

    plus: np.ndarray
    minus: np.ndarray
    fastap: np.ndarray

    @property
    def queries(self) -> int:
        """M, the queries with at least one positive."""
        return int(np.isfinite(self.fastap).sum())

    @property
    def loss(self) -> float:
        """1 less the mean FastAP of the M queries; 0 where there is none."""
        return 1 - float(np.nanmean(self.fastap)) if self.queries else 0.0


def histograms_of_batch(d2: np.ndarray, y: np.ndarray, binning: Binning) -> BatchHistograms:
    """Every point of a batch as the query, from all squared distances ``d2`` (N, N) and labels ``y`` (N,)."""
    same = y[:, None] == y
    plus, minus = histograms(d2, same, 1.0 - np.eye(len(y)), binning)
    return BatchHistograms(plus, minus, fastap(plus, minus, same.sum(1) - 1))


def batch_arrows(z: np.ndarray, d2: np.ndarray, y: np.ndarray, binning: Binning) -> np.ndarray:
    """Tangent arrows (N, d) against the gradient of the loss at unit rows ``z`` (N, d) with squared distances ``d2`` (N, N).

    0 for hard bins, whose derivative is 0 almost everywhere, and without positives; at a centre the derivative to the right.
    """
    same = y[:, None] == y
    valid = same.sum(1) > 1  # (N,), queries with a positive
    if binning.hard or not valid.any():
        return np.zeros_like(z)
    queries = histograms_of_batch(d2, y, binning)
    weight = np.where(valid, 1 / np.maximum(same.sum(1) - 1, 1), 0.0) / (valid.sum() * binning.width)  # (N,)
    tables = np.stack(slopes_per_bin(queries.plus, queries.minus)[::-1]) * weight[:, None]  # (2, N, B+1)
    steps = np.diff(np.pad(tables, ((0, 0), (0, 0), (0, 2))))  # (2, N, B+2)
    first, _ = binning.first_centre_and_share(d2)
    slope = steps[same.astype(np.intp), np.arange(len(y))[:, None], first]  # (N, N)
    np.fill_diagonal(slope, 0)
    points = torch.from_numpy(z)
    return np.asarray(tangent(pair_gradient(torch.from_numpy(-2 * (slope + slope.T)), points, points), points).numpy())


def ratio(part: np.ndarray, whole: np.ndarray, empty: float = 0.0) -> np.ndarray:
    """Entry by entry ``part / whole``, ``empty`` where ``whole`` is 0."""
    return np.divide(part, whole, out=np.full(part.shape, empty), where=whole > 0)


def _tail(x: np.ndarray) -> np.ndarray:
    return np.flip(np.cumsum(np.flip(x, -1), -1), -1)
