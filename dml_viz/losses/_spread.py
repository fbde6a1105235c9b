"""The variances of coordinates: the signal of a row, and the noise between two rows."""

from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, RESOLUTION, wide


class Spread(NamedTuple):
    """``rows`` (N, d) less their means, their squared norms (N,), 1 where no anchor, the ``anchors`` (N,), and d_S (N, N)."""

    rows: Tensor
    squares: Tensor
    anchors: Tensor
    d: Tensor


def spread_of(z: Tensor) -> Spread:
    """The variances of the coordinates of each of the rows z (N, d), and of the differences of any two."""
    rows = wide_in_few_dimensions(z)
    lost = RESOLUTION * torch.finfo(z.dtype).eps * rows.square().sum(1)
    rows = rows - rows.mean(1, keepdim=True)
    squares = rows.square().sum(1)
    anchors = squares > lost
    sums = squares[:, None] + squares
    apart = torch.addmm(sums, rows, rows.T, alpha=-2)
    # Two equal rows are at distance 0, not at the rounding error of their squares.
    apart = torch.where(apart > RESOLUTION * torch.finfo(rows.dtype).eps * sums, apart, 0)
    squares = torch.where(anchors, squares, 1)
    return Spread(rows, squares, anchors, apart / squares[:, None])


def wide_in_few_dimensions(z: Tensor) -> Tensor:
    """The rows z (N, d), in float64 if they have few dimensions: there points get near and variances small."""
    return wide(z) if z.shape[1] <= DIFFERENCES_UP_TO else z
