"""Ranked List's total is a mean over queries, and a pair has a gradient of length 1 only where it violates its bound."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.compare import ratio_and_cosine
from dml_viz.embedding.sphere import tangent
from dml_viz.losses import Pairs
from dml_viz.losses.pairwise_margin import PairwiseMargin
from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example


def summed(loss: RankedList, z: Tensor, y: Tensor) -> Tensor:
    """The gradient (N, d) as the notes' total has it: each query's own, not divided by the number of queries."""
    rows = []
    for x, label in zip(z, y, strict=True):
        away = x - z
        d = away.norm(dim=1)
        units = away / torch.where(d > 0, d, 1)[:, None]
        too_far, too_near = (y == label) & (d > loss.alpha - loss.margin), (y != label) & (d < loss.alpha)
        w = torch.exp(loss.temperature * (loss.alpha - d)) * too_near
        pull, push = too_far / too_far.sum().clamp(min=1), w / w.sum().clamp(min=1)
        rows.append((pull - loss.lam * push) @ units)
    return tangent(torch.stack(rows), z)


@dataclass(frozen=True)
class RankedListMean(Erratum):
    """The sum over queries beside the mean, and the printed length 1 of a pair's gradient, pair by pair."""

    title = "Ranked List: sum or mean, and a gradient of length 1"
    losses = ("ranked_list", "pairwise_margin")
    circulates = (
        "Equation 13 has lost the 1/N before its sum over the N queries, and equation 10 gives every pair a gradient "
        "of length 1."
    )
    text = (
        "Without the 1/N the gradient of a batch of {n:.0f} is {times:.2f} times as long, so the learning rate would "
        "hang on the size of the batch. A pair's own gradient has length {length:.3f} only while the pair violates its "
        "bound: {idle:.0%} of the pairs here do not and have none, and two points at one place, where no direction is "
        "left, have {at_zero:.0f} by definition."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(32, 3, 4)
        times, _ = ratio_and_cosine(summed(RankedList(), z, y), RankedList().gradient(z, y))
        lengths = torch.tensor([_length(z[[i, j]], y[[i, j]]) for i in range(len(y)) for j in range(i)])
        return {
            "n": len(y), "times": times, "length": float(lengths[lengths > 0].mean()),
            "idle": float((lengths == 0).double().mean()), "at_zero": _length(z[[0, 0]], y[[0, 1]]),
        }  # fmt: skip


def _length(z: Tensor, y: Tensor) -> float:
    """How long the gradient of one pair (2, d) is at its first point, its radial part included."""
    return float(PairwiseMargin().evaluate(Pairs(z, y), {}).z[0].norm())
