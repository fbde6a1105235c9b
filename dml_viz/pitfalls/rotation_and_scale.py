"""Triplet loss survives a rotation, not a change of scale; angular loss keeps its constraint under both, not its value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example

MARGIN = 0.2
ALPHA = math.radians(45)


@dataclass(frozen=True)
class RotationAndScale(Erratum):
    """Both losses of one batch, turned and stretched."""

    title = "What a rotation and a change of scale do"
    losses = ("triplet", "angular")
    circulates = "“Triplet loss is not rotation invariant”, “angular loss is scale invariant”."
    text = (
        "Triplet loss is {before:.5f} before a random rotation and {turned:.5f} after it: distances survive rotations. "
        "It is the scale that it does not survive, because its margin is fixed: points {longer:.0f} times as far from "
        "the origin cost {stretched:.3f}. Of the angular loss only the constraint is free of scale, with {kept:.0%} of "
        "the triplets on the same side of it at {times:.0f} times the scale; its value grows {angular_times:.2f} "
        "times."
    )

    def measure(self) -> dict[str, float]:
        z, y = example(24, 3, 6)
        turn, _ = torch.linalg.qr(example(3, 3, 1, seed=1)[0])
        loss = Triplet(mining="all", margin=MARGIN)
        longer, times = 2, 3
        (a, p, n), (a_far, p_far, n_far) = _triplets(z, y), _triplets(times * z, y)
        near, far = _angular(a, p, n), _angular(a_far, p_far, n_far)
        a, p, n = _triplets(longer * z, y)
        stretched = ((a - p).square().sum(1) - (a - n).square().sum(1) + MARGIN).relu().mean()
        return {
            "before": float(loss.value(z, y)), "turned": float(loss.value(z @ turn, y)),
            "longer": longer, "stretched": float(stretched),
            "times": times, "kept": float(((near > 0) == (far > 0)).double().mean()),
            "angular_times": float(far.relu().mean() / near.relu().mean()),
        }  # fmt: skip


def _angular(a: Tensor, p: Tensor, n: Tensor) -> Tensor:
    """What angular loss puts into its hinge for triplets (T, d)."""
    return (a - p).square().sum(1) - 4 * math.tan(ALPHA) ** 2 * (n - (a + p) / 2).square().sum(1)


def _triplets(z: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    """Anchors, positives and negatives (T, d) of all triplets of rows z (N, d) of any length."""
    same = y[:, None] == y
    apart = ~torch.eye(len(y), dtype=torch.bool)
    return tuple(z[index] for index in ((same & apart)[:, :, None] & ~same[:, None, :]).nonzero().unbind(1))
