"""A triangle made larger or smaller, and turned: the angle n' stays, what the losses compare does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, SAMPLE, TRIPLET, Frame, angle_words, path
from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import signed
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line, marks

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 400
ASIDE = 0.04  # decades beyond the smallest and the largest scale


def scaled(model: Model, display: Display) -> go.Figure:
    """The triangle and its copy, larger or smaller and turned, with x_c in the middle of both."""
    scale, turn, ink = model.settings.scale, model.settings.turn, INK[display.theme]
    corners, moved = model.triangle.corners, model.triangle.moved(scale, turn)
    traces = []
    for name, (a, p, n), side, pair, dash in (
        ("before", corners, EXACT, EXACT, "dot"), ("after", moved, ink, POSITIVE, "solid")
    ):  # fmt: skip
        traces += [
            path(f"{name}, sides", np.array((a, n, p)), side, dash=dash),
            path(f"{name}, pair", np.array((a, p)), pair, 2.5, dash=dash),
            path(f"{name}, to the middle", np.array((n, (a + p) / 2)), side, dash=dash),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=colour, symbol=symbol, size=13 if symbol == "star" else 11)
        for at, (name, colour, symbol) in zip(moved, CORNERS, strict=True)
    ]
    pairs = zip("★●✖", CORNERS, strict=True)
    signs = " ".join(f'<span style="color:{colour}">{sign}</span> {name}' for sign, (name, colour, _) in pairs)
    angle = angle_words(float(model.against_scale[1, -1]))
    before = signed(f"before; solid: {scale:g} times as large, turned by {turn:g}°   {signs}")
    words = key(("∢", ink, f"<b>{angle}</b>, before and after"), (SAMPLE["thin dot"], EXACT, before))
    half = 1.12 * max(float(np.abs((corners, moved)).max()), 1e-3)
    layout = Frame(np.zeros(2), half).layout(HEIGHT, 2) | {"annotations": [words]}
    alt = f"The triangle and its copy, {scale:g} times as large and turned by {turn:g}°: in both {angle}."
    return canvas(traces, layout, theme=display.theme, alt=alt)


def against_scale(model: Model, display: Display) -> go.Figure:
    """n' in degrees, the angular violation and the triplet's against the scale, with those of the triangle's copy."""
    alpha = model.settings.angular.alpha
    scales, angles, violations, slacks = model.against_scale[:, :-1]
    scale, angle, violation, slack = model.against_scale[:, -1].tolist()

    def curve(name: str, y: np.ndarray, now: float, colour: str, dash: str = "solid") -> list[Trace]:
        hover = f"{name}: %{{y:.3f}}<extra></extra>"
        mark = marks(f"{name} now", np.array([scale]), np.array([now]), colour=QUERY, symbol="diamond", size=11)
        return [line(name, scales, y, colour=colour, width=2.5, dash=dash, hover=hover), mark]

    def level(y: float, axis: str, width: float) -> Trace:
        look = {"color": NEGATIVE, "width": width, "dash": "dot"}
        return {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "layer": "below",
            "yref": axis,
            "y0": y,
            "y1": y,
            "line": look,
        }

    both = np.append(violations, slacks)
    reach = 1.05 * max(abs(violation), abs(slack), 0.5, float(np.percentile(np.abs(both), 75)))
    # Room below 0 only where a curve goes there.
    low = -reach if float(both.min()) < 0 else -0.12 * reach
    first, last = float(np.log10(scales[0])), float(np.log10(scales[-1]))
    traces, layout = stacked(
        (
            Row(f"<b>{angle_words(angle)}</b> at every scale; dotted: α = {alpha:g}°", curve("n′", angles, angle, ANGULAR), 92,
                {"range": [0, 95], "tickvals": [0, 30, 60, 90], "ticksuffix": "°"}),
            Row(f"<b>Active above 0</b>: angular {SAMPLE['solid']} {violation:.3f}, triplet {SAMPLE['dash']} {slack:.3f}",
                [*curve("angular", violations, violation, ANGULAR), *curve("triplet", slacks, slack, TRIPLET, "dash")],
                HEIGHT - 92 - 30 - 62 - 30, {"range": [low, reach]}),
        ),
        {"type": "log", "range": [first - ASIDE, last + ASIDE], "tickvals": [0.25, 0.5, 1, 2, 4],
         "title": {"text": "scale"}},
    )  # fmt: skip
    layout["shapes"] += [level(alpha, "y", 1.5), level(0, "y2", 1)]
    layout["showlegend"] = False
    alt = (
        f"Against the scale from {scales[0]:g} to {scales[-1]:g}: {angle_words(angle)} throughout, with the bound at "
        f"{alpha:g}°. The angular violation goes from {violations[0]:.3g} to {violations[-1]:.3g}, the triplet's from "
        f"{slacks[0]:.3g} to {slacks[-1]:.3g}."
    )
    return canvas(traces, layout, theme=display.theme, alt=alt)
