"""All points of a subject with one triangle among them, and what two losses ask of it along the sphere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, TRIPLET, Frame, arrows, line
from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.display import Display
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 460
LONGEST = 0.5  # of an arrow as drawn, in radii
MARGIN = {"l": 8, "r": 8, "t": 56, "b": 8}
REACH = 1.3
ROUNDING = 1e-12
BEHIND = 0.3  # opacity of what faces away


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
    kinds = (("of the anchor's class", own & ~picked, POSITIVE, "circle"), ("of others", ~own & ~picked, NEGATIVE, "x"))
    at = flat.places[list(roles)]
    longest = max(float(np.linalg.norm(push, axis=1).max()) for push in pushes)
    scale = LONGEST / longest if longest > ROUNDING else 0.0
    traces = [
        *(_points(flat, who, *kind) for kind in kinds),
        line("sides", at[[0, 2, 1]], FAINT[theme]),
        line("pair", at[:2], POSITIVE, width=2.5),
        line("to the middle", np.array((at[2], at[:2].mean(0))), INK[theme]),
        arrows("angular", at, scale * pushes[0], ANGULAR, width=5),
        arrows("triplet", at, scale * pushes[1], TRIPLET, width=2),
        *(_corner(flat, who, *corner) for corner in zip(roles, CORNERS, strict=True)),
    ]
    named = [(name, place, colour) for place, (name, colour, _) in zip(at, CORNERS, strict=True)]
    drawn = [
        at[[0, 2, 1, 0]],
        *(np.array((tail, tail + scale * arrow)) for push in pushes for tail, arrow in zip(at, push, strict=True)),
    ]
    frame, high = Frame(np.zeros(2), REACH), HEIGHT - MARGIN["t"] - MARGIN["b"]
    # Points may be anywhere.
    notes = labels(named, drawn, frame, high, [flat.places], theme=theme, backed=True)
    words = (
        ("➤", ANGULAR, "angular (wide)"), ("➤", TRIPLET, "triplet (narrow)"),
        ("●", POSITIVE, "of the anchor's class"), ("✖", NEGATIVE, "of others"),
    )  # fmt: skip
    axis = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": "", "showline": False}
    outline = {"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below",
               "line": {"color": FAINT[theme], "width": 1.5}}  # fmt: skip
    lines = (key(*words[:2], apart="   "), key(*words[2:], apart="   "))
    lengths = [float(np.linalg.norm(push[2])) for push in pushes]
    alt = (
        f"{len(y)} points of {len(set(y.tolist()))} classes on {flat.view}; anchor {who[roles[0]]}, positive {who[roles[1]]} and "
        f"negative {who[roles[2]]} with arrows along the sphere: as drawn, the angular loss moves the negative by "
        f"{lengths[0]:.3g}, the triplet loss by {lengths[1]:.3g}."
    )
    layout = {
        "height": HEIGHT, "margin": MARGIN, "showlegend": False, "shapes": [outline],
        "annotations": [*notes, {**lines[0], "yshift": 22}, lines[1]], "xaxis": axis, "yaxis": {**axis, "scaleanchor": "x"},
        "meta": {"alt": alt, "scale": scale},
    }  # fmt: skip
    return canvas(traces, layout, theme=theme, alt=alt)


def _points(flat: Flat, who: Sequence[str], name: str, of: np.ndarray, colour: str, symbol: str) -> dict[str, Any]:
    x, y = flat.places[of].T
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "customdata": np.flatnonzero(of),
            "marker": {"color": colour, "symbol": symbol, "size": 10 if len(flat.places) <= CROWD else 6,
                       "opacity": np.where(flat.behind[of], BEHIND, 0.85)},
            "text": [who[k] for k in np.flatnonzero(of).tolist()], "hovertemplate": "%{text}<extra></extra>"}  # fmt: skip


def _corner(flat: Flat, who: Sequence[str], point: int, corner: tuple[str, str, str]) -> dict[str, Any]:
    name, colour, symbol = corner
    x, y = flat.places[[point]].T
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "customdata": np.array([point]),
            "marker": {"color": colour, "symbol": symbol, "size": 17 if symbol == "star" else 14},
            "text": [who[point]], "hovertemplate": f"{name} is %{{text}}<extra></extra>"}  # fmt: skip
