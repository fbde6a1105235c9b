"""What one loss asks of a triangle, over what it would cost with the negative elsewhere in the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._labels import labels
from dml_viz.explain.angular.figures._plane import (
    ANGULAR,
    TRIPLET,
    arrows,
    bound_of,
    corners,
    frame_of,
    head_room,
    named_corners,
    path,
    ring,
    sides,
)  # fmt: skip
from dml_viz.explain.angular.figures._words import SAMPLE
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE
from dml_viz.plot.traces import marks

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model
    from dml_viz.explain.angular.model_triangle import Source
    from dml_viz.explain.angular.model_triplet import Push

HEIGHT = 430
ROUNDING = 1e-12
LONGEST = 0.5  # of the half side of what is shown: the longest arrow of both losses
WHOLE = 0.9995  # from here a share reads as 100 %
GRID = 61  # places of the negative along each side of the plane that is shown
# The line of a push on the negative, and the way that it goes.
ALONG: dict[Source, tuple[str, str]] = {
    "middle": ("line x<sub>c</sub>x<sub>n</sub>", "from x<sub>c</sub>"),
    "anchor": ("line x<sub>a</sub>x<sub>n</sub>", "from x<sub>a</sub>"),
    "positive": ("line x<sub>p</sub>x<sub>n</sub>", "from x<sub>p</sub>"),
    "bisector": ("bisector at x<sub>n</sub>", "along the bisector"),
}


@dataclass(frozen=True)
class Asked:
    """A loss by name and colour, its value, and the arrows (3, 2) against its gradients in the plane.

    ``lengths`` (3,) are the gradients' in the whole space; ``along`` (2,) is the point from which a chord pushes the negative,
    which is ``way`` in words, on the line ``along_name``.
    """

    name: str
    colour: str
    value: float
    arrows: np.ndarray
    lengths: np.ndarray
    along: np.ndarray
    along_name: str
    way: str

    @property
    def shown(self) -> float:
        """The share of the arrows' squared lengths that lies in the plane."""
        whole = float((self.lengths**2).sum())
        return float((self.arrows**2).sum()) / whole if whole else 1.0


def asked_of(model: Model) -> tuple[Asked, Asked]:
    """What the angular and the triplet loss ask of the triangle."""
    triplet = "Triplet loss, both orders" if model.settings.both else "Triplet loss"
    rows: tuple[tuple[str, str, Push, Source], ...] = (
        ("Angular loss", ANGULAR, model.of_angular, "middle"),
        (triplet, TRIPLET, model.of_triplet, model.triplet_from or "anchor"),
    )
    asked = []
    for title, colour, push, source in rows:
        gradients = push.of(model.settings.arrows)
        flat, lengths = model.triangle.flat(-gradients), np.linalg.norm(gradients, axis=1)
        asked.append(
            Asked(title, colour, abs(push.value), flat, lengths, model.triangle.source(source), *ALONG[source])
        )
    return asked[0], asked[1]


def angular(model: Model, display: Display) -> go.Figure:
    """The triangle with the angular loss's arrows, over the loss with x_n elsewhere and a line where the loss ends."""
    return _pushes(model, display, 0)


def triplet(model: Model, display: Display) -> go.Figure:
    """The same of the triplet loss; both have one square and one factor of arrows, ``layout.meta["scale"]``."""
    return _pushes(model, display, 1)


def _pushes(model: Model, display: Display, place: int) -> go.Figure:
    theme, tangent = display.theme, model.settings.arrows == "tangent"
    triangle, both = model.triangle, asked_of(model)
    longest = max(float(np.linalg.norm(one.arrows, axis=1).max()) for one in both)
    factor = LONGEST * frame_of(model).half / longest if longest > ROUNDING else 0.0
    frame = frame_of(model, [triangle.corners + factor * one.arrows for one in both])
    asked, (x, y), half = both[place], *frame
    # A little beyond the square, as the drawing is wider than high.
    across, up = np.linspace(x - 1.8 * half, x + 1.8 * half, int(1.8 * GRID)), np.linspace(y - half, y + half, GRID)
    values = model.loss_at(("angular", "triplet")[place], np.stack(np.meshgrid(across, up), -1))
    # Beyond ``reach`` from all of ``around`` a hinge is 0; the logistic form is only small there.
    around, reach, hinge = np.zeros((1, 2)), bound_of(model), model.for_one.form == "hinge"
    if place:
        around, reach, hinge = triangle.corners[: 2 if model.settings.both else 1], model.margin_reach, True
    a, p, n = triangle.corners
    largest = float(values.max())
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
        marks("x<sub>c</sub>", np.zeros(1), np.zeros(1), colour=INK[theme], size=8, hover="x<sub>c</sub><extra></extra>"),
    ]  # fmt: skip
    named = [*named_corners(triangle.corners), ("x<sub>c</sub>", np.zeros(2), INK[theme])]
    tips = [np.array((at, at + factor * arrow)) for at, arrow in zip(triangle.corners, asked.arrows, strict=True)]
    still = not float(asked.lengths.max())
    length = "every gradient is 0" if still else f"|∇| at x<sub>n</sub> = {asked.lengths[2]:.3g}"
    part = f"; the plane shows {asked.shown:.0%}" if asked.shown < WHOLE and not still else ""
    ends = "beyond it the loss is 0" if hinge else "where the hinge would end"
    words = [
        ("➤", asked.colour, f"<b>{asked.name} = {asked.value:.3f}</b>, {length}"),
        (SAMPLE["thin dot"], INK[theme],
         f"{asked.along_name}   <span style='color:{EXACT}'>{SAMPLE['thin dash']}</span> the sphere"),
        (SAMPLE["dot"], NEGATIVE, ends),
    ]  # fmt: skip
    if tangent and not still:
        words.insert(1, ("", INK[theme], f"arrows: the part along the sphere{part}"))
    margin = head_room(len(words))
    high = HEIGHT - margin["t"] - margin["b"]
    notes = labels(
        named,
        [np.array((a, n, p, a)), push, *tips],
        frame,
        high,
        [*bounds, ring(*triangle.cut)],
        theme=theme,
        backed=True,
    )
    layout = {
        "height": HEIGHT, "margin": margin, "showlegend": False, "annotations": [*notes, key(*words)],
        **frame.axes,
    }  # fmt: skip
    alt = (
        f"{asked.name} is {asked.value:.3f} on this triangle; the gradients at anchor, positive and negative are "
        f"{', '.join(f'{length:.3g}' for length in asked.lengths)} long"
        + (" and only their part along the sphere is drawn" if tangent else "")
        + f". With the negative elsewhere in the plane, the loss is up to {largest:.3g}"
        + (f", and 0 from {reach:.3g} on around {len(around)} centre" if hinge else "")
        + ("s." if hinge and len(around) > 1 else ".")
    )
    layout["meta"] = {"alt": alt, "scale": factor}
    return canvas(traces, layout, theme=theme, alt=alt)
