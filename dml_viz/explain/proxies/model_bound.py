"""Bounds of two losses: on all triplets by distances to centroids, and the least Proxy-NCA loss at each scale."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses.discriminative import Discriminative

RATE, STEPS = 0.05, 120  # radians, about, by which the strongest pull turns a sample in a step; steps


@dataclass(frozen=True, eq=False)
class Bound:
    """Means over triplets of d_ap - d_an, ``triplets`` (T,), and their ``bound`` (T,), at ``steps`` (T,).

    Each of ``classes`` has ``each`` samples.
    """

    steps: np.ndarray
    bound: np.ndarray
    triplets: np.ndarray
    classes: int
    each: int

    @property
    def count(self) -> int:
        """The number of triplets, both (a, p, n) and (p, a, n)."""
        return self.classes * self.each * (self.each - 1) * (self.classes - 1) * self.each

    @property
    def distances(self) -> int:
        """The number of distances to centroids that the bound is computed from."""
        return self.classes**2 * self.each


def bound_along_gradient(z: Tensor, y: Tensor, centroids: Tensor) -> Bound | None:
    """The bound as the loss falls on equally many samples of each class; None without 2 classes of 2 samples.

    Rows z (N, d) have classes y (N,), indices of ``centroids`` (C, d).
    """
    rows, present = _balanced(y, len(centroids))
    if len(present) < 2:
        return None
    y, fixed = torch.searchsorted(present, y[rows]), centroids[present]
    start = LossResponse(Discriminative(), LossInputs(Embeddings(z[rows], y, ""), y, {"proxies": fixed}))
    states = start.flow(STEPS, RATE * len(y), 0.0)
    return bound_over_frames(((step, state.inputs.z, fixed) for step, state in enumerate(states)), y)


def bound_over_frames(frames: Iterable[tuple[int, Tensor, Tensor]], y: Tensor) -> Bound | None:
    """The bound at each of ``frames``: a step, rows (N, d) of classes y (N,), and centroids (C, d)."""
    points = []
    for step, z, centroids in frames:
        rows, present = _balanced(y, len(centroids))
        if len(present) < 2:
            return None
        labels = torch.searchsorted(present, y[rows])
        # The factor of the bound is 3 (C - 1) (n - 1) n N, and (C - 1) (n - 1) n N is the number of triplets.
        bound = 3 * float(Discriminative().value(z[rows], labels, proxies=centroids[present]))
        points.append((step, bound, mean_distance_gap(z[rows], labels)))
    if not points:
        return None
    steps, bounds, triplets = np.array(points).T
    return Bound(steps, bounds, triplets, len(present), len(rows) // len(present))


def _balanced(y: Tensor, centroids: int) -> tuple[Tensor, Tensor]:
    """Equally many samples of each class with two or more and a centroid, and these classes."""
    present, counts = y.unique(return_counts=True)
    usable = (counts > 1) & (present < centroids)
    rows = [(y == label).nonzero()[: int(counts[usable].min()), 0] for label in present[usable]]
    return torch.cat([y[:0], *rows]), present[usable]


def mean_distance_gap(z: Tensor, y: Tensor) -> float:
    """The mean of d_ap - d_an, without margin or hinge, over all triplets of rows z (N, d), equally many of each class."""
    d = torch.linalg.norm(z[:, None] - z, dim=2)
    same = y[:, None] == y
    others = ~same
    same = same & ~torch.eye(len(y), dtype=torch.bool)
    return float(d[same].mean() - d[others].mean())


SCALES = np.linspace(1, 4, 61)
MANY_CLASSES = (100, 1000)  # classes, to compare


def least_loss_and_pull(classes: int, scales: np.ndarray = SCALES) -> np.ndarray:
    """The least loss with the positive in the denominator and without, and the pull left with it: (3, K) by scale (K,).

    At the least loss every sample is on its own proxy, and the proxies of C ``classes`` are all equally far apart.
    """
    apart = 2 * scales**2 * classes / (classes - 1)
    others = (classes - 1) * np.exp(-apart)
    return np.stack((np.log1p(others), np.log(classes - 1) - apart, others / (1 + others)))
