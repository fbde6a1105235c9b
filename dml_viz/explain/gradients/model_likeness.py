"""How alike the gradients of losses are: their cosines, ordered so that similar losses are next to each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.cluster.hierarchy import dendrogram, linkage
from scipy.spatial.distance import squareform


@dataclass(frozen=True, eq=False)
class Likeness:
    """Cosines (L, L) of losses in the order ``order`` (L,), NaN where one has no gradient, and the tree that orders them.

    A row of ``tree_x`` and ``tree_y`` (L - 1, 4) is the bracket of one merge: places in the order, and heights 1 - cosine.
    """

    order: tuple[int, ...]
    cosines: np.ndarray
    tree_x: np.ndarray
    tree_y: np.ndarray


def likeness(gradients: Sequence[np.ndarray]) -> Likeness:
    """The likeness of gradients (N, d) of L losses on the same points, merged by average linkage.

    A loss without a gradient counts as perpendicular to every other.
    """
    rows = np.stack([gradient.ravel() for gradient in gradients])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    cosines = np.clip(unit @ unit.T, -1, 1)
    order, x, y = [0], np.empty((0, 4)), np.empty((0, 4))
    if len(rows) > 1:
        merges = linkage(squareform(1 - cosines, checks=False), "average", optimal_ordering=True)
        tree = dendrogram(merges, no_plot=True)
        order, x, y = tree["leaves"], np.array(tree["icoord"]) / 10 - 0.5, np.array(tree["dcoord"])
    known = lengths[:, 0] > 0
    cosines = np.where(known & known[:, None], cosines, np.nan)
    return Likeness(tuple(order), cosines[np.ix_(order, order)], x, y)
