"""The sum over all triplets beside its bound by distances to fixed centroids, along the gradient of the discriminative loss."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossInputs, LossResponse
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses.discriminative import Discriminative

RATE, STEPS = 0.05, 120  # radians that the strongest pull turns a sample by in a step, about; steps


@dataclass(frozen=True, eq=False)
class Bound:
    """Means over triplets of d_ap - d_an, ``triplets`` (T + 1,), and their ``bound`` (T + 1,), at every step.

    There are ``each`` samples of each of ``classes``; ``count`` triplets, and ``distances`` to centroids.
    """

    bound: np.ndarray
    triplets: np.ndarray
    classes: int
    each: int

    @property
    def count(self) -> int:
        """The triplets, (a, p, n) and (p, a, n) both."""
        return self.classes * self.each * (self.each - 1) * (self.classes - 1) * self.each

    @property
    def distances(self) -> int:
        """What the bound takes the mean of."""
        return self.classes**2 * self.each


def bound(z: Tensor, y: Tensor, centroids: Tensor) -> Bound | None:
    """Follow the loss on equally many samples of each class; None without two classes of two samples.

    Rows z (N, d) have classes y (N,) that count ``centroids`` (C, d).
    """
    present, counts = y.unique(return_counts=True)
    present = present[(counts > 1) & (present < len(centroids))]
    if len(present) < 2:
        return None
    each = int(counts[counts > 1].min())
    of = torch.cat([(y == label).nonzero()[:each, 0] for label in present])
    y = torch.repeat_interleave(torch.arange(len(present)), each)
    start = LossResponse(Discriminative(), LossInputs(Embeddings(z[of], y, ""), y, {"proxies": centroids[present]}))
    states = list(start.flow(STEPS, RATE * len(y), 0.0))
    # The factor of the bound is 3 (C - 1) (n - 1) n N, and (C - 1) (n - 1) n N is the number of triplets.
    bounds = np.array([3 * state.value for state in states])
    return Bound(bounds, np.array([mean_over_triplets(state.inputs.z, y) for state in states]), len(present), each)


def mean_over_triplets(z: Tensor, y: Tensor) -> float:
    """The mean of d_ap - d_an over all triplets of rows z (N, d), equally many of each class."""
    d = torch.linalg.norm(z[:, None] - z, dim=2)
    same = y[:, None] == y
    others = ~same
    same = same & ~torch.eye(len(y), dtype=torch.bool)
    return float(d[same].mean() - d[others].mean())
