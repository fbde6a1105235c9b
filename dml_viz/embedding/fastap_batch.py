"""FastAP of every query of a subject at once."""

from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.embedding.soft_bins import Binning, histograms, per_bin, ratio
from dml_viz.embedding.sphere import pull, tangent


@dataclass(frozen=True)
class Batch:
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


def batch(d2: np.ndarray, y: np.ndarray, binning: Binning) -> Batch:
    """Every point of a subject as the query, from all squared distances ``d2`` (N, N) and labels ``y`` (N,)."""
    same = y[:, None] == y
    plus, minus = histograms(d2, same, 1.0 - np.eye(len(y)), binning)
    cum_plus, positives = np.cumsum(plus, 1), same.sum(1) - 1
    precision = ratio(cum_plus, cum_plus + np.cumsum(minus, 1))
    return Batch(plus, minus, (plus * precision).sum(1) / np.where(positives, positives, np.nan))


def descent(z: np.ndarray, d2: np.ndarray, y: np.ndarray, binning: Binning) -> np.ndarray:
    """Tangent arrows (N, d) against the gradient of the loss at unit rows ``z`` (N, d) with squared distances ``d2`` (N, N).

    0 for hard bins, whose derivative is 0 almost everywhere, and without positives; at a centre the derivative to the right.
    """
    same = y[:, None] == y
    valid = same.sum(1) > 1  # (N,), queries with a positive
    if binning.hard or not valid.any():
        return np.zeros_like(z)
    queries = batch(d2, y, binning)
    weight = np.where(valid, 1 / np.maximum(same.sum(1) - 1, 1), 0.0) / (valid.sum() * binning.width)  # (N,)
    tables = np.stack(per_bin(queries.plus, queries.minus)[::-1]) * weight[:, None]  # (2, N, B+1)
    steps = np.diff(np.pad(tables, ((0, 0), (0, 0), (0, 2))))  # (2, N, B+2)
    first, _ = binning.shares(d2)
    slope = steps[same.astype(np.intp), np.arange(len(y))[:, None], first]  # (N, N)
    np.fill_diagonal(slope, 0)
    points = torch.from_numpy(z)
    return np.asarray(tangent(pull(torch.from_numpy(-2 * (slope + slope.T)), points, points), points).numpy())
