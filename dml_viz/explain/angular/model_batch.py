"""Every triangle of a batch: its angle n' and the losses that move it; one pair's negatives, and all pairs with their nearest."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dml_viz.embedding.sphere import squared_chords
from dml_viz.explain.angular.model_triangle import TIE, dropped_constant, tan_squared
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._training import example

STEP = 0.25  # degrees of n' in the finest bin
EDGES = np.linspace(0, 90, 361)
AT_ONCE = 200_000  # triangles held in memory
LEVEL = 1e-9  # degrees, a smaller difference of two angles is a rounding error
SIZELESS = 1e-18  # a smaller squared length counts as 0
DIMENSIONS = (2, 8, 32)
CACHED = 256  # random batches
RANDOM = (96, 8)  # points and classes of a random batch


@dataclass(frozen=True)
class TriangleCounts:
    """The triangles of a batch, each counted once; in the loss's sum each is there twice, as (a, p, n) and (p, a, n).

    ``counts`` (360,) are triangles per quarter of a degree of n', between `EDGES` (361,); ``spread`` (B,) triangles
    per bin of the violation d_ap^2 - 4 t |x_n - x_c|^2 between ``violations`` (B+1,). ``active`` have a violation above 0;
    ``triplet_active`` of the ordered triplets, twice as many, are within the triplet loss's margin. ``points`` have no size:
    their n' is undefined and counts as 0. Without triangles shares are NaN.
    """

    triangles: int
    counts: np.ndarray
    violations: np.ndarray
    spread: np.ndarray
    active: int
    triplet_active: int
    points: int = 0

    @property
    def share(self) -> float:
        return self.active / self.triangles if self.triangles else math.nan

    @property
    def active_triplet_share(self) -> float:
        return self.triplet_active / (2 * self.triangles) if self.triangles else math.nan

    @property
    def shares_above_angle(self) -> np.ndarray:
        """The share of triangles with n' at or above each of `EDGES` (361,), which the hinge moves at that alpha."""
        return np.append(np.flip(np.cumsum(np.flip(self.counts))), 0) / max(self.triangles, 1)


def triangle_counts(d2: np.ndarray, y: np.ndarray, angular: Angular, triplet: Triplet, bins: int = 60) -> TriangleCounts:
    """Count the triangles of points with squared distances d2 (N, N) and labels y (N,), by angle and by violation."""
    t, size = tan_squared(angular.alpha), 1 if triplet.squared else 0.5
    # At most 4 for opposite ends of a pair, at least -16 t for a pair in one place opposite its negative; 0 is between two bins.
    width = 4 / max(round(4 * bins / (4 + 16 * t)), 1)
    below = math.ceil(16 * t / width)
    bins = below + round(4 / width)
    counts, spread = np.zeros(len(EDGES) - 1, int), np.zeros(bins, int)
    triangles = active = triplet_active = points = 0
    for within, near, far in _triangles(d2, y):
        reach = np.maximum((near + far) / 2 - within / 4, 0)
        violation = within - 4 * t * reach
        angle = np.degrees(np.arctan2(np.sqrt(within) / 2, np.sqrt(reach)))
        angle = np.maximum(angle - LEVEL, 0)  # one that is at the bound is not above it
        counts += np.bincount(np.minimum((angle / STEP).astype(int), len(counts) - 1).ravel(), minlength=len(counts))
        bin_of = np.floor(np.where(violation > TIE, violation, np.minimum(violation, -TIE)) / width).astype(int) + below
        spread += np.bincount(np.clip(bin_of, 0, bins - 1).ravel(), minlength=bins)
        triangles += violation.size
        points += int((np.maximum(within, reach) < SIZELESS).sum())
        active += int((violation > TIE).sum())
        triplet_active += sum(int((within**size - to**size + triplet.margin > TIE).sum()) for to in (near, far))
    return TriangleCounts(triangles, counts, width * (np.arange(bins + 1) - below), spread, active, triplet_active, points)


@lru_cache(maxsize=CACHED)
def random_counts(dim: int, angular: Angular, triplet: Triplet) -> TriangleCounts:
    """The triangles of random unit rows in ``dim`` dimensions, the same rows every time."""
    z, y = example(RANDOM[0], dim, RANDOM[1])
    return triangle_counts(squared_chords(z, z).numpy(), y.numpy(), angular, triplet)


def _triangles(d2: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """d_ap^2 (K, 1), d_an^2 and d_pn^2 (K, Q) of all triangles, K pairs of one class at a time."""
    for label in np.unique(y):
        members, others = np.flatnonzero(y == label), np.flatnonzero(y != label)
        to, (first, second) = d2[np.ix_(members, others)], np.triu_indices(len(members), 1)
        if not to.size:
            continue
        for start in range(0, len(first), step := max(AT_ONCE // len(others), 1)):
            i, j = first[start : start + step], second[start : start + step]
            yield d2[members[i], members[j]][:, None], to[i], to[j]


@dataclass(frozen=True, eq=False)
class Fan:
    """The ``negatives`` (K,) of a positive pair, points of the batch, and the ``shares`` (K,) of the pair's full push on each.

    In the logistic forms the shares add up to less than 1; in the hinge each active negative gets a full push.
    """

    negatives: np.ndarray
    shares: np.ndarray

    @cached_property
    def order(self) -> np.ndarray:
        """Indices (K,) that sort the negatives, the largest share first."""
        return np.argsort(-self.shares, kind="stable")


def pair_fan(loss: Angular, d2: np.ndarray, y: np.ndarray, anchor: int, positive: int) -> Fan:
    """The fan of a pair among points with squared distances d2 (N, N) and labels y (N,).

    In the N-pair form the negatives are the second rows of the other classes in the batch, else all points of these.
    """
    negatives = np.flatnonzero(y != y[anchor])
    if loss.form == "N-pair":
        rows = [np.flatnonzero(y == label) for label in dict.fromkeys(y.tolist())]
        negatives = np.array([members[1] for members in rows if len(members) > 1 and y[members[0]] != y[anchor]], int)
    within = d2[anchor, positive]
    to_middle = (d2[anchor, negatives] + d2[positive, negatives]) / 2 - within / 4  # |x_n - x_c|^2 (K,)
    violation = within - 4 * tan_squared(loss.alpha) * to_middle
    if loss.form == "hinge":
        return Fan(negatives, (violation > TIE).astype(float))
    terms = np.exp(violation - dropped_constant(loss))
    return Fan(negatives, terms / (1 + terms.sum()))


@dataclass(frozen=True, eq=False)
class PositivePairs:
    """All positive pairs by their ``ends`` (2, K): class ``y``, ``length``, and the distance of a negative from the middle.

    ``to_negative`` (K,) is that of the negative nearest to the pair's middle.
    """

    ends: np.ndarray
    y: np.ndarray
    length: np.ndarray
    to_negative: np.ndarray


def positive_pairs(d2: np.ndarray, y: np.ndarray) -> PositivePairs:
    """The positive pairs of points with squared distances d2 (N, N) and labels y (N,); none without a negative."""
    first, second = np.nonzero(np.triu(y[:, None] == y, 1) & (y != y[0]).any())
    reach = (d2[first] + d2[second]) / 2 - d2[first, second][:, None] / 4  # (K, N)
    nearest = np.where(y[first][:, None] == y, np.inf, reach).min(1, initial=np.inf)
    return PositivePairs(np.stack((first, second)), y[first], np.sqrt(d2[first, second]), np.sqrt(np.maximum(nearest, 0)))
