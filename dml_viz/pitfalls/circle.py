"""A pitfall of circle loss: its value is least where its gradient still pushes."""

import math

import torch
from torch import Tensor

from dml_viz.losses.circle import Circle
from dml_viz.pitfalls._base import Numbers, pitfall

POSITIVE = 0.75


def two_and_one(negative: float) -> tuple[Tensor, Tensor]:
    """Two points of a class, `POSITIVE` similar, and a third equally similar to both; rows (3, 3) and labels (3,)."""
    half = math.acos(POSITIVE) / 2
    along = negative / math.cos(half)
    z = [[math.cos(half), sign * math.sin(half), 0.0] for sign in (1, -1)]
    rows = [*z, [along, 0.0, math.sqrt(1 - along**2)]]
    return torch.tensor(rows, dtype=torch.float64), torch.tensor([0, 0, 1])


@pitfall(
    "The groove in circle loss",
    claim="In notes in circulation, the value of circle loss is least for negatives at a right angle. They call this groove "
    "the ideal region, and leave the gradient open.",
    text="The gradient does not stop in the groove. At m = {m:.2f}, γ = {gamma:.0f} and positives at {positive:.2f}, negatives "
    "at a similarity of {margin:.2f} have a loss of {at_margin:.3f}. It is least at {lowest:.0f} with {at_lowest:.4f}, then "
    "{at_further:.3f} at {further:.2f} and {at_optimum:.3f} at {optimum:.2f}. The gradient holds the factors α constant, so it "
    "still pushes, by {push_lowest:.2g} at {lowest:.0f} and {push_beyond:.2g} at {further:.2f}, and raises the printed loss. "
    "From −m down the weight is {push_ended:.0f}, and no negative is pulled (least weight {least:.0f}).",
)
def push_beyond_lowest_value() -> Numbers:
    """The value and the weight of the negative pair as its similarity grows."""
    loss = Circle(margin=0.25, gamma=80.0)
    every = [s / 100 for s in range(-90, 91, 5)]

    def value(negative: float) -> float:
        return float(loss.value(*two_and_one(negative)))

    places = {"margin": loss.margin, "lowest": min(every, key=value), "further": -0.2, "optimum": -loss.margin}
    pushes = {s: _push(loss, s) for s in every}
    return places | {
        "m": loss.margin,
        "gamma": loss.gamma,
        "positive": POSITIVE,
        **{f"at_{name}": value(place) for name, place in places.items()},
        "push_lowest": _push(loss, places["lowest"]),
        "push_beyond": _push(loss, -0.2),
        "push_ended": max(push for s, push in pushes.items() if s <= -loss.margin),
        "least": min(pushes.values()),
    }


def _push(loss: Circle, negative: float) -> float:
    """The weight dL/ds of a negative at that similarity, which pushes where it is positive."""
    pair = loss.weights(*two_and_one(negative)).pair
    assert pair is not None
    return float(pair[0, 2])
