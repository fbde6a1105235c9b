"""Ranked List's distances are not squared, whatever its first equation seems to say."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dml_viz.losses.ranked_list import RankedList
from dml_viz.pitfalls._base import Erratum


@dataclass(frozen=True)
class RankedListUnsquared(Erratum):
    """The angle from which on a negative is left alone, with the bound on distances and on their squares."""

    title = "Ranked List: distance or squared distance"
    losses = ("ranked_list", "pairwise_margin")
    circulates = (
        "Equation 1 of the notes sets $d_{ij}^2$ equal to a norm without a square; equation 8 and what follows write "
        "distances."
    )
    text = (
        "The distances of this loss are not squared; those of the triplet loss restated beside it are. On distances, "
        "$\\alpha = {alpha:.1f}$ leaves a negative alone from {plain:.1f}° on; read as a bound on squared distances it "
        "would from {squared:.1f}° on."
    )

    def measure(self) -> dict[str, float]:
        alpha = RankedList().alpha
        return {"alpha": alpha, "plain": _angle(alpha), "squared": _angle(math.sqrt(alpha))}


def _angle(distance: float) -> float:
    """The angle in degrees between two unit vectors at that distance."""
    return math.degrees(2 * math.asin(distance / 2))
