"""FastAP's published code computes in float32 whatever it is given, and divides by the number of queries even if it is 0."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Pairs
from dml_viz.losses.fastap import FastAP
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example

STEP = 1e-6  # of a finite difference, torch's own choice for a gradient check


@dataclass(frozen=True)
class FastAPToday(Erratum):
    """A finite difference in float32 and in float64, and a batch in which no query has a positive."""

    title = "FastAP's published code, run today"
    losses = ("fastap",)
    circulates = (
        "The circulating code turns every input into float32, divides by the number of queries with a positive, and "
        "fills by a mask of bytes, which today's PyTorch refuses."
    )
    text = (
        "A finite difference of the loss, which should agree with its gradient, is off by {single:.0%} when float64 "
        "points are turned into float32, and by {double:.0e} of it when they are not, so a gradient check refuses the "
        "former. In a batch of {strangers:.0f} points, each alone in its class, {queries:.0f} queries have a positive: "
        "the mean over them is {queries:.0f}/{queries:.0f}, which is NaN. Here that loss is {value:.0f}, with a "
        "gradient of {gradient:.0f}."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(16, 8, 4)
        direction = FastAP().gradient(z, y)
        slope = float((direction * direction).sum())
        single, double = (
            abs(_difference(z, y, direction, dtype) / slope - 1) for dtype in (torch.float32, torch.float64)
        )
        strangers, alone = example(6, 3, 6)
        found = FastAP().gradients(strangers, alone)
        queries = Pairs(strangers, alone).positive.any(1).sum()
        return {
            "single": single, "double": double, "strangers": len(alone), "queries": float(queries),
            "value": float(found.value), "gradient": float(found.z.norm()),
        }  # fmt: skip


def _difference(z: Tensor, y: Tensor, direction: Tensor, dtype: torch.dtype) -> float:
    """The central difference of the loss along a direction, its points turned into ``dtype`` first."""
    ahead, behind = (float(FastAP().value(normalise(z + sign * STEP * direction).to(dtype), y)) for sign in (1, -1))
    return (ahead - behind) / (2 * STEP)
