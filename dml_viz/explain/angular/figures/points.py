"""All points with one triangle among them, and the arrows of two losses at it along the sphere."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures import _plane as plane
from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, key
from dml_viz.plot.disc import Group
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import FAINT, INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import circle_shape

HEIGHT = 460
REACH = 1.3


def points(model: Model, display: Display) -> go.Figure:
    """All points, anchor, positive and negative as a triangle with the arrows of both losses along the sphere.

    Arrows of both losses have one factor, ``layout.meta["scale"]``. ``customdata`` is a point's place in the batch.
    """
    y, roles, who, theme = model.y, list(model.settings.roles), display.who, display.theme
    gradients = np.zeros((2, *model.z.shape))
    gradients[:, roles] = -model.of_angular.tangent, -model.of_triplet.tangent
    flat, other = (flatten(model.z, arrows, roles[2], model.embeddings.plane) for arrows in gradients)
    pushes = np.stack((flat.arrows[roles], other.arrows[roles]))
    same, picked = y == y[roles[0]], np.isin(np.arange(len(y)), roles)
    kinds = (
        Group("of the anchor's class", POSITIVE, "circle", same & ~picked),
        Group("of others", NEGATIVE, "x", ~same & ~picked),
    )
    at, lengths = flat.places[roles], np.linalg.norm(pushes, axis=2)  # (3, 2), (2, 3)
    scale = plane.LONGEST_ARROW / float(lengths.max()) if lengths.max() > plane.ROUNDING else 0.0
    traces = [
        *(disc.points(flat, group, who, opacity=0.85) for group in kinds),
        plane.path("sides", at[[0, 2, 1]], FAINT[theme]),
        plane.path("pair", at[:2], POSITIVE, 2.5),
        plane.path("to the middle", np.array((at[2], at[:2].mean(0))), INK[theme]),
        plane.arrows("angular", at, scale * pushes[0], plane.ANGULAR, width=5),
        plane.arrows("triplet", at, scale * pushes[1], plane.TRIPLET, width=2),
        *(
            trace | {"customdata": [point]}
            for trace, point in zip(plane.corner_marks(at, model, display, (17, 14)), roles, strict=True)
        ),
    ]
    lines = [at[[0, 2, 1, 0]], *np.stack(np.broadcast_arrays(at, at + scale * pushes), 2).reshape(-1, 2, 2)]
    view = plane.View(np.zeros(2), REACH)
    layout = view.layout(HEIGHT, 2)
    # Points may be anywhere.
    notes = labels(plane.named_corners(at), lines, view, layout, [flat.places], theme=theme, backed=True)
    losses = key(("➤", plane.ANGULAR, "angular (wide)"), ("➤", plane.TRIPLET, "triplet (narrow)"), apart="   ")
    classes = key(("●", POSITIVE, "of the anchor's class"), ("✖", NEGATIVE, "of others"), apart="   ")
    alt = (
        f"{len(y)} points of {len(set(y.tolist()))} classes on {flat.view}. Anchor {who[roles[0]]}, positive {who[roles[1]]} and "
        f"negative {who[roles[2]]} have arrows along the sphere. As drawn, the angular loss moves the negative by "
        f"{lengths[0, 2]:.3g}, the triplet loss by {lengths[1, 2]:.3g}."
    )
    layout |= {"annotations": [*notes, {**losses, "yshift": 22}, classes], "shapes": [circle_shape((0, 0), 1, FAINT[theme])]}
    return canvas(traces, layout | {"meta": {"scale": scale}}, theme=theme, alt=alt)
