"""Proxy-NCA with the sign of its distances turned round trains nearly as well: the proxies move to the antipodes."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import tangent
from dml_viz.losses.proxy_nca import ProxyNCA
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions, example
from dml_viz.pitfalls._training import trial

LENGTH = 3.0  # of points and proxies in the code in circulation
MENDED = ProxyNCA(scale=LENGTH, positive_in_denominator=True)


def distances(z: Tensor, proxies: Tensor) -> Tensor:
    """Squared distances (N, C) of points and proxies of that length, from unit rows."""
    return (LENGTH * z[:, None] - LENGTH * proxies).square().sum(2)


def with_wrong_sign(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The loss as the code first had it: a softmax of the distances, so that the own proxy is to be the farthest."""
    return torch.nn.functional.cross_entropy(distances(z, proxies), y)


def with_right_sign(z: Tensor, y: Tensor, proxies: Tensor) -> Tensor:
    """The loss as it has been mended: a softmax of negative distances."""
    return MENDED.value(z, y, proxies=proxies)


@dataclass(frozen=True)
class ProxySign(Erratum):
    """The identity behind it on random proxies, and digits trained with either sign."""

    title = "Proxy-NCA with the wrong sign"
    losses = ("proxy_nca",)
    circulates = (
        "The widespread PyTorch code of Proxy-NCA first took the softmax of the distances, not of their negatives, and "
        "retrieved as well; it has been mended since."
    )
    text = (
        "The sign error costs little, because proxies are free to sit at the antipodes. On a sphere of radius "
        "{length:.0f} the squared distances to $p$ and to $-p$ add up to {sum:.0f}, so the wrong sign with $p$ is the "
        "right one with $-p$: the gradients differ by {difference:.1g}. Trained on digits, R@1 is {wrong_recall:.3f} "
        "with the wrong sign and {right_recall:.3f} with the right one, {apart:.0f} of {images:.0f} images apart; the "
        "mean cosine of an image to its class's proxy is {wrong_cosine:.2f} against {right_cosine:.2f}."
    )
    misled = (
        "R@1 is of one start of a linear map on a few hundred digits, where a few images decide its second decimal."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 8, 8)
        proxies = directions(8, 8)
        sums = distances(z, proxies) + distances(z, -proxies)
        leaf = z.clone().requires_grad_()
        wrong_gradient, right_gradient = (
            torch.autograd.grad(loss(leaf, y, towards), leaf)[0]
            for loss, towards in ((with_wrong_sign, proxies), (with_right_sign, -proxies))
        )
        wrong, right = trial(with_wrong_sign), trial(with_right_sign)
        return {
            "length": LENGTH, "sum": float(sums.mean()),
            "difference": float(tangent(wrong_gradient - right_gradient, z).abs().max()),
            "wrong_recall": wrong.recall, "right_recall": right.recall,
            "apart": float(abs(int(right.found.sum()) - int(wrong.found.sum()))), "images": len(right.y),
            "wrong_cosine": wrong.own_cosine, "right_cosine": right.own_cosine,
        }  # fmt: skip
