"""What circulates about the angular loss, each beside what is measured: on a fixed example, and on the triangle at hand."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_landscape import slack_at, violation_at
from dml_viz.explain.angular.model_triangle import Triangle
from dml_viz.pitfalls import ERRATA

LOSS = "angular"
LONGER = 2.0  # times, in the comparison of scales


def facts(model: Model | None) -> str:
    """The table, in Markdown; without a triangle it tells of the fixed examples alone."""
    about = {name: kind() for name, kind in ERRATA.items() if LOSS in kind.losses}
    rows = [
        f"| {erratum.circulates} | {erratum.told}{_on_this(HERE[name], model) if model and name in HERE else ''} |"
        for name, erratum in about.items()
    ]
    return "\n".join(["| In circulation | Here |", "|---|---|", *rows])


def _on_this(said: Callable[[Model], str], model: Model) -> str:
    return f" **Here** {said(model)}."


def _unsquared(model: Model) -> str:
    acts = math.degrees(math.atan(2 * model.t))
    triangle = model.triangle
    code = 2 * triangle.radius - 4 * model.t * triangle.reach
    return (
        f"α = {model.settings.angular.alpha:g}° would act at {acts:.1f}°; {_with(triangle)} the formula is "
        f"{_state(model.violation)}, the code {_state(code)}"
    )


def _constant(model: Model) -> str:
    hinge, kept, dropped = model.pushed
    return (
        f"at {model.settings.angular.alpha:g}° the constant is {2 - 6 * model.t:.2f}; over these points the share of the full "
        f"push is {kept:.1%} with it, {dropped:.1%} without, and {hinge:.1%} for the hinge"
    )


def _scale(model: Model) -> str:
    triangle = model.triangle
    negative = triangle.corners[2]
    before, after = (float(slack_at(model.settings.triplet, triangle, negative, scale=k)) for k in (1.0, LONGER))
    small, large = (float(violation_at(model.for_one, triangle, negative, k)) for k in (1.0, LONGER))
    return (
        f"at {LONGER:g} times the size {_stays(triangle)}; the triplet's violation goes from {before:.3f} to "
        f"{after:.3f}, the angular one from {small:.3f} to {large:.3f}, {LONGER**2:g} times as much"
    )


def _printed(model: Model) -> str:
    longest = float(np.linalg.norm(model.of_angular.chords, axis=1).max())
    return f"the chords add up to {np.abs(model.of_angular.chords.sum(0)).max():.1g} and the longest is {longest:.3g}"


def _with(triangle: Triangle) -> str:
    return (
        "with all three at one point, where n′ is undefined," if triangle.point else f"with n′ = {triangle.angle:.1f}°"
    )


def _stays(triangle: Triangle) -> str:
    return "n′ stays undefined" if triangle.point else f"n′ stays {triangle.angle:.1f}°"


def _state(violation: float) -> str:
    return "active" if violation > 0 else "satisfied"


HERE: dict[str, Callable[[Model], str]] = {
    "angular_constant": _constant,
    "angular_unsquared": _unsquared,
    "printed_gradients": _printed,
    "rotation_and_scale": _scale,
}
