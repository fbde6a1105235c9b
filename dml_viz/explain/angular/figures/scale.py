"""A triangle made larger or smaller, and turned: the angle n' stays, what the losses compare does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import ANGULAR, CORNERS, TRIPLET, path
from dml_viz.explain.angular.figures._words import SAMPLE, angle_words
from dml_viz.plot.canvas import TO_SCALE, canvas, key
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
    corners, moved, angle = model.triangle.corners, model.moved, float(model.against_scale[1, -1])
    scale, turn, theme = model.settings.scale, model.settings.turn, display.theme
    half = 1.12 * max(float(np.abs(corners).max()), float(np.abs(moved).max()), 1e-3)
    traces = []
    for name, at, faint in (("before", corners, True), ("after", moved, False)):
        a, p, n = at
        side, pair, dash = (EXACT, EXACT, "dot") if faint else (INK[theme], POSITIVE, "solid")
        traces += [
            path(f"{name}, sides", np.array((a, n, p)), side, dash=dash),
            path(f"{name}, pair", np.array((a, p)), pair, 2.5, dash=dash),
            path(f"{name}, to the middle", np.array((n, (a + p) / 2)), side, dash=dash),
        ]
    traces += [
        marks(name, at[:1], at[1:], colour=colour, symbol=symbol, size=13 if symbol == "star" else 11)
        for at, (name, colour, symbol) in zip(moved, CORNERS, strict=True)
    ]
    axis = {**TO_SCALE, "range": [-half, half], "showline": False}
    signs = " ".join(
        f'<span style="color:{colour}">{sign}</span> {name}'
        for sign, (name, colour, _) in zip("★●✖", CORNERS, strict=True)
    )
    before = signed(f"before; solid: {scale:g} times as large, turned by {turn:g}°   {signs}")
    words = key(
        ("∢", INK[theme], f"<b>{angle_words(angle)}</b>, before and after"), (SAMPLE["thin dot"], EXACT, before)
    )
    layout = {"height": HEIGHT, "margin": {"l": 8, "r": 8, "t": 58, "b": 8}, "showlegend": False, "annotations": [words],
              "xaxis": axis, "yaxis": {**axis, "scaleanchor": "x"}}  # fmt: skip
    alt = f"The triangle and its copy, {scale:g} times as large and turned by {turn:g}°: in both {angle_words(angle)}."
    return canvas(traces, layout, theme=theme, alt=alt)


def against_scale(model: Model, display: Display) -> go.Figure:
    """n' in degrees, the angular violation and the triplet's against the scale, with those of the triangle's copy."""
    alpha, theme = model.settings.angular.alpha, display.theme
    scales, angles, violations, slacks = model.against_scale[:, :-1]
    scale, angle, violation, slack = model.against_scale[:, -1].tolist()

    def curve(name: str, y: np.ndarray, colour: str, dash: str = "solid") -> Trace:
        return line(name, scales, y, colour=colour, width=2.5, dash=dash, hover=f"{name}: %{{y:.3f}}<extra></extra>")

    def mark(name: str, y: float) -> Trace:
        return marks(name, np.array([scale]), np.array([y]), colour=QUERY, symbol="diamond", size=11)

    zero = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "layer": "below"}
    at_zero = {**zero, "yref": "y2", "y0": 0, "y1": 0, "line": {"color": NEGATIVE, "width": 1, "dash": "dot"}}
    at_alpha = {**zero, "yref": "y", "y0": alpha, "y1": alpha, "line": {"color": NEGATIVE, "width": 1.5, "dash": "dot"}}
    reach = 1.05 * max(abs(violation), abs(slack), 0.5, float(np.percentile(np.abs(np.append(violations, slacks)), 75)))
    # Room below 0 only where a curve goes there.
    low = -reach if min(float(violations.min()), float(slacks.min())) < 0 else -0.12 * reach
    first, last = float(np.log10(scales[0])), float(np.log10(scales[-1]))
    traces, layout = stacked(
        (
            Row(f"<b>{angle_words(angle)}</b> at every scale; dotted: α = {alpha:g}°",
                [curve("n′", angles, ANGULAR), mark("n′ now", angle)], 92,
                {"range": [0, 95], "tickvals": [0, 30, 60, 90], "ticksuffix": "°"}),
            Row(f"<b>Active above 0</b>: angular {SAMPLE['solid']} {violation:.3f}, triplet {SAMPLE['dash']} {slack:.3f}",
                [curve("angular", violations, ANGULAR), curve("triplet", slacks, TRIPLET, "dash"),
                 mark("angular now", violation), mark("triplet now", slack)],
                HEIGHT - 92 - 30 - 62 - 30, {"range": [low, reach]}),
        ),
        {"type": "log", "range": [first - ASIDE, last + ASIDE], "tickvals": [0.25, 0.5, 1, 2, 4],
         "title": {"text": "scale"}},
    )  # fmt: skip
    layout["shapes"] += [at_alpha, at_zero]
    layout["showlegend"] = False
    flips = _flips(slacks)
    alt = (
        f"Against the scale from {scales[0]:g} to {scales[-1]:g}: {angle_words(angle)} throughout, with the bound at "
        f"{alpha:g}°; the angular violation goes from {violations[0]:.3g} to {violations[-1]:.3g} and changes sign "
        f"{_flips(violations)} times, the triplet's from {slacks[0]:.3g} to {slacks[-1]:.3g} and changes sign {flips} "
        f"time{'s' if flips != 1 else ''}."
    )
    return canvas(traces, layout, theme=theme, alt=alt)


def _flips(values: np.ndarray) -> int:
    return int((np.diff(values > 1e-12) != 0).sum())
