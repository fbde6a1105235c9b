"""All negatives of one positive pair, and all positive pairs with their nearest negatives, under both bounds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dml_viz.explain.angular.model_triangle import dropped_constant, steepness
from dml_viz.losses.angular import Angular


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


def fan(loss: Angular, d2: np.ndarray, y: np.ndarray, anchor: int, positive: int) -> Fan:
    """The fan of a pair among points with squared distances d2 (N, N) and labels y (N,).

    In the N-pair form the negatives are the second rows of the other classes in the batch, else all points of these.
    """
    negatives = np.flatnonzero(y != y[anchor])
    if loss.form == "N-pair":
        rows = [np.flatnonzero(y == label) for label in dict.fromkeys(y.tolist())]
        negatives = np.array([members[1] for members in rows if len(members) > 1 and y[members[0]] != y[anchor]], int)
    violation = violations(loss, d2, np.full(len(negatives), anchor), np.full(len(negatives), positive), negatives)
    if loss.form == "hinge":
        return Fan(negatives, (violation > 0).astype(float))
    terms = np.exp(violation - dropped_constant(loss))
    return Fan(negatives, terms / (1 + terms.sum()))


def violations(loss: Angular, d2: np.ndarray, anchors: np.ndarray, positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """The violations d_ap^2 - 4 t |x_n - x_c|^2 (K,) of triangles given by the indices of their corners (K,)."""
    return np.asarray(d2[anchors, positives] - 4 * steepness(loss.alpha) * _to_middle(d2, anchors, positives, negatives))


@dataclass(frozen=True, eq=False)
class Spreads:
    """Positive ``pairs`` (2, K): class ``y``, distance ``apart``, and how far from the middle the ``nearest`` negative is."""

    pairs: np.ndarray
    y: np.ndarray
    apart: np.ndarray
    nearest: np.ndarray


def spreads(d2: np.ndarray, y: np.ndarray) -> Spreads:
    """The spreads of points with squared distances d2 (N, N) and labels y (N,); no pair of a class that has no negative."""
    first, second = np.nonzero(np.triu(y[:, None] == y, 1) & (y != y[0]).any())
    reach = (d2[first] + d2[second]) / 2 - d2[first, second][:, None] / 4  # (K, N)
    nearest = np.where(y[first][:, None] == y, np.inf, reach).min(1, initial=np.inf)
    return Spreads(np.stack((first, second)), y[first], np.sqrt(d2[first, second]), np.sqrt(np.maximum(nearest, 0)))


def _to_middle(d2: np.ndarray, anchors: np.ndarray, positives: np.ndarray, negatives: np.ndarray) -> np.ndarray:
    """|x_n - x_c|^2 (K,)."""
    return np.asarray((d2[anchors, negatives] + d2[positives, negatives]) / 2 - d2[anchors, positives] / 4)
