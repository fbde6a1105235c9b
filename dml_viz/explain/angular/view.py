"""All that the Angular page shows of one model: its figures, ready for the browser, and the formula in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dml_viz.app.encoded_figure import Encoded
from dml_viz.app.view_cache import kept_of_few
from dml_viz.explain.angular.facts import facts
from dml_viz.explain.angular.figures.batch import angles_figure, dimensions_figure
from dml_viz.explain.angular.figures.circle import circle_figure
from dml_viz.explain.angular.figures.forms import Form, forms_figure
from dml_viz.explain.angular.figures.plane import ANGULAR, TRIPLET, Frame, Plane
from dml_viz.explain.angular.figures.points import points_figure
from dml_viz.explain.angular.figures.pushes import Asked, Landscape, frame_for, pushes_figure
from dml_viz.explain.angular.figures.scale import against_scale_figure, scaled_figure
from dml_viz.explain.angular.figures.triangle import triangle_figure
from dml_viz.explain.angular.model import FORMS, Model
from dml_viz.explain.angular.model_batch import DIMENSIONS, EDGES, random_batch
from dml_viz.explain.angular.model_landscape import (
    angular_at,
    margin_reach,
    of_violation,
    slack_at,
    slope_of_violation,
    triplet_at,
    violation_at,
)
from dml_viz.explain.angular.model_push import Push
from dml_viz.explain.angular.model_triangle import SMALLEST, Source
from dml_viz.explain.angular.numbers import in_numbers
from dml_viz.plot.projection import flatten

GRID = 61  # places of the negative along each side of the plane that is shown
CIRCLE = np.linspace(-180, 180, 361)
SCALES = np.geomspace(0.25, 4, 65)
# The line of a push on the negative, and the way that it goes.
ALONG: dict[Source, tuple[str, str]] = {
    "middle": ("line x<sub>c</sub>x<sub>n</sub>", "from x<sub>c</sub>"),
    "anchor": ("line x<sub>a</sub>x<sub>n</sub>", "from x<sub>a</sub>"),
    "positive": ("line x<sub>p</sub>x<sub>n</sub>", "from x<sub>p</sub>"),
    "bisector": ("bisector at x<sub>n</sub>", "along the bisector"),
}


@dataclass(frozen=True)
class Settings:
    """What a view depends on besides its model: names of points (N,), which arrows, scale and turn, the theme and a plane (d, 2).

    ``points`` says whether the points are drawn as a figure.
    """

    who: Sequence[str]
    arrows: str
    scale: float
    turn: float
    theme: str
    points: bool
    plane: np.ndarray | None = None


@dataclass(frozen=True)
class View:
    """The figures by name, the formula in this triangle's numbers (LaTeX), and the table of facts (Markdown)."""

    figures: Mapping[str, Encoded]
    in_numbers: str
    facts: str


@kept_of_few(Model, lambda model: len(model.y), lambda model: (model.content_key,))
def view(model: Model, settings: Settings) -> View:
    """The view of ``model``."""
    figures = {**_of_triangle(model, settings), **_of_batch(model, settings)}
    if settings.points:
        figures["points"] = _points(model, settings)
    return View(figures, in_numbers(model), facts(model))


def _of_triangle(model: Model, settings: Settings) -> dict[str, Encoded]:
    triangle, theme = model.triangle, settings.theme
    plane = plane_of(model, settings.who)
    pushed = {"angular": model.of_angular, "triplet": model.of_triplet}
    asked = {name: _asked(model, settings, name, push) for name, push in pushed.items()}
    factor, frame = frame_for(plane, list(asked.values()))
    tangent = settings.arrows == "tangent"
    places = triangle.corners[2]
    now = (
        float(angular_at(model.for_one, triangle, places)),
        float(triplet_at(model.settings.triplet, triangle, places, both=model.settings.both)),
    )
    angular = angular_at(model.for_one, triangle, triangle.around(CIRCLE))
    triplet = triplet_at(model.settings.triplet, triangle, triangle.around(CIRCLE), both=model.settings.both)
    moved = triangle.moved(settings.scale, settings.turn)
    scales = np.append(SCALES, settings.scale)
    angles = np.array([angle_of(triangle.moved(scale, settings.turn)) for scale in scales])
    violations = np.array([float(violation_at(model.for_one, triangle, places, scale)) for scale in scales])
    slacks = np.array([float(slack_at(model.settings.triplet, triangle, places, scale=scale)) for scale in scales])
    curves, at = zip(
        *((values[:-1], float(values[-1])) for values in (scales, angles, violations, slacks)), strict=True
    )
    alpha = model.settings.angular.alpha

    def pushes(name: str) -> Encoded:
        landscape = _landscape(model, plane, frame, name)
        return Encoded.of(pushes_figure(plane, asked[name], landscape, factor, frame, tangent=tangent, theme=theme))

    return {
        "triangle": Encoded.of(
            triangle_figure(
                plane, list(asked.values()), angle=triangle.angle, alpha=alpha, tangent=tangent, theme=theme
            )
        ),
        "angular": pushes("angular"),
        "triplet": pushes("triplet"),
        "circle": Encoded.of(circle_figure(CIRCLE, angular, triplet, triangle.places, now, theme=theme)),
        "scaled": Encoded.of(
            scaled_figure(triangle.corners, moved, angle=at[1], scale=settings.scale, turn=settings.turn, theme=theme)
        ),
        "against_scale": Encoded.of(against_scale_figure(*curves, now=at, alpha=alpha, theme=theme)),
    }


def _of_batch(model: Model, settings: Settings) -> dict[str, Encoded]:
    batch, alpha, theme = model.batch, model.settings.angular.alpha, settings.theme
    here = f"these {len(model.y)} points, d = {model.z.shape[1]}"
    random = {
        f"random, d = {dim}": random_batch(dim, model.settings.angular, model.settings.triplet) for dim in DIMENSIONS
    }
    batches = {here: batch, **random}
    lowest = max(float(batch.violations[0]), min(-8.0, 2 - 6 * model.t - 5))
    violations = np.unique(np.append(np.linspace(lowest, 4.2, 300), (0.0, 1e-9)))
    forms = [
        Form(of_violation(loss, violations), slope_of_violation(loss, violations), pushed)
        for (form, kept), pushed in zip(FORMS, model.pushed, strict=True)
        for loss in [replace(model.settings.angular, form=form, constant_kept=kept)]
    ]
    chosen = FORMS.index(
        (model.for_one.form, model.settings.angular.constant_kept and model.for_one.form == "logistic")
    )
    return {
        "angles": Encoded.of(
            angles_figure(
                EDGES, batch.counts, alpha=alpha, active=batch.active, triplet_share=batch.triplet_share,
                points=batch.points, now=model.triangle.angle, theme=theme,
            )
        ),
        "dimensions": Encoded.of(
            dimensions_figure(
                EDGES, {name: one.beyond for name, one in batches.items()}, alpha=alpha,
                triplets={name: one.triplet_share for name, one in batches.items()}, theme=theme,
            )
        ),
        "forms": Encoded.of(
            forms_figure(
                violations, forms, (batch.violations, batch.spread), chosen=chosen, now=model.violation,
                constant=2 - 6 * model.t, theme=theme,
            )
        ),
    }  # fmt: skip


def plane_of(model: Model, who: Sequence[str]) -> Plane:
    """The triangle's plane as the figures take it."""
    triangle, names = model.triangle, [who[k] for k in model.settings.roles]
    return Plane(
        triangle.corners,
        triangle.touch,
        triangle.radius,
        triangle.bound(model.settings.angular.alpha),
        triangle.cut,
        names,
    )


def angle_of(corners: np.ndarray) -> float:
    """n' in degrees of corners (3, 2), from the corners alone; NaN where all are one point."""
    a, p, n = corners
    half, reach = float(np.linalg.norm(a - p)) / 2, float(np.linalg.norm(n - (a + p) / 2))
    return math.degrees(math.atan2(half, reach)) if max(half, reach) > SMALLEST else math.nan


def _asked(model: Model, settings: Settings, name: str, push: Push) -> Asked:
    gradients = push.of(settings.arrows)
    source: Source = "middle" if name == "angular" else model.triplet_from or "anchor"
    title, colour = ("Angular loss", ANGULAR) if name == "angular" else ("Triplet loss", TRIPLET)
    if name == "triplet" and model.settings.both:
        title += ", both orders"
    return Asked(
        title, colour, abs(push.value), model.triangle.flat(-gradients), np.linalg.norm(gradients, axis=1),
        model.triangle.source(source), *ALONG[source],
    )  # fmt: skip


def _landscape(model: Model, plane: Plane, frame: Frame, name: str) -> Landscape:
    (x, y), half = frame
    # A little beyond the square, as the drawing is wider than high.
    across, up = np.linspace(x - 1.8 * half, x + 1.8 * half, int(1.8 * GRID)), np.linspace(y - half, y + half, GRID)
    places = np.stack(np.meshgrid(across, up), -1)
    if name == "angular":
        values = angular_at(model.for_one, model.triangle, places)
        return Landscape(across, up, values, np.zeros((1, 2)), plane.bound, model.for_one.form == "hinge")
    around = model.triangle.corners[: 2 if model.settings.both else 1]
    values = triplet_at(model.settings.triplet, model.triangle, places, both=model.settings.both)
    return Landscape(across, up, values, around, margin_reach(model.settings.triplet, model.triangle), True)


def _points(model: Model, settings: Settings) -> Encoded:
    arrows = np.zeros((2, *model.z.shape))
    for place, push in enumerate((model.of_angular, model.of_triplet)):
        arrows[place, list(model.settings.roles)] = -push.tangent
    flat, other = (flatten(model.z, arrow, model.settings.roles[2], settings.plane) for arrow in arrows)
    drawn = flat.arrows[list(model.settings.roles)], other.arrows[list(model.settings.roles)]
    return Encoded.of(points_figure(flat, model.y, model.settings.roles, drawn, who=settings.who, theme=settings.theme))
