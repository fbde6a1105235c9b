"""The principal directions of an embedding: the plane in which it is drawn, and how many directions it uses."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, linalg

DRAWN_UP_TO = 3
ROUNDING = 1e-28  # of the squares of all numbers: a smaller variance is that of their rounding


def main_plane(z: Tensor) -> Tensor:
    """The plane (d, 2) through the origin that shows most of the variance of z (W, d): its two principal axes.

    The largest entry of each axis is positive, so that equal points give an equal plane and not its mirror image.
    """
    points = z.double() - z.double().mean(0)
    if z.shape[1] <= len(z):
        axes = linalg.eigh(points.T @ points).eigenvectors[:, -2:].flip(1)  # (d, 2)
    else:
        # Far faster than a singular value decomposition.
        axes = linalg.qr(points.T @ linalg.eigh(points @ points.T).eigenvectors[:, -2:].flip(1)).Q
    largest = axes.gather(0, axes.abs().argmax(0, keepdim=True))
    return (axes * largest.sign()).to(z.dtype)


def share_shown(z: Tensor, plane: Tensor) -> float:
    """The share, in [0, 1], of the variance of z (W, d) that the plane (d, 2) shows; NaN without variance."""
    spread = z - z.mean(0)
    total = float(spread.square().sum())
    return float((spread @ plane).square().sum()) / total if total else math.nan


def spectrum(z: NDArray[np.floating[Any]]) -> tuple[NDArray[np.float32], float]:
    """The shares (min(d, W),) of the variance of z (W, d) in its principal directions, and how many directions are in use.

    The number in use is the exponential of the shares' entropy: 1 on a line, d where all shares are equal; NaN without variance.
    """
    spread = z - z.mean(0)
    products = spread.T @ spread if z.shape[1] <= len(z) else spread @ spread.T
    variances = np.linalg.eigvalsh(products)[::-1].clip(0)
    total = float(variances.sum())
    if total <= ROUNDING * float(np.square(z).sum()):
        return np.full(len(variances), np.nan, np.float32), math.nan
    shares = variances / total
    positive = shares[shares > 0]
    return shares.astype(np.float32), float(np.exp(-(positive * np.log(positive)).sum()))
