"""A class that costs Ranked List nothing fits a sphere of diameter alpha - m, not of that radius."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls._base import Erratum

POINTS = 9


@dataclass(frozen=True)
class RankedListDiameter(Erratum):
    """The loss of one class spread over an arc of radius alpha - m, and over one of that diameter."""

    title = "Ranked List: radius or diameter"
    losses = ("ranked_list",)
    circulates = "The notes draw each class into a hypersphere of radius α − m."
    text = (
        "The diameter is meant, as on the authors' poster: every two points of a class are to be within $\\alpha - m = "
        "{bound:.1f}$ of each other. {points:.0f} points of one class on an arc that reaches {bound:.1f} to either "
        "side of its middle lie up to {apart:.2f} apart and cost {as_radius:.3f}; on an arc {bound:.1f} from end to "
        "end they cost {as_diameter:.0f}."
    )

    def measure(self) -> dict[str, float]:
        loss = RankedList()
        bound = loss.alpha - loss.margin
        half = 2 * math.asin(bound / 2)  # the angle of a chord of that length
        wide, narrow = _arc(2 * half), _arc(half)
        y = torch.zeros(POINTS, dtype=torch.int64)
        return {
            "bound": bound, "points": POINTS, "apart": float((wide[0] - wide[-1]).norm()),
            "as_radius": float(loss.value(wide, y)), "as_diameter": float(loss.value(narrow, y)),
        }  # fmt: skip


def _arc(angle: float) -> torch.Tensor:
    """Unit rows (POINTS, 2) evenly over an arc of that angle."""
    # Just short of it: its ends would otherwise be beyond the bound by a rounding error.
    angles = torch.linspace(0, (1 - 1e-12) * angle, POINTS, dtype=torch.float64)
    return torch.stack((angles.cos(), angles.sin()), 1)
