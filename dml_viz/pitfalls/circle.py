"""The groove in circle loss is in its value; the gradient that trains runs through it, down to -m."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.losses.circle import Circle
from dml_viz.pitfalls._base import Erratum

POSITIVE = 0.75


def two_and_one(negative: float) -> tuple[Tensor, Tensor]:
    """Two points of a class, ``POSITIVE`` similar, and a third equally similar to both; rows (3, 3) and labels (3,)."""
    half = math.acos(POSITIVE) / 2
    along = negative / math.cos(half)
    z = [[math.cos(half), sign * math.sin(half), 0.0] for sign in (1, -1)]
    rows = [*z, [along, 0.0, math.sqrt(1 - along**2)]]
    return torch.tensor(rows, dtype=torch.float64), torch.tensor([0, 0, 1])


@dataclass(frozen=True)
class CircleGroove(Erratum):
    """The value and the pair weight of a negative from one similarity to the next."""

    title = "The groove in circle loss"
    losses = ("circle",)
    circulates = (
        "A note on Proxy-Anchor holds against circle loss that its surface has a groove, in which points would come to "
        "rest."
    )
    text = (
        "The groove is in the value, not in the gradient. With m = {m:.2f}, γ = {gamma:.0f} and positives at "
        "{positive:.2f} the loss is {at_margin:.3f} for negatives at a similarity of {margin:.2f}, {at_zero:.4f} at "
        "{zero:.0f}, then {beyond:.3f} at {further:.2f} and {at_optimum:.3f} at {optimum:.2f}. The weights are held "
        "constant, so the gradient pushes on through the groove, with {push_zero:.2g} at {zero:.0f} and {push_beyond:.2g} "
        "at {further:.2f}, and descent walks up the printed loss; from −m down the weight is {push_ended:.0f}. Nowhere "
        "does a negative attract (least weight {least:.0f})."
    )

    def measure(self) -> dict[str, float]:
        loss = Circle(margin=0.25, gamma=80.0)
        places = {"margin": loss.margin, "zero": 0.0, "further": -0.2, "optimum": -loss.margin}
        value = {name: float(loss.value(*two_and_one(s))) for name, s in places.items()}
        pushes = {s: _push(loss, s / 100) for s in range(-90, 91, 5)}
        ended = max(push for s, push in pushes.items() if s / 100 <= -loss.margin)
        return places | {
            "m": loss.margin, "gamma": loss.gamma, "positive": POSITIVE, "at_margin": value["margin"], "at_zero": value["zero"],
            "beyond": value["further"], "at_optimum": value["optimum"], "push_zero": _push(loss, 0.0),
            "push_beyond": _push(loss, -0.2), "push_ended": ended, "least": min(pushes.values()),
        }  # fmt: skip


def _push(loss: Circle, negative: float) -> float:
    """dL/ds of a negative at that similarity, which pushes where it is positive."""
    pair = loss.weights(*two_and_one(negative)).pair
    assert pair is not None
    return float(pair[0, 2])
