"""How the coordinates of rows vary: the signal of a row, and the noise between two."""

from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, RESOLUTION, wide


class Spread(NamedTuple):
    """Rows less their means (N, d), their squared norms (N,), 1 for what is no anchor, the anchors (N,), and d_S (N, N)."""

    rows: Tensor
    squares: Tensor
    anchors: Tensor
    d: Tensor


def spread_of(z: Tensor) -> Spread:
    """How the coordinates of each of the rows z (N, d) vary, and how the differences of any two do."""
    rows = widened(z)
    lost = RESOLUTION * torch.finfo(z.dtype).eps * rows.square().sum(1)
    rows = rows - rows.mean(1, keepdim=True)
    squares = rows.square().sum(1)
    anchors = squares > lost
    sums = squares[:, None] + squares
    apart = torch.addmm(sums, rows, rows.T, alpha=-2)
    # Two rows that are the same are at distance 0, not at what is left of their squares.
    apart = torch.where(apart > RESOLUTION * torch.finfo(rows.dtype).eps * sums, apart, 0)
    squares = torch.where(anchors, squares, 1)
    return Spread(rows, squares, anchors, apart / squares[:, None])


def widened(z: Tensor) -> Tensor:
    """Rows in float64 in few dimensions, where rows get near and variances small."""
    return wide(z) if z.shape[1] <= DIFFERENCES_UP_TO else z
