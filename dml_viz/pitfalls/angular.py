"""The angular loss on unsquared distances draws its boundary at another angle than the one it is given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from dml_viz.pitfalls._base import Erratum
from dml_viz.pitfalls._batches import directions

TRIPLETS = 5000
DIMENSIONS = 8


def unsquared_violation(a: Tensor, p: Tensor, n: Tensor, alpha: float) -> Tensor:
    """What the circulating code puts into its hinge, for triplets (..., d): plain norms with the factor of squared ones."""
    centre = (a + p) / 2
    return (a - p).norm(dim=-1) - 4 * math.tan(alpha) ** 2 * (n - centre).norm(dim=-1)


def squared_violation(a: Tensor, p: Tensor, n: Tensor, alpha: float) -> Tensor:
    """What the paper puts there."""
    centre = (a + p) / 2
    return (a - p).square().sum(-1) - 4 * math.tan(alpha) ** 2 * (n - centre).square().sum(-1)


@dataclass(frozen=True)
class AngularUnsquared(Erratum):
    """Where the code's hinge turns on for three nominal angles, and how many triplets each form finds active."""

    title = "Angular loss: an angle of 45° that acts at another"
    losses = ("angular",)
    circulates = (
        "The notes' class takes plain norms where the formula squares them, keeping $4\\tan^2\\alpha$; it also hands a "
        "plain number to torch.tan, which stops it at once."
    )
    text = (
        "With plain norms the angle at the negative is bounded not by $\\alpha$ but by $\\tan n' = 2\\tan^2\\alpha$: "
        "{first:.0f}° acts at {first_acts:.1f}°, {second:.0f}° at {second_acts:.1f}°, {third:.0f}° at "
        "{third_acts:.1f}°; the two agree at {equal:.2f}° alone. Of random triplets of unit vectors in "
        "{dimensions:.0f} dimensions the formula finds {first_formula:.1%} active at {first:.0f}° and "
        "{third_formula:.0%} at {third:.0f}°, the code {first_code:.0%} and {third_code:.1%}: it hardly ever trains."
    )
    misled = (
        "Random triplets are farther from any boundary the more dimensions there are; on the circle many more are "
        "active."
    )

    def measure(self) -> dict[str, float]:
        a, p, n = directions(3 * TRIPLETS, DIMENSIONS).chunk(3)
        numbers: dict[str, float] = {"dimensions": DIMENSIONS, "equal": math.degrees(_acts_as_given())}
        for name, degrees in (("first", 45), ("second", 40), ("third", 36)):
            alpha = math.radians(degrees)
            numbers |= {name: degrees, f"{name}_acts": math.degrees(_acts_at(alpha))}
            if name != "second":
                numbers[f"{name}_formula"] = _share(squared_violation(a, p, n, alpha))
                numbers[f"{name}_code"] = _share(unsquared_violation(a, p, n, alpha))
        return numbers


def _share(violation: Tensor) -> float:
    return float((violation > 0).double().mean())


def _acts_at(alpha: float) -> float:
    """The angle at the negative from which on the code's hinge is active, the negative straight above the pair's centre."""
    a, p = torch.tensor([[-1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)

    def active(angle: float) -> bool:
        return bool(unsquared_violation(a, p, torch.tensor([0.0, 1 / math.tan(angle)], dtype=torch.float64), alpha) > 0)

    return _turns(active)


def _acts_as_given() -> float:
    """The angle that acts as given: above it the code's boundary is beyond."""
    return _turns(lambda alpha: _acts_at(alpha) > alpha)


def _turns(holds: Callable[[float], bool]) -> float:
    """Where between a hundredth and a right angle a condition begins to hold, by bisection."""
    low, high = 0.01, math.pi / 2
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
