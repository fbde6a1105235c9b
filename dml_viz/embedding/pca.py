"""The plane in which an embedding of more than three dimensions is drawn: the one of its two largest variances."""

import math

from torch import Tensor, linalg

DRAWN_UP_TO = 3


def main_plane(z: Tensor) -> Tensor:
    """The plane (d, 2) through the origin that shows most of the variance of z (W, d): its two principal axes.

    Each axis has its largest entry positive, so that equal points give an equal plane and not its mirror image.
    """
    points = z.double() - z.double().mean(0)
    if z.shape[1] <= len(z):
        axes = linalg.eigh(points.T @ points).eigenvectors[:, -2:].flip(1)  # (d, 2)
    else:
        axes = linalg.svd(points, full_matrices=False).Vh[:2].T
    largest = axes.gather(0, axes.abs().argmax(0, keepdim=True))
    return (axes * largest.sign()).to(z.dtype)


def share_shown(z: Tensor, plane: Tensor) -> float:
    """The share of the variance of z (W, d) that the plane (d, 2) shows, in [0, 1]; NaN where there is none."""
    spread = z - z.mean(0)
    total = float(spread.square().sum())
    return float((spread @ plane).square().sum()) / total if total else math.nan
