"""How many pairs and triplets a batch has, and how many of them a loss touches, as the batch grows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.pairs.model_touched import FELT, touched
from dml_viz.explain.pairs.model_triplets import in_all, tally, touched_either
from dml_viz.losses import Loss
from dml_viz.losses.triplet import Triplet

SEED = 0  # of the order in which points join the batch
SMALLEST = 4
SIZES = 7  # of batches that are asked


@dataclass(frozen=True)
class Count:
    """Of a batch of n points: how many pairs and triplets there are, and how many the loss touches.

    A triplet is touched where its hinge has a gradient, or, for a loss without triplets, where one of its pairs is touched.
    """

    n: int
    pairs: int
    triplets: int
    touched_pairs: int
    touched_triplets: int


def count(loss: Loss, subject: Embeddings) -> Count:
    """The counts of ``subject`` as one batch."""
    n, y = len(subject.y), subject.y.numpy()
    found = touched(loss, subject)
    if isinstance(loss, Triplet):
        felt = tally(loss, subject).felt
    else:
        felt = touched_either(found.table(n), y, FELT * found.largest)
    return Count(n, n * (n - 1) // 2, in_all(y), int(found.felt.sum()), felt)


def growth(loss: Loss, subject: Embeddings) -> list[Count]:
    """The counts of smaller batches out of ``subject``, each with the points of the one before, and of it as a whole."""
    n = len(subject.y)
    order = torch.randperm(n, generator=torch.Generator().manual_seed(SEED))
    sizes = np.unique(np.round(np.geomspace(min(SMALLEST, n), n, SIZES)).astype(int)).tolist()
    return [count(loss, _part(subject, order[:size].sort().values)) for size in sizes]


def growth_of_all(n: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs and triplets (K,) of batches of n (K,) points, divided equally among the classes."""
    return n * (n - 1) / 2, n * np.maximum(n / classes - 1, 0) * (n - n / classes)


def _part(subject: Embeddings, rows: torch.Tensor) -> Embeddings:
    return Embeddings(subject.z[rows], subject.y[rows], subject.provenance, subject.learnt)
