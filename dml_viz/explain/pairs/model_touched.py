"""What a loss asks of every pair of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.pairs.model_family import learnt_of
from dml_viz.losses import Loss

FELT = 1e-3  # of the largest weight: a pair with less is not counted as touched


@dataclass(frozen=True, eq=False)
class Touched:
    """The loss's value, and of all K = N (N - 1) / 2 pairs i < j ``ends`` (K, 2), s, weight and whether positive (K,).

    ``weight`` is dL/ds of the pair, both of its orders together: negative where it is pulled together. For a loss of raw rows
    s is that of the rows it is made of; ``of_rows`` tells whether these are the points themselves.
    """

    value: float
    ends: np.ndarray
    s: np.ndarray
    weight: np.ndarray
    positive: np.ndarray
    of_rows: bool = True

    @property
    def largest(self) -> float:
        """The largest weight without its sign; 0 where no pair has one."""
        return float(np.abs(self.weight).max(initial=0))

    @property
    def felt(self) -> np.ndarray:
        """Which pairs (K,) weigh more than `FELT` of the largest."""
        return np.asarray(np.abs(self.weight) > FELT * self.largest)

    def count(self, positive: bool) -> tuple[int, int]:
        """How many pairs of a kind are touched, and how many there are."""
        of = self.positive == positive
        return int((self.felt & of).sum()), int(of.sum())

    def table(self, n: int) -> np.ndarray:
        """The weights as a symmetric table (n, n)."""
        table = np.zeros((n, n))
        table[self.ends[:, 0], self.ends[:, 1]] = self.weight
        return table + table.T


def touched(loss: Loss, subject: Embeddings) -> Touched:
    """The pairs of ``subject``'s rows under ``loss``; what it learns is the subject's, or else as it starts."""
    z, y = subject.z, subject.y
    learnt = learnt_of(loss, subject)
    found = loss.weights(z, y, **learnt)
    rows = z if found.rows is None else found.rows
    weights = torch.zeros(len(z), len(z), dtype=z.dtype) if found.pair is None else found.pair
    ends = torch.triu_indices(len(z), len(z), 1)
    i, j = ends
    return Touched(
        value=float(loss.gradients(z, y, **learnt).value),
        ends=ends.T.numpy(),
        s=(rows @ rows.T)[i, j].numpy(),
        weight=(weights[i, j] + weights[j, i]).detach().numpy(),
        positive=(y[i] == y[j]).numpy(),
        of_rows=found.rows is None,
    )
