"""The predictions that the Angular page asks for."""

from dml_viz.app.predictions import Choices, Prediction
from dml_viz.app.predictions.carried import carries
from dml_viz.explain.angular.controls import KEY
from dml_viz.explain.angular.model import Model

LARGER = 3.0
OPTIONS = ("it grows", "it stays as it is", "it shrinks")
ROUNDING = 1e-6


def _angle(model: Model) -> float:
    return float(model.against_scale[1, -1])


def _slack(model: Model) -> float:
    return float(model.against_scale[3, -1])


def _changed(before: float, after: float) -> int:
    return 1 if abs(after - before) < ROUNDING else 0 if after > before else 2


PREDICTIONS: tuple[Prediction[Model], ...] = (
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
    ),
    Prediction(
        f"{KEY}.bound",
        "A stricter bound: what does the loss do?",
        lambda model: (
            rf"The angle $n'$ has to be at most $\alpha$ = {model.settings.angular.alpha:g}°. The bound goes down to "
            r"25°. What does the loss of this triangle do?"
        ),
        Choices(OPTIONS),
        lambda before, after: _changed(before.of_angular.value, after.of_angular.value),
        lambda before, after: (
            f"The loss goes from {before.of_angular.value:.2f} to {after.of_angular.value:.2f}: "
            f"$n'$ = {after.triangle.angle:.1f}°, the bound is {after.settings.angular.alpha:g}°."
        ),
        {f"{KEY}.scene": "overlapping"},
        {f"{KEY}.alpha": 25.0},
    ),
    carries(
        KEY,
        lambda model: model.settings.angular,
        (KEY, *(f"{KEY}-{name}" for name in ("triangle", "angular", "triplet", "circle", "points"))),
    ),
)
