"""What the pitfalls of the angular loss come to on the triangle of the page."""

from __future__ import annotations

import math

import numpy as np

from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_triplet import slack_at, violation_at

LONGER = 2.0  # times, in the comparison of scales


def here(model: Model) -> dict[str, str]:
    """Sentences on the page's triangle by the name of the pitfall."""
    triangle, t, alpha = model.triangle, model.t, model.settings.angular.alpha
    angle = "undefined" if triangle.point else f"{triangle.angle:.1f}°"
    code = 2 * triangle.radius - 4 * t * triangle.reach
    formula_acts, code_acts = ("active" if violation > 0 else "satisfied" for violation in (model.violation, code))
    hinge, whole, dropped = model.pushed
    negative = triangle.corners[2]
    before, after = (float(slack_at(model.settings.triplet, triangle, negative, scale=k)) for k in (1.0, LONGER))
    small, large = (float(violation_at(model.for_one, triangle, negative, k)) for k in (1.0, LONGER))
    chords = model.of_angular.chords
    return {
        "angular.constant": f"the constant is {2 - 6 * t:.2f} at {alpha:g}°; the share of the full push is {whole:.1%} with it, "
        f"{dropped:.1%} without, and {hinge:.1%} for the hinge",
        "angular.unsquared": f"α = {alpha:g}° would act at {math.degrees(math.atan(2 * t)):.1f}°; n′ is {angle}, the formula "
        f"{formula_acts}, the code {code_acts}",
        "angular.printed_gradients": f"the chords add up to {np.abs(chords.sum(0)).max():.1g} and the longest is "
        f"{np.linalg.norm(chords, axis=1).max():.3g}",
        "angular.rotation_and_scale": f"at {LONGER:g} times the size n′ stays {angle}; the triplet's violation goes from "
        f"{before:.3f} to {after:.3f}, the angular one from {small:.3f} to {large:.3f}, {LONGER**2:g} times as much",
    }
