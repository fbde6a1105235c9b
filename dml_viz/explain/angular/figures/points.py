"""All points of a subject with one triangle among them, and what two losses ask of it along the sphere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import ANGULAR, TRIPLET, Frame, arrows, corners, named_corners, path
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.disc import Group
from dml_viz.plot.display import Display
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import FAINT, INK, NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 460
LONGEST = 0.5  # of an arrow as drawn, in radii
MARGIN = {"l": 8, "r": 8, "t": 56, "b": 8}
REACH = 1.3
ROUNDING = 1e-12


def points(model: Model, display: Display) -> go.Figure:
    """All points, anchor, positive and negative as a triangle with the arrows of both losses along the sphere.

    Arrows of both losses are drawn by one factor, ``layout.meta["scale"]``. A click tells a point by its customdata.
    """
    y, roles, who, theme = model.y, model.settings.roles, display.who, display.theme
    gradients = np.zeros((2, *model.z.shape))
    for place, push in enumerate((model.of_angular, model.of_triplet)):
        gradients[place, list(roles)] = -push.tangent
    flat, other = (flatten(model.z, arrows, roles[2], model.embeddings.plane) for arrows in gradients)
    pushes = flat.arrows[list(roles)], other.arrows[list(roles)]
    own, picked = y == y[roles[0]], np.isin(np.arange(len(y)), roles)
    kinds = (
        Group("of the anchor's class", POSITIVE, "circle", own & ~picked), Group("of others", NEGATIVE, "x", ~own & ~picked)
    )  # fmt: skip
    at = flat.places[list(roles)]
    longest = max(float(np.linalg.norm(push, axis=1).max()) for push in pushes)
    scale = LONGEST / longest if longest > ROUNDING else 0.0
    traces = [
        *(disc.points(flat, group, who, opacity=0.85) for group in kinds),
        path("sides", at[[0, 2, 1]], FAINT[theme]),
        path("pair", at[:2], POSITIVE, 2.5),
        path("to the middle", np.array((at[2], at[:2].mean(0))), INK[theme]),
        arrows("angular", at, scale * pushes[0], ANGULAR, width=5),
        arrows("triplet", at, scale * pushes[1], TRIPLET, width=2),
        *(
            corner | {"customdata": np.array([point])}
            for corner, point in zip(corners(at, model, display, (17, 14)), roles, strict=True)
        ),
    ]
    drawn = [
        at[[0, 2, 1, 0]],
        *(np.array((tail, tail + scale * arrow)) for push in pushes for tail, arrow in zip(at, push, strict=True)),
    ]
    frame, high = Frame(np.zeros(2), REACH), HEIGHT - MARGIN["t"] - MARGIN["b"]
    # Points may be anywhere.
    notes = labels(named_corners(at), drawn, frame, high, [flat.places], theme=theme, backed=True)
    words = (
        ("➤", ANGULAR, "angular (wide)"), ("➤", TRIPLET, "triplet (narrow)"),
        ("●", POSITIVE, "of the anchor's class"), ("✖", NEGATIVE, "of others"),
    )  # fmt: skip
    lines = (key(*words[:2], apart="   "), key(*words[2:], apart="   "))
    lengths = [float(np.linalg.norm(push[2])) for push in pushes]
    alt = (
        f"{len(y)} points of {len(set(y.tolist()))} classes on {flat.view}; anchor {who[roles[0]]}, positive {who[roles[1]]} and "
        f"negative {who[roles[2]]} with arrows along the sphere: as drawn, the angular loss moves the negative by "
        f"{lengths[0]:.3g}, the triplet loss by {lengths[1]:.3g}."
    )
    notes = [*notes, {**lines[0], "yshift": 22}, lines[1]]
    layout = disc.layout(HEIGHT, MARGIN, REACH, theme, annotations=notes, meta={"alt": alt, "scale": scale})
    for axis in (layout["xaxis"], layout["yaxis"]):
        axis["showline"] = False
    return canvas(traces, layout, theme=theme, alt=alt)
