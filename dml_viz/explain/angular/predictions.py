"""The predictions that the Angular page asks for."""

import math
from dataclasses import replace

import numpy as np

from dml_viz.embedding.scene import preset
from dml_viz.explain.angular.controls import KEY, ROLES
from dml_viz.explain.angular.model import FIRST, Model
from dml_viz.room.carried import carries
from dml_viz.room.prediction import Choices, Prediction

LARGER, STRICTER, AWAY = 3.0, 25.0, 60.0  # times as large; degrees of a bound; degrees by which a negative is dragged
OPTIONS = ("it grows", "it stays as it is", "it shrinks")
ROUNDING = 1e-6


def _angle(model: Model) -> float:
    return float(model.angle_and_violations_by_scale[1, -1])


def _seen(model: Model) -> float:
    return float(model.triangle.angle)


def _moved_away() -> str:
    """The scene after the negative has turned by `AWAY` from the pair, as a link holds it."""
    scene, (anchor, _, negative) = preset("overlapping"), FIRST
    points = list(scene.points)
    (start,), (degrees,) = points[anchor], points[negative]
    points[negative] = (degrees + math.copysign(AWAY, (degrees - start + 180) % 360 - 180),)
    return replace(scene, points=tuple(points)).write()


ROLES_OF_AWAY = {f"{KEY}.{role}": point for role, point in zip(ROLES, FIRST, strict=True)}


def _slack(model: Model) -> float:
    return float(model.angle_and_violations_by_scale[3, -1])


def _changed(before: float, after: float) -> int:
    return 1 if abs(after - before) < ROUNDING else 0 if after > before else 2


def _push(model: Model) -> float:
    """The length of the gradient at the negative."""
    return float(np.linalg.norm(model.of_angular.chords[2]))


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.away",
        "The negative moves away: what does its angle do?",
        lambda model: (
            f"The triangle has anchor {model.settings.roles[0]}, positive {model.settings.roles[1]} and negative "
            f"{model.settings.roles[2]}. $n'$ is how wide half of the pair looks from the negative: {_seen(model):.0f}°. The "
            "negative is dragged away from the pair. What does its angle do?"
        ),
        Choices(OPTIONS),
        lambda before, after: _changed(_seen(before), _seen(after)),
        lambda before, after: (
            f"$n'$ goes from {_seen(before):.0f}° to {_seen(after):.0f}°. The angular loss wants at most "
            rf"$\alpha$ = {after.settings.angular.alpha:g}°, so this triangle "
            + ("is done." if after.triangle.is_within_bound(after.settings.angular.alpha) else "is not done.")
        ),
        {f"{KEY}.scene": "overlapping", **ROLES_OF_AWAY},
        {f"{KEY}.at": _moved_away()},
    ),
    Prediction(
        f"{KEY}.scale",
        "Larger triangle: what does the angle do?",
        f"The triangle is made {LARGER:g} times as large. What does the angle $n'$ at the negative do?",
        Choices(OPTIONS),
        lambda before, after: _changed(_angle(before), _angle(after)),
        lambda before, after: (
            f"$n'$ is {_angle(before):.1f}° before and {_angle(after):.1f}° after. The triplet's violation "
            f"goes from {_slack(before):.2f} to {_slack(after):.2f}: distances scale, angles do not."
        ),
        {f"{KEY}.scene": "overlapping", f"{KEY}.scale": 1.0},
        {f"{KEY}.scale": LARGER},
        figures=("scaled", "against_scale"),
    ),
    Prediction(
        f"{KEY}.bound",
        "A stricter bound: what does the loss do?",
        lambda model: (
            rf"$n'$ should be at most $\alpha$ = {model.settings.angular.alpha:g}°, and is {model.triangle.angle:.0f}°. The "
            f"loss is the hinge: 0 within the bound, else how far it is violated. The bound goes down to {STRICTER:g}°. "
            "What does the loss of this triangle do?"
        ),
        Choices(OPTIONS),
        lambda before, after: _changed(before.of_angular.value, after.of_angular.value),
        lambda before, after: (
            f"The loss goes from {before.of_angular.value:.2f} to {after.of_angular.value:.2f}: a stricter bound is violated "
            f"by more. But the push on the negative goes from {_push(before):.2f} to {_push(after):.2f}, as $\\tan^2\\alpha$ "
            "multiplies it."
        ),
        {f"{KEY}.scene": "overlapping", f"{KEY}.form": "hinge"},
        {f"{KEY}.alpha": STRICTER},
    ),
    carries(
        KEY,
        lambda model: model.settings.angular,
        (KEY, *(f"{KEY}-{name}" for name in ("triangle", "angular", "triplet", "circle", "points"))),
    ),
)
