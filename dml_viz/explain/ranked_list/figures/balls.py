"""The ball of diameter alpha - m of every class, and the points outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.style import CROWD, FAINT, INK, class_style

REACH = 1.08
SIGNS = dict(zip(("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "pentagon", "star", "hexagon"),
                 "●■◆▲✚✖▼⬟★⬢", strict=True))  # fmt: skip


def balls_figure(
    places: np.ndarray,
    centres: np.ndarray,
    behind: np.ndarray,
    where: str,
    radius: float,
    y: np.ndarray,
    outside: np.ndarray,
    *,
    classes: Sequence[int],
    names: Sequence[str],
    who: Sequence[str],
    diameter: float,
    theme: str = "light",
) -> go.Figure:
    """Points at flat ``places`` (N, 2) with labels y (N,), and balls of ``radius`` around ``centres`` (C, 2), one per class.

    ``behind`` (N,) tells which points face away, ``where`` says what they lie on. A ball looks the same from every side, so
    it is a disc in any plane; whoever is ``outside`` (N,) is ringed.
    """
    ink = INK[theme]
    size = 6 if len(y) > CROWD else 10
    traces, shapes, entries = [], [_circle((0.0, 0.0), 1.0, FAINT[theme])], []
    for (x, y_), label in zip(centres.tolist(), classes, strict=True):
        colour, symbol = class_style(label)
        of = np.flatnonzero(y == label)
        traces.append({
            "type": "scatter", "mode": "markers", "name": names[label], "x": places[of, 0], "y": places[of, 1],
            "customdata": of, "text": [f"{who[k]}, {'outside' if outside[k] else 'inside'}" for k in of.tolist()],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {"color": colour, "symbol": symbol, "size": size, "line": {"width": 0},
                       "opacity": np.where(behind[of], 0.3, 0.95)},
        })  # fmt: skip
        shapes.append(
            {
                **_circle((x, y_), radius, colour),
                "fillcolor": tint(colour, 0.1),
                "name": f"ball of {names[label]}",
            }
        )
        entries.append(
            (SIGNS.get(symbol, "●"), colour, f"{names[label]}: {int(outside[of].sum())} of {len(of)} outside")
        )
    ring = {"symbol": "circle-open", "color": ink, "size": size + 6, "line": {"width": 0.75 if len(y) > CROWD else 1.5}}
    at = places[outside]
    traces.append({"type": "scatter", "mode": "markers", "name": "outside", "x": at[:, 0], "y": at[:, 1], "marker": ring,
                   "customdata": np.flatnonzero(outside), "hoverinfo": "skip"})  # fmt: skip
    total = f"{int(outside.sum())} of {len(y)} points outside; diameter α − m = {_signed(diameter)}"
    reach = max(REACH, float(np.abs(centres).max(initial=0)) + radius + 0.04)
    axis = {"range": [-reach, reach], "showgrid": False, "showticklabels": False, "ticks": ""}
    lines = [("○", ink, total), *_pairs(entries)]
    layout: dict[str, Any] = {
        "height": 400,
        "margin": {"l": 8, "r": 8, "t": 16 + 18 * len(lines), "b": 8},
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "showlegend": False,
        "hovermode": "closest",
        "shapes": shapes,
        "annotations": [key(*lines)],
    }
    layout["height"] = 366 + layout["margin"]["t"]
    alt = f"{total}, on {where}. {'; '.join(words for *_, words in entries)}."
    return canvas(traces, layout, theme=theme, alt=alt)


def _signed(value: float) -> str:
    value = round(value, 9)
    return f"{'−' if value < 0 else ''}{abs(value):.3g}"


def _pairs(entries: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The entries, two to a line."""
    lines = []
    for first, *second in zip(entries[::2], [*entries[1::2], None], strict=False):
        sign, colour, words = first
        for other in filter(None, second):
            words += f'   <span style="color:{other[1]}">{other[0]}</span> {other[2]}'
        lines.append((sign, colour, words))
    return lines


def _circle(centre: tuple[float, float], r: float, colour: str) -> dict[str, Any]:
    x, y = centre
    return {"type": "circle", "x0": x - r, "x1": x + r, "y0": y - r, "y1": y + r, "layer": "below",
            "line": {"color": colour, "width": 1.5}}  # fmt: skip
