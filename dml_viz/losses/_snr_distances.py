"""The SNR distances of rows: the variance of a difference's coordinates (noise) over that of the anchor's (signal)."""

from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, RESOLUTION, wide


class SNRDistances(NamedTuple):
    """``rows`` (N, d) less means, their squared norms (N,), 1 where no anchor, the mask ``anchors`` (N,), and d_S (N, N)."""

    rows: Tensor
    squares: Tensor
    anchors: Tensor
    d: Tensor


def snr_distances(z: Tensor) -> SNRDistances:
    """The SNR distances between any two of the rows z (N, d), and what their gradient needs."""
    rows = float64_in_few_dimensions(z)
    lost = RESOLUTION * torch.finfo(z.dtype).eps * rows.square().sum(1)
    rows = rows - rows.mean(1, keepdim=True)
    squares = rows.square().sum(1)
    anchors = squares > lost
    sums = squares[:, None] + squares
    apart = torch.addmm(sums, rows, rows.T, alpha=-2)
    # Two equal rows are at distance 0, not at the rounding error of their squares.
    apart = torch.where(apart > RESOLUTION * torch.finfo(rows.dtype).eps * sums, apart, 0)
    squares = torch.where(anchors, squares, 1)
    return SNRDistances(rows, squares, anchors, apart / squares[:, None])


def float64_in_few_dimensions(z: Tensor) -> Tensor:
    """The rows z (N, d), in float64 if they have few dimensions: there points get near and variances small."""
    return wide(z) if z.shape[1] <= DIFFERENCES_UP_TO else z
