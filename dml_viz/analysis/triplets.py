"""The pairs and triplets of a batch: how many a kind of mining leaves, how many are active, and how both grow with the batch."""

from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.analysis import response_to
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss
from dml_viz.losses.triplet import Triplet

SEED = 0  # draws the order in which points join the batch
SMALLEST = 4  # points
SIZES = 7  # sizes of batches for which pairs and triplets are counted


@dataclass(frozen=True, eq=False)
class Triplets:
    """All triplets of one anchor: its ``positives`` (P,) and ``negatives`` (Q,), and which triplets (P, Q) the mining leaves.

    Of those left, ``active`` (P, Q) have a hinge above 0. Active ones are ``with_gradient`` (P, Q) unless both distances are
    unsquared and 0: a distance of 0 has no direction to grow in.
    """

    positives: np.ndarray
    negatives: np.ndarray
    left: np.ndarray
    active: np.ndarray
    with_gradient: np.ndarray


def compared_distances(loss: Triplet, embeddings: Embeddings) -> np.ndarray:
    """Distances (N, N) of the kind that ``loss`` compares."""
    return (embeddings.d2 if loss.squared else embeddings.d).numpy()


def triplets(loss: Triplet, d: np.ndarray, y: np.ndarray, anchor: int) -> Triplets:
    """The positives and negatives of ``anchor``, and which of their triplets mining leaves, have a loss and have a gradient.

    They are of distances d (N, N) of the kind that ``loss`` compares, and labels y (N,).
    """
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
        # Of equal distances the first counts, as in the loss.
        left[far[:, 0].argmax(), near.argmin()] = True
    active = left & (violation > 0)
    return Triplets(positives, negatives, left, active, active & (loss.squared | (near > 0) | (far > 0)))


@dataclass(frozen=True)
class Tally:
    """Numbers of triplets of a batch, by the position of the negative, and by what mining leaves.

    ``wrong``: the negative is as near as the positive, or nearer. ``within``: it is farther by less than the margin.
    ``beyond``: it is farther by the margin or more. ``left``, ``active`` and ``with_gradient`` as in `Triplets`.
    """

    wrong: int
    within: int
    beyond: int
    left: int
    active: int
    with_gradient: int

    @property
    def all(self) -> int:
        """The number of triplets of the batch."""
        return self.wrong + self.within + self.beyond


def tally_of_batch(loss: Triplet, embeddings: Embeddings) -> Tally:
    """Count the triplets of all anchors, one anchor at a time."""
    d, y = compared_distances(loss, embeddings), embeddings.y.numpy()
    counts = np.zeros(6, int)
    for anchor in range(len(y)):
        around = triplets(loss, d, y, anchor)
        near, far = d[anchor, around.negatives], d[anchor, around.positives][:, None]
        ahead, open_ = near - far > 0, far - near + loss.margin > 0  # open_ as the loss computes it, with its rounding
        kinds = (~ahead, ahead & open_, ahead & ~open_, around.left, around.active, around.with_gradient)
        counts += [kind.sum() for kind in kinds]
    return Tally(*counts.tolist())


def number_of_triplets(y: np.ndarray) -> int:
    """The number of triplets of labels y (N,): for every anchor, its positives times its negatives."""
    _, sizes = np.unique(y, return_counts=True)
    return int((sizes * (sizes - 1) * (len(y) - sizes)).sum())


def number_with_active_pair(weights: np.ndarray, y: np.ndarray, threshold: float) -> int:
    """The number of triplets with a pair that weighs more than ``threshold``, from a table of weights (N, N)."""
    idle, same = np.abs(weights) <= threshold, y[:, None] == y
    positive = same & ~np.eye(len(y), dtype=bool)
    return number_of_triplets(y) - int(((idle & positive).sum(1) * (idle & ~same).sum(1)).sum())


@dataclass(frozen=True)
class PairAndTripletCounts:
    """The numbers of pairs and triplets of a batch of n points, and of the active ones among them.

    A triplet is active where its hinge has a gradient, or, for a loss without triplets, where one of its pairs is active.
    """

    n: int
    pairs: int
    triplets: int
    active_pairs: int
    active_triplets: int


def count_pairs_and_triplets(loss: Loss, embeddings: Embeddings) -> PairAndTripletCounts:
    """Count the pairs and triplets of ``embeddings`` as one batch."""
    n, y = len(embeddings.y), embeddings.y.numpy()
    response = response_to(embeddings, loss)
    if isinstance(loss, Triplet):
        triplets = tally_of_batch(loss, embeddings).with_gradient
    else:
        triplets = number_with_active_pair(response.pair_weight_matrix, y, response.least_weight)
    return PairAndTripletCounts(n, n * (n - 1) // 2, number_of_triplets(y), response.active_pairs[0], triplets)


def counts_by_batch_size(loss: Loss, embeddings: Embeddings) -> list[PairAndTripletCounts]:
    """The counts of random parts of ``embeddings`` of growing size, each with all points of the part before; the last is all."""
    n = len(embeddings.y)
    order = torch.randperm(n, generator=torch.Generator().manual_seed(SEED))
    sizes = np.unique(np.round(np.geomspace(min(SMALLEST, n), n, SIZES)).astype(int)).tolist()
    return [count_pairs_and_triplets(loss, embeddings.part(order[:size].sort().values)) for size in sizes]


def counts_of_balanced_batches(n: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and triplets (K,) of batches of n (K,) points, divided equally among the classes."""
    return n * (n - 1) / 2, n * np.maximum(n / classes - 1, 0) * (n - n / classes)
