"""What one loss asks of a batch: the gradient at each point, and what each pair has to do with it."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dml_viz.embedding.sphere import tangent
from dml_viz.explain.gradients.model_stood import Stood
from dml_viz.losses import Loss

FELT = 1e-3  # of the largest gradient or weight: what is less does not count as touched
ROUNDING = 1e-13  # of all that pulls and pushes at a point: what is left along the sphere is rounding
NOTHING = 1e-20  # below any gradient that a step of training would feel
TIMES = 2  # the gradient is computed, for the clock; the shorter time counts


@dataclass(frozen=True, eq=False)
class Felt:
    """A loss on a batch: its value, and `Loss.gradient` at the points (N, d) as it is and with its radial part.

    ``along`` is the part along the sphere, which for losses of unit rows is the gradient; ``ambient`` has the radial part as
    well, in inner products. ``weight`` (N, M) is what the loss multiplies partner m's row by in the ambient gradient of point
    n: both orders of a pair together, or one where the loss moves one end alone. Partners are the points, or the proxies.
    """

    loss: Loss
    stood: Stood = field(repr=False)
    value: float
    along: np.ndarray
    ambient: np.ndarray
    weight: np.ndarray
    of_proxies: bool
    seconds: float

    @property
    def gradient(self) -> np.ndarray:
        """What `Loss.gradient` gives, (N, d)."""
        return self.along if self.loss.unit else self.ambient

    @property
    def norm(self) -> float:
        """The length of the whole gradient along the sphere, all points together."""
        return float(np.linalg.norm(self.lengths))

    @cached_property
    def lengths(self) -> np.ndarray:
        """The lengths (N,) of the gradients along the sphere, 0 where they are rounding."""
        lengths = np.linalg.norm(self.along, axis=1)
        pulls = np.abs(self.weight).sum(1) if self.loss.unit else np.linalg.norm(self.ambient, axis=1)
        return np.where(lengths > max(NOTHING, ROUNDING * pulls.max(initial=0)), lengths, 0)

    @cached_property
    def points(self) -> tuple[int, int]:
        """How many points are touched, of how many."""
        lengths = self.lengths
        return int((lengths > FELT * lengths.max(initial=0)).sum()), len(lengths)

    @cached_property
    def pairs(self) -> tuple[int, int]:
        """How many pairs are touched, of points with points or with proxies, of how many."""
        both = self.weight
        if not self.of_proxies:
            both = both + both.T if self.loss.one_sided else both
            both = both[np.triu_indices(len(both), 1)]
        size = np.abs(both)
        return int((size > FELT * size.max(initial=0)).sum()), int(size.size)

    @property
    def radial(self) -> float:
        """The share of the ambient gradient's squared length that points off the sphere; NaN for none at all."""
        whole = float((self.ambient**2).sum())
        return max(0.0, 1 - float((self.along**2).sum()) / whole) if whole else math.nan


def felt(loss: Loss, stood: Stood) -> Felt:
    """What ``loss`` asks of a batch, timed alone."""
    z, y, learnt = stood.z, stood.y, dict(stood.learnt)
    loss.check_batch(z, y, **learnt)
    seconds = math.inf
    for _ in range(TIMES):
        began = time.perf_counter()
        found = loss.gradients(z, y, **learnt)
        seconds = min(seconds, time.perf_counter() - began)
    weights = loss.weights(z, y, **learnt)
    if weights.proxy is not None:
        weight, to = weights.proxy, stood.proxies
    else:
        pair = z.new_zeros(len(z), len(z)) if weights.pair is None else weights.pair
        weight, to = pair if weights.one_sided else pair + pair.T, z
    if loss.unit:
        assert to is not None
        along, ambient = found.z, weight @ to
    else:
        along, ambient = tangent(found.z, z), found.z
    own = weight.detach().numpy().copy()
    if weights.proxy is None:
        np.fill_diagonal(own, 0)  # a row's product with itself is no pair's
    return Felt(
        loss, stood, float(found.value), along.numpy(), ambient.detach().numpy(), own, weights.proxy is not None, seconds
    )  # fmt: skip
