"""Both losses of a triplet as its negative goes round the circle in which the triangle's plane cuts the sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, SAMPLE, TRIPLET, tone
from dml_viz.plot.canvas import axis, chart, key
from dml_viz.plot.display import Display
from dml_viz.plot.style import FAINT
from dml_viz.plot.traces import line, marks, upright

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 330
NEAR = 14  # degrees: names nearer than this stand on two levels
LOOKS = (("angular", ANGULAR, "solid", "circle"), ("triplet", TRIPLET, "dash", "diamond"))


def circle(model: Model, display: Display) -> go.Figure:
    """Both losses against where the negative is, in degrees from the middle of anchor and positive."""
    triangle, degrees = model.triangle, np.linspace(-180, 180, 361)
    places, around, negative = triangle.places, triangle.around(degrees), triangle.corners[2]
    values = {name: model.loss_at(name, around) for name, *_ in LOOKS}
    now = {name: float(model.loss_at(name, negative)) for name, *_ in LOOKS}
    traces = [
        line(name, degrees, values[name], colour=colour, width=2.5, dash=dash,
             hover=f"{name} %{{y:.3f}} at %{{x:.0f}}°<extra></extra>")
        for name, colour, dash, _ in LOOKS
    ]  # fmt: skip
    traces += [
        marks(f"{name} now", places[2:], np.array([now[name]]), colour=colour, symbol=symbol, size=11)
        for name, colour, _, symbol in LOOKS
    ]
    top = max(float(np.max(list(values.values()))), 1e-3)
    corners = list(zip(places.tolist(), _levels(places), CORNERS, strict=True))
    names = [
        {"text": name, "x": place, "y": 1, "yref": "y domain", "yanchor": "bottom", "showarrow": False,
         "yshift": 15 * level, "font": {"color": tone(colour, display.theme), "size": 14}}
        for place, level, (name, colour, _) in corners
    ]  # fmt: skip
    words = [
        (
            SAMPLE[dash],
            colour,
            f"{name}: {now[name]:.3f} now, 0 on {float((values[name] <= 0).mean()):.0%} of the circle",
        )
        for name, colour, dash, _ in LOOKS
    ]
    above = 15 * max(_levels(places))
    where = "where x<sub>n</sub> is, in degrees from the middle of x<sub>a</sub> and x<sub>p</sub>"
    x = axis(where, -180, 180, tickvals=list(range(-180, 181, 60)), gridcolor=FAINT[display.theme])
    y = axis("loss", -0.04 * top, 1.06 * top)
    a, p, n = places
    alt = (
        f"Both losses with the negative anywhere on the circle. {'; '.join(text for *_, text in words)}. The negative is at "
        f"{n:.0f}°, the anchor at {a:.0f}°, the positive at {p:.0f}°."
    )
    return chart(
        traces, (), x, y, height=HEIGHT, theme=display.theme, alt=alt, top=86 + above,
        shapes=[upright(place, colour, 1.5, layer="below") for place, _, (_, colour, _) in corners],
        annotations=[*names, {**key(*words), "yshift": 22 + above}],
    )  # fmt: skip


def _levels(places: np.ndarray) -> list[int]:
    """The level above the panel of each name, so that no two near each other share one."""
    levels: list[int] = []
    for k, place in enumerate(places):
        near = {levels[j] for j in range(k) if abs(places[j] - place) < NEAR}
        levels.append(next(level for level in range(3) if level not in near))
    return levels
