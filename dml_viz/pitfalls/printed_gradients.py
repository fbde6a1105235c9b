"""The gradients printed for a triplet and for an angular triplet are right, as long as the hinge is active."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses import Loss
from dml_viz.losses.angular import Angular
from dml_viz.losses.triplet import Triplet
from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import example

MARGIN = 0.2
ALPHA = 36.0
LABELS = torch.tensor([0, 0, 1])  # of anchor, positive and negative
OTHER = [1, 0, 2]  # the order in which the positive is the anchor


def printed_triplet(a: Tensor, p: Tensor, n: Tensor) -> Tensor:
    """The three gradients (3, d) of one triplet, as printed."""
    return torch.stack((2 * (n - p), 2 * (p - a), 2 * (a - n)))


def printed_angular(a: Tensor, p: Tensor, n: Tensor) -> Tensor:
    """The three gradients (3, d) of one angular triplet, as printed."""
    t = math.tan(math.radians(ALPHA)) ** 2
    spread = a + p - 2 * n
    return torch.stack((2 * (a - p) - 2 * t * spread, 2 * (p - a) - 2 * t * spread, 4 * t * spread))


@dataclass(frozen=True)
class PrintedGradients(Erratum):
    """Error and sum of the printed gradients on an active triplet, and what they give on one that is satisfied."""

    title = "Triplet and angular loss: the printed gradients"
    losses = ("triplet", "angular")
    circulates = "The notes print the gradients at anchor, positive and negative without a condition."
    text = (
        "Signs and coefficients are correct: they differ from the losses' own by at most {triplet_error:.1g} (triplet) "
        "and {angular_error:.1g} (angular), and each three add up to zero (to {sum:.1g}). But they hold only while the "
        "hinge is active. On a triplet that is satisfied the printed ones still have lengths {triplet_idle:.2f} and "
        "{angular_idle:.2f}, where the loss has {true_idle:.0f}."
    )

    def measure(self) -> dict[str, float]:
        active, _ = example(3, 5, 1)
        satisfied = normalise(active[[0, 0, 0]] * torch.tensor([[1.0], [1.0], [-1.0]]) + 0.1 * active)
        triplet, angular = Triplet(mining="all", margin=MARGIN), Angular(form="hinge", alpha=ALPHA)
        # In a batch of three the positive is an anchor too, and the triplet loss is the mean over both of its triplets.
        both = (printed_triplet(*active) + printed_triplet(*active[OTHER])[OTHER]) / 2
        printed = {"triplet": (triplet, both), "angular": (angular, printed_angular(*active))}
        return {
            **{f"{name}_error": _error(loss, active, rows) for name, (loss, rows) in printed.items()},
            "sum": max(float(rows.sum(0).abs().max()) for _, rows in printed.values()),
            "triplet_idle": float(printed_triplet(*satisfied).norm()),
            "angular_idle": float(printed_angular(*satisfied).norm()),
            "true_idle": float(sum(loss.gradient(satisfied, LABELS).norm() for loss in (triplet, angular))),
        }


def _error(loss: Loss, rows: Tensor, printed: Tensor) -> float:
    """How far the tangent part of printed gradients (3, d) is off the loss's own, in the coordinate that is worst."""
    return float((tangent(printed, rows) - loss.gradient(rows, LABELS)).abs().max())
