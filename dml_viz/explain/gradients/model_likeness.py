"""How alike the gradients of losses are: their cosines, ordered so that what is alike stands together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import AgglomerativeClustering


@dataclass(frozen=True, eq=False)
class Likeness:
    """Cosines (L, L) of losses in the order ``order`` (L,), NaN where one has no gradient, and how they were merged.

    Each of ``merges`` (L - 1) has the places of its two branches in this order, in the middle of what they hold, the
    heights (1 - cosine, the mean over pairs) at which these were merged, 0 for a loss, and its own height.
    """

    order: tuple[int, ...]
    cosines: np.ndarray
    merges: tuple[tuple[float, float, float, float, float], ...]


def likeness(gradients: Sequence[np.ndarray]) -> Likeness:
    """The likeness of gradients (N, d) of L losses on the same points, merged by average linkage.

    A loss without a gradient is as far from every other as a perpendicular one.
    """
    rows = np.stack([gradient.ravel() for gradient in gradients])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    cosines = np.clip(unit @ unit.T, -1, 1)
    apart = 1 - cosines
    np.fill_diagonal(apart, 0)
    order, merges = _merged(apart)
    known = lengths[:, 0] > 0
    cosines[~known] = np.nan
    cosines[:, ~known] = np.nan
    return Likeness(order, cosines[np.ix_(order, order)], merges)


def _merged(apart: np.ndarray) -> tuple[tuple[int, ...], tuple[tuple[float, float, float, float, float], ...]]:
    """The order of the leaves of the tree, and its merges."""
    many = len(apart)
    if many < 2:
        return tuple(range(many)), ()
    tree = AgglomerativeClustering(
        n_clusters=1, metric="precomputed", linkage="average", compute_full_tree=True, compute_distances=True
    ).fit(apart)
    members: dict[int, list[int]] = {leaf: [leaf] for leaf in range(many)}
    for k, (a, b) in enumerate(tree.children_.tolist()):
        first, second = members[a], members[b]
        # Of two ways round, the one in which the neighbours at the seam are alike.
        if apart[first[0], second[0]] < apart[first[-1], second[0]]:
            first = first[::-1]
        if apart[first[-1], second[-1]] < apart[first[-1], second[0]]:
            second = second[::-1]
        members[many + k] = first + second
    order = members[many + len(tree.children_) - 1]
    place: dict[int, tuple[float, float]] = {leaf: (float(at), 0.0) for at, leaf in enumerate(order)}
    merges = []
    for k, ((a, b), height) in enumerate(zip(tree.children_.tolist(), tree.distances_.tolist(), strict=True)):
        (at_a, up_a), (at_b, up_b) = place[a], place[b]
        merges.append((at_a, at_b, up_a, up_b, height))
        place[many + k] = ((at_a + at_b) / 2, height)
    return tuple(order), tuple(merges)
