"""The pushes of one loss on a triangle, over what it would cost with the negative elsewhere in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import (
    SAMPLE,
    arrows,
    asked_of,
    corners,
    factor_for,
    frame_of,
    named_corners,
    path,
    ring,
    sides,
)  # fmt: skip
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.disc import WHOLE
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import marks

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 430
GRID = 61  # places of the negative along each side of the plane that is shown


def angular(model: Model, display: Display) -> go.Figure:
    """The triangle with the angular loss's arrows, over the loss with x_n elsewhere and a line where the loss ends."""
    return _pushes(model, display, 0)


def triplet(model: Model, display: Display) -> go.Figure:
    """The same of the triplet loss; both have one square and one factor of arrows, ``layout.meta["scale"]``."""
    return _pushes(model, display, 1)


def _pushes(model: Model, display: Display, place: int) -> go.Figure:
    theme, triangle, both = display.theme, model.triangle, asked_of(model)
    factor = factor_for(model, np.stack([one.arrows for one in both]))
    frame = frame_of(model, [triangle.corners + factor * one.arrows for one in both])
    asked, (x, y), half = both[place], *frame
    # A little beyond the square, as the drawing is wider than high.
    across, up = np.linspace(x - 1.8 * half, x + 1.8 * half, int(1.8 * GRID)), np.linspace(y - half, y + half, GRID)
    values = model.loss_at(("angular", "triplet")[place], np.stack(np.meshgrid(across, up), -1))
    # Beyond ``reach`` from all of ``around`` a hinge is 0; the logistic form is only small there.
    around, reach, hinge = np.zeros((1, 2)), model.bound, model.for_one.form == "hinge"
    if place:
        around, reach, hinge = triangle.corners[: 2 if model.settings.both else 1], model.margin_reach, True
    a, p, n = triangle.corners
    largest, middle = float(values.max()), np.zeros(1)
    push = np.array((asked.along, n, n + (n - asked.along)))
    bounds = [ring(centre, reach) for centre in around]
    traces = [
        {
            "type": "contour", "name": "loss", "x": across, "y": up, "z": values.astype(np.float32),
            "showscale": False, "ncontours": 9, "zmin": 0, "zmax": largest or 1.0,
            "line": {"width": 0.6, "color": tint(NEGATIVE, 0.4)},
            "colorscale": [[0, tint(NEGATIVE, 0.0)], [1, tint(NEGATIVE, 0.24)]],
            "hovertemplate": "with x<sub>n</sub> here: %{z:.3f}<extra></extra>",
        },
        *(path("bound", bound, NEGATIVE, 2, dash="dot") for bound in bounds),
        *sides(model, theme),
        path("line of the push", push, INK[theme], 1, dash="dot"),
        arrows("arrows", triangle.corners, factor * asked.arrows, asked.colour, width=4),
        *corners(triangle.corners, model, display),
        marks("x<sub>c</sub>", middle, middle, colour=INK[theme], size=8, hover="x<sub>c</sub><extra></extra>"),
    ]  # fmt: skip
    still, whole = not asked.lengths.any(), float((asked.lengths**2).sum())
    length = "every gradient is 0" if still else f"|∇| at x<sub>n</sub> = {asked.lengths[2]:.3g}"
    words = [
        ("➤", asked.colour, f"<b>{asked.name} = {asked.value:.3f}</b>, {length}"),
        (SAMPLE["thin dot"], INK[theme],
         f"{asked.along_name}   <span style='color:{EXACT}'>{SAMPLE['thin dash']}</span> the sphere"),
        (SAMPLE["dot"], NEGATIVE, "beyond it the loss is 0" if hinge else "where the hinge would end"),
    ]  # fmt: skip
    if model.settings.arrows == "tangent" and not still:
        share = float((asked.arrows**2).sum()) / whole
        part = f"; the plane shows {share:.0%}" if share < WHOLE else ""
        words.insert(1, ("", INK[theme], f"arrows: tangent to the sphere{part}"))
    layout = frame.layout(HEIGHT, len(words))
    named = [*named_corners(triangle.corners), ("x<sub>c</sub>", np.zeros(2), INK[theme])]
    tips = [np.array((at, at + factor * arrow)) for at, arrow in zip(triangle.corners, asked.arrows, strict=True)]
    lines, rings = [np.array((a, n, p, a)), push, *tips], [*bounds, ring(*triangle.cut)]
    high = HEIGHT - layout["margin"]["t"] - layout["margin"]["b"]
    layout["annotations"] = [*labels(named, lines, frame, high, rings, theme=theme, backed=True), key(*words)]
    alt = (
        f"{asked.name}, {asked.value:.3f} on this triangle. Gradients at anchor, positive and negative: "
        f"{', '.join(f'{length:.3g}' for length in asked.lengths)}. With the negative elsewhere in the plane, "
        f"the loss is at most {largest:.3g}{f', and 0 beyond {reach:.3g}' if hinge else ''}."
    )
    return canvas(traces, layout | {"meta": {"alt": alt, "scale": factor}}, theme=theme, alt=alt)
