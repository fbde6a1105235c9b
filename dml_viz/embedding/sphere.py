"""Unit vectors: distances that stay accurate, tangents, and gradients from pair weights."""

import torch
from torch import Tensor

from dml_viz.embedding.matmul import product

# Up to this dimension trained clusters are so tight that 2 - 2s cancels; differences of coordinates do not, and cost little.
DIFFERENCES_UP_TO = 3
# What 2 - 2s still tells from zero, in units of the last place of 1: for less, the direction between two points is noise.
RESOLUTION = 8
LARGEST = 4.0  # of a squared distance between unit vectors


def squared_distances(a: Tensor, b: Tensor) -> Tensor:
    """Squared distances (N, M) between unit rows ``a`` (N, d) and ``b`` (M, d), in [0, 4]; differentiable.

    Above three dimensions they come from the Gram matrix, and are zero below its resolution (1e-3 in distance for float32).
    """
    if a.shape[1] <= DIFFERENCES_UP_TO:
        # A coordinate with gaps between its values keeps the processor from taking several at once.
        first, *others = (x[:, None] - y for x, y in zip(a.T.contiguous(), b.T.contiguous(), strict=True))
        d2 = first.square()
        for difference in others:
            d2 = torch.addcmul(d2, difference, difference)
        return d2.clamp(max=LARGEST)
    smallest = RESOLUTION * torch.finfo(a.dtype).eps
    return torch.nn.functional.threshold(torch.rsub(product(a, b), 2, alpha=2), smallest, 0).clamp(max=LARGEST)


def root(d2: Tensor) -> Tensor:
    """Distances from squared distances, with derivative 0 (not infinity) at distance 0."""
    apart = d2 > 0
    return torch.where(apart, torch.where(apart, d2, 1).sqrt(), 0)


def tangent(g: Tensor, z: Tensor) -> Tensor:
    """The part of ``g`` (N, d) that is tangent to the sphere at unit rows ``z`` (N, d)."""
    return torch.addcmul(g, (g * z).sum(1, keepdim=True), z, value=-1)


def normalise(x: Tensor) -> Tensor:
    """Rows of ``x`` (N, d) on the unit sphere; a row of zeros stays zero."""
    return torch.nn.functional.normalize(x, dim=1)


def pull(weights: Tensor, towards: Tensor, at: Tensor) -> Tensor:
    """Gradient (N, d) at unit rows ``at`` (N, d) from weights dL/ds (N, M) on pairs with unit rows ``towards`` (M, d).

    It is ``weights @ towards``; up to three dimensions the chords between the points are weighted instead, as the
    derivative of `squared_distances` has it: large opposite weights of near points then do not cancel in the last digits.
    Both have the same tangent part.
    """
    if at.shape[1] > DIFFERENCES_UP_TO:
        return product(weights, towards.T)
    coordinates = zip(towards.T.contiguous(), at.unbind(1), strict=True)
    return torch.stack([(weights * (there - here[:, None])).sum(1) for there, here in coordinates], 1)
