"""The smallest batch that has a positive and a negative pair, as a function of their two similarities."""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import fresh_learnt
from dml_viz.losses import Loss, Pairs

LABELS = ((0, 0, 1), (0, 0, 1, 1))
SINGULAR = -1e-9  # an eigenvalue below it is negative, and not a rounding error of 0


class PairGradients(NamedTuple):
    """The value, and the gradient that training uses: dL/ds_p and dL/ds_n. All are NaN where no rows have the similarities."""

    value: float
    positive: float
    negative: float

    @property
    def has_gradient(self) -> bool:
        """Whether dL/ds_p or dL/ds_n is other than 0; False where no rows have the similarities."""
        return abs(self.positive) > 0 or abs(self.negative) > 0


NOWHERE = PairGradients(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class SmallBatch:
    """A batch whose positive pairs have similarity s_p and whose negative pairs have s_n: three points, or two classes of two.

    A loss of unit rows is computed from pairs, at any two similarities. A loss of raw rows is computed from unit rows with these
    similarities, if such rows exist; the coordinates of each row have mean 0, so that losses of coordinates have no offset.
    """

    loss: Loss
    labels: tuple[int, ...]

    @property
    def is_computed_from_pairs(self) -> bool:
        """Whether the loss is computed from similarities of pairs alone, so that no rows need be made."""
        return self.loss.unit

    def largest_s_n(self, s_p: np.ndarray) -> np.ndarray:
        """The largest |s_n| (K,) that unit rows can have at s_p (K,): up to it the matrix of similarities is semidefinite."""
        half = (1 + s_p) / 2
        return np.asarray(np.sqrt(half) if len(self.labels) == 3 else half)

    def gradients(self, s_p: float, s_n: float) -> PairGradients:
        """Value and gradient at two similarities in [-1, 1]."""
        y, same_class, other = _labelled(self.labels)
        s = torch.full(same_class.shape, s_n, dtype=torch.float64).masked_fill_(same_class, s_p).fill_diagonal_(1)
        with torch.no_grad():
            value_and_weights = (
                self.loss.value_and_weights(self._pairs.at(2 - 2 * s)) if self.is_computed_from_pairs else self._of_rows(s, y)
            )
        if value_and_weights is None:
            return NOWHERE
        value, weights = value_and_weights
        return PairGradients(float(value), float(weights[same_class].sum()), float(weights[other].sum()))

    @cached_property
    def _pairs(self) -> Pairs:
        """The pairs of the batch, whose similarities are set by `Pairs.at`."""
        n, y = len(self.labels), _labelled(self.labels)[0]
        return self.loss.pairs(torch.eye(n, dtype=torch.float64), y, fresh_learnt(self.loss, n, n))

    def _of_rows(self, s: Tensor, y: Tensor) -> tuple[Tensor, Tensor] | None:
        sizes, directions = torch.linalg.eigh(s)
        if sizes[0] < SINGULAR:
            return None
        rows = (directions * sizes.clamp(min=0).sqrt()) @ _of_mean_zero(len(y))
        weights = self.loss.weights(rows, y).pair
        assert weights is not None  # the losses of raw rows that come here have pair weights
        return self.loss.gradients(rows, y).value, weights


@cache
def _of_mean_zero(n: int) -> Tensor:
    """Orthonormal rows (n, n + 1), each of mean 0."""
    fill = torch.eye(n + 1, dtype=torch.float64)
    fill[:, 0] = 1
    return torch.linalg.qr(fill).Q[:, 1:].T


@cache
def _labelled(labels: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    """Labels (n,), and masks (n, n) of the positive and of the negative pairs."""
    y = torch.tensor(labels)
    same = y[:, None] == y
    return y, same.clone().fill_diagonal_(False), ~same
