"""The triplets of a batch: which order they are in, which of them a mining leaves, and which have a gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import root, squared_distances
from dml_viz.losses.triplet import Triplet


@dataclass(frozen=True, eq=False)
class Triplets:
    """All triplets of one anchor: its ``positives`` (P,) and ``negatives`` (Q,), and which (P, Q) the mining leaves.

    ``active`` ones of these are above 0. They have a gradient, ``felt``, unless both distances are unsquared and 0: at 0 a
    distance has no direction to grow in.
    """

    positives: np.ndarray
    negatives: np.ndarray
    left: np.ndarray
    active: np.ndarray
    felt: np.ndarray


def distances(loss: Triplet, subject: Embeddings) -> np.ndarray:
    """Distances (N, N) of the kind that ``loss`` compares."""
    d2 = squared_distances(subject.z, subject.z)
    return (d2 if loss.squared else root(d2)).numpy()


def triplets(loss: Triplet, d: np.ndarray, y: np.ndarray, anchor: int) -> Triplets:
    """The triplets of ``anchor`` by distances d (N, N) of the loss's kind and labels y (N,)."""
    same = y == y[anchor]
    positives = np.flatnonzero(same & (np.arange(len(y)) != anchor))
    negatives = np.flatnonzero(~same)
    near, far = d[anchor, negatives], d[anchor, positives][:, None]
    violation = far - near + loss.margin
    left = np.ones(violation.shape, bool)
    if loss.mining == "semi-hard":
        left = (far < near) & (near < far + loss.margin)
    elif loss.mining == "batch-hard" and left.size:
        left = np.zeros(violation.shape, bool)
        # Of equal ones the first, as the loss takes it.
        left[far[:, 0].argmax(), near.argmin()] = True
    active = left & (violation > 0)
    return Triplets(positives, negatives, left, active, active & (loss.squared | (near > 0) | (far > 0)))


@dataclass(frozen=True)
class Tally:
    """Of all triplets of a batch, by how the negative stands to the positive, and what a mining leaves of them.

    ``wrong``: the negative is nearer, or as near. ``within``: farther by less than the margin. ``beyond``: farther by it or
    more. ``left``, ``active`` and ``felt`` count what the mining leaves, what of it is above 0, and what has a gradient.
    """

    wrong: int
    within: int
    beyond: int
    left: int
    active: int
    felt: int

    @property
    def all(self) -> int:
        """How many triplets the batch has."""
        return self.wrong + self.within + self.beyond


def tally(loss: Triplet, subject: Embeddings) -> Tally:
    """The triplets of all anchors, one anchor at a time."""
    d, y = distances(loss, subject), subject.y.numpy()
    counts = np.zeros(6, int)
    for anchor in range(len(y)):
        of = triplets(loss, d, y, anchor)
        ahead = d[anchor, of.negatives] - d[anchor, of.positives][:, None]
        # The loss's own comparison, which rounding may set apart from that of the difference.
        open_ = d[anchor, of.positives][:, None] - d[anchor, of.negatives] + loss.margin > 0
        kinds = (ahead <= 0, (ahead > 0) & open_, (ahead > 0) & ~open_)
        counts += [*(kind.sum() for kind in kinds), of.left.sum(), of.active.sum(), of.felt.sum()]
    return Tally(*counts.tolist())


def in_all(y: np.ndarray) -> int:
    """How many triplets labels y (N,) have: for every anchor, its positives times its negatives."""
    _, sizes = np.unique(y, return_counts=True)
    return int((sizes * (sizes - 1) * (len(y) - sizes)).sum())


def touched_either(weights: np.ndarray, y: np.ndarray, felt: float) -> int:
    """How many triplets have a positive or a negative pair that weighs more than ``felt``, by a table of weights (N, N)."""
    idle, same = np.abs(weights) <= felt, y[:, None] == y
    positive = same & ~np.eye(len(y), dtype=bool)
    return in_all(y) - int(((idle & positive).sum(1) * (idle & ~same).sum(1)).sum())
