"""Unit vectors: distances that stay accurate, tangents, gradients from pair weights, and how two gradients compare."""

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.ranking import DIFFERENCES_UP_TO as DIFFERENCES_UP_TO

# The least 2 - 2s that is not rounded to 0, in units of the last place of 1: below it, the direction of two points is noise.
RESOLUTION = 8
SHORTEST = 1e-12  # length below which a row is not divided by its own length; torch's bound
FEW = 2**13  # pairs up to which fewer operations matter more than smaller tables
LARGEST_D2 = 4.0  # of a squared distance between unit vectors


def squared_chords(a: Tensor, b: Tensor) -> Tensor:
    """Squared distances (N, M) between unit rows ``a`` (N, d) and ``b`` (M, d), in [0, 4]; differentiable.

    Above three dimensions they are 2 - 2 a·b, which holds for unit rows alone, and are zero below its resolution (1e-3 in
    distance for float32).
    """
    if a.shape[1] <= DIFFERENCES_UP_TO:
        if a.requires_grad or b.requires_grad or len(a) * len(b) <= FEW:
            return differences(a, b).square().sum(0).clamp(max=LARGEST_D2)
        # One coordinate at a time: the same sums, in tables that stay in the processor's cache.
        tables = ((x[:, None] - y).square_() for x, y in zip(a.T.contiguous(), b.T.contiguous(), strict=True))
        d2 = next(tables)
        for table in tables:
            d2.add_(table)
        return d2.clamp_(max=LARGEST_D2)
    smallest = RESOLUTION * torch.finfo(a.dtype).eps
    if not (a.requires_grad or b.requires_grad):
        # Rows times -2, which rounds nothing, are fewer numbers than their products are.
        return torch.threshold_(inner_products(a * -2, b).add_(2), smallest, 0).clamp_(max=LARGEST_D2)
    return torch.nn.functional.threshold(torch.rsub(inner_products(a, b), 2, alpha=2), smallest, 0).clamp(max=LARGEST_D2)


def differences(a: Tensor, b: Tensor) -> Tensor:
    """The differences (d, N, M) between rows ``a`` (N, d) and ``b`` (M, d), coordinate by coordinate."""
    # Contiguous coordinates, which the processor subtracts several at a time.
    return a.T.contiguous()[:, :, None] - b.T.contiguous()[:, None]


def has_float64(device: torch.device) -> bool:
    """Whether tensors on ``device`` can be of float64."""
    return device.type != "mps"


def wide(x: Tensor) -> Tensor:
    """The tensor in float64; copied to the CPU where its device has no float64."""
    return x.double() if has_float64(x.device) else x.cpu().double()


def root(d2: Tensor) -> Tensor:
    """Distances from squared distances, with derivative 0 (not infinity) at distance 0."""
    if not d2.requires_grad:
        return d2.sqrt()
    apart = d2 > 0
    return torch.where(apart, torch.where(apart, d2, 1).sqrt(), 0)


def tangent(g: Tensor, z: Tensor) -> Tensor:
    """The part of ``g`` (N, d) that is tangent to the sphere at unit rows ``z`` (N, d)."""
    return torch.addcmul(g, (g * z).sum(1, keepdim=True), z, value=-1)


def normalise(x: Tensor) -> Tensor:
    """Rows of ``x`` (N, d) on the unit sphere; a row of zeros stays zero."""
    return x / torch.linalg.vector_norm(x, dim=1, keepdim=True).clamp_min(SHORTEST)


def pair_gradient(weights: Tensor, towards: Tensor, at: Tensor, *, both_ends: bool = False) -> Tensor:
    """Gradient (N, d) at unit rows ``at`` (N, d) from weights dL/ds (N, M) on pairs with unit rows ``towards`` (M, d).

    It is ``weights @ towards``. Up to three dimensions the weights multiply the chords between the points instead, as in the
    derivative of `squared_chords`: large opposite weights of near points then do not cancel in the last digits. The tangent
    parts are equal. ``both_ends`` is for pairs of the same rows, whose other end moves as well.
    """
    if at.shape[1] > DIFFERENCES_UP_TO:
        # Copied to a contiguous table first: adding a transposed one takes longer than both.
        return inner_products(
            weights.T.clone(memory_format=torch.contiguous_format).add_(weights) if both_ends else weights, towards.T
        )
    chords = differences(at, towards).mul_(weights)
    return (chords.sum(1) - chords.sum(2) if both_ends else chords.sum(2).neg_()).T.contiguous()


def ratio_and_cosine(g: Tensor | np.ndarray, true: Tensor | np.ndarray) -> tuple[float, float]:
    """How many times longer ``g`` is than ``true``, of equal shapes, and the cosine between them; NaN where either is 0."""
    g, true = torch.as_tensor(g), torch.as_tensor(true)
    long, short = float(g.norm()), float(true.norm())
    if not long or not short:
        return float("nan"), float("nan")
    return long / short, float((g * true).sum()) / (long * short)
