"""Both losses of a triplet as its negative goes round the circle in which the triangle's plane cuts the sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, TRIPLET
from dml_viz.explain.angular.figures._words import SAMPLE, tone
from dml_viz.plot.canvas import axis, chart, key
from dml_viz.plot.display import Display
from dml_viz.plot.style import FAINT
from dml_viz.plot.traces import line, marks, upright

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 330
NEAR = 14  # degrees: names nearer than this stand on two levels


def circle(model: Model, display: Display) -> go.Figure:
    """Both losses against where the negative is, in degrees from the middle of anchor and positive."""
    theme, triangle, degrees = display.theme, model.triangle, np.linspace(-180, 180, 361)
    places, around, negative = triangle.places, triangle.around(degrees), triangle.corners[2]
    angular, triplet = (model.loss_at(name, around) for name in ("angular", "triplet"))
    now = [float(model.loss_at(name, negative)) for name in ("angular", "triplet")]
    losses = (
        ("angular", angular, now[0], ANGULAR, "solid", "circle"),
        ("triplet", triplet, now[1], TRIPLET, "dash", "diamond"),
    )
    traces = [
        line(name, degrees, values, colour=colour, width=2.5, dash=dash,
             hover=f"{name} %{{y:.3f}} at %{{x:.0f}}°<extra></extra>")
        for name, values, _, colour, dash, _ in losses
    ]  # fmt: skip
    traces += [
        marks(f"{name} now", places[2:], np.array([value]), colour=colour, symbol=symbol, size=11)
        for name, _, value, colour, _, symbol in losses
    ]
    top = max(float(angular.max()), float(triplet.max()), 1e-3)
    shapes = [
        upright(place, colour, 1.5, layer="below")
        for place, (_, colour, _) in zip(places.tolist(), CORNERS, strict=True)
    ]
    names = [
        {"text": name, "x": place, "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False,
         "yshift": 15 * level, "font": {"color": tone(colour, theme), "size": 14}}
        for place, level, (name, colour, _) in zip(places.tolist(), _levels(places), CORNERS, strict=True)
    ]  # fmt: skip
    words = key(
        (SAMPLE["solid"], ANGULAR, f"angular: {now[0]:.3f} now, 0 on {_idle(angular):.0%} of the circle"),
        (SAMPLE["dash"], TRIPLET, f"triplet: {now[1]:.3f} now, 0 on {_idle(triplet):.0%} of it"),
    )
    above = 15 * max(_levels(places))
    where = "where x<sub>n</sub> is, in degrees from the middle of x<sub>a</sub> and x<sub>p</sub>"
    x = axis(where, -180, 180, tickvals=list(range(-180, 181, 60)), gridcolor=FAINT[theme])
    y = axis("loss", -0.04 * top, 1.06 * top)
    alt = (
        f"Both losses as the negative goes round the circle: angular up to {angular.max():.3g}, 0 on "
        f"{_idle(angular):.0%} of it; triplet up to {triplet.max():.3g}, 0 on {_idle(triplet):.0%} of it. The negative "
        f"is at {places[2]:.0f}°, where they are {now[0]:.3f} and {now[1]:.3f}; anchor and positive are at "
        f"{places[0]:.0f}° and {places[1]:.0f}°."
    )
    return chart(traces, (), x, y, height=HEIGHT, theme=theme, alt=alt, top=86 + above, shapes=shapes,
                 annotations=[*names, {**words, "yshift": 22 + above}])  # fmt: skip


def _idle(values: np.ndarray) -> float:
    return float((values <= 0).mean())


def _levels(places: np.ndarray) -> list[int]:
    """On which level above the panel each name stands, so that no two near each other share one."""
    levels: list[int] = []
    for k, place in enumerate(places):
        near = {levels[j] for j in range(k) if abs(places[j] - place) < NEAR}
        levels.append(next(level for level in range(3) if level not in near))
    return levels
