"""The hand-written backward of FastAP in circulation is M/2 times the gradient, whatever follows the loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.sphere import squared_distances
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example
from dml_viz.pitfalls._circulating_fastap import circulating_gradient

BINS = 10
PER_CLASS = 4


class CirculatingFastAP(torch.autograd.Function):
    """FastAP's value with the backward in circulation, which does not look at what comes back to it."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, y: Tensor) -> Tensor:
        gradient = circulating_gradient(z.numpy(), squared_distances(z, z).numpy(), y.numpy(), BINS)
        ctx.save_for_backward(torch.from_numpy(gradient))
        return FastAP(bins=BINS).value(z, y)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None]:
        (gradient,) = ctx.saved_tensors
        return gradient, None


@dataclass(frozen=True)
class FastAPBackward(Erratum):
    """Length and direction of the circulating gradient for three sizes of batch, and of five times the loss."""

    title = "FastAP's hand-written backward is too long"
    losses = ("fastap",)
    circulates = (
        "Notes and the official repository come with a hand-written backward that leaves out the 2 of the squared "
        "distance and the 1/M of the mean over M queries, and ignores the gradient that comes back to the loss."
    )
    text = (
        "The direction is right (cosine {cosine:.6f}), but the length is {few_times:.4f}, {more_times:.4f} and "
        "{many_times:.4f} times the gradient's for batches of {few:.0f}, {more:.0f} and {many:.0f}: half the number of "
        "queries. Where the loss is multiplied by {factor:.0f}, the gradient stays as it was (ratio {factor_felt:.3f}). "
        "Adam hides such factors; SGD, clipping and a sum with another loss do not."
    )

    def measure(self) -> dict[str, float]:
        numbers: dict[str, float] = {}
        cosines = []
        for name, n in (("few", 8), ("more", 32), ("many", 128)):
            z, y = example(n, 16, n // PER_CLASS)
            times, cosine = ratio_and_cosine(_circulating(z, y, 1), FastAP(bins=BINS).gradient(z, y))
            numbers |= {name: n, f"{name}_times": times}
            cosines.append(cosine)
        factor = 5
        felt, _ = ratio_and_cosine(_circulating(z, y, factor), _circulating(z, y, 1))
        return numbers | {"cosine": min(cosines), "factor": factor, "factor_felt": felt}


def _circulating(z: Tensor, y: Tensor, factor: float) -> Tensor:
    leaf = z.clone().requires_grad_()
    loss = factor * CirculatingFastAP.apply(leaf, y)
    return torch.autograd.grad(loss, leaf)[0]
