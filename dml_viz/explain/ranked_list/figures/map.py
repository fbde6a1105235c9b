"""A query in the middle, the two circles of Ranked List around it, and whom they mine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures.kinds import SPARED, Around, Kind, named
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.style import FAINT, INK, NEGATIVE, PAPER, POSITIVE, QUERY

FARTHEST = 2.0  # between two points of the unit sphere
REACH = 2.06
BEZIER = 4 / 3 * (2**0.5 - 1)  # handles of four curves that make a circle
ROOM = 0.3  # radius from which a circle has room for its name
SHELL = 0.16  # opacity
VIEWS = {
    2: "grey: the circle on which all points lie",
    3: "the sphere, spread out around the query",
}


def map_figure(
    seen: Around,
    places: np.ndarray,
    bounds: tuple[float, float],
    knobs: tuple[float, float],
    centre: np.ndarray | None,
    *,
    query: int,
    dim: int,
    theme: str = "light",
) -> go.Figure:
    """The points ``seen`` at ``places`` (K, 2), each at its true distance from the query at (0, 0).

    ``bounds`` are the radii within which positives, and beyond which negatives, cost nothing, ``knobs`` alpha and m, of which
    they are made; ``centre`` (2,) is that of the circle on which all points lie, where they lie on one. ``customdata`` is a
    point's place in the subject.
    """
    ink, sizes, hover = INK[theme], seen.sizes(), seen.hover()
    traces = [_marks(seen, places, sizes, hover, kind) for kind in seen.kinds()]
    traces.insert(2, _rings(places[seen.mined], sizes[seen.mined], ink))
    star = {"symbol": "star", "size": 18, "color": QUERY, "line": {"color": ink, "width": 1}}
    traces.append({"type": "scatter", "mode": "markers", "name": "query", "x": [0.0], "y": [0.0], "customdata": [query],
                   "marker": star, "hovertemplate": "the query<extra></extra>"})  # fmt: skip
    near, far = bounds
    within, beyond = named(*knobs)
    shapes = [
        _circle(FARTHEST, (0, 0), FAINT[theme], dash="dot"),
        *([_circle(1.0, centre, FAINT[theme])] if centre is not None else []),
        {"type": "path", "path": _annulus(near, far), "fillrule": "evenodd", "layer": "below", "line": {"width": 0},
         "fillcolor": tint(QUERY, SHELL), "name": "shell"},
        _circle(far, (0, 0), NEGATIVE, name="alpha"),
        _circle(near, (0, 0), POSITIVE, dash="dash", name="alpha - m"),
    ]  # fmt: skip
    notes = [
        {"x": side * r * 2**-0.5, "y": r * 2**-0.5, "text": name, "showarrow": False, "font": {"color": colour, "size": 12},
         "bgcolor": PAPER[theme], "opacity": 0.9, "borderpad": 1}
        for r, name, colour, side in ((near, "α − m", POSITIVE, -1), (far, "α", NEGATIVE, 1))
        if r >= ROOM
    ]  # fmt: skip
    counts = seen.counts(within, beyond)
    alt = (
        f"The query in the middle of two circles, {within} and {beyond}; {' and '.join(words for *_, words in counts)} are "
        f"mined. {_sized(seen)}"
    )
    axis = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": ""}
    layout: dict[str, Any] = {
        "height": 500,
        "margin": {"l": 8, "r": 8, "t": 52, "b": 26},
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "showlegend": False,
        "hovermode": "closest",
        "shapes": shapes,
        "annotations": [
            key(*counts),
            *notes,
            _foot(VIEWS.get(dim, f"directions are of one plane of the {dim} dimensions")),
        ],
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _sized(seen: Around) -> str:
    pushed = seen.mined & ~seen.relevant
    if not pushed.any():
        return "No negative is pushed."
    first = int(np.argmax(np.where(pushed, seen.share, -1)))
    return f"The nearest negative, at {seen.d[first]:.3f}, has {seen.share[first]:.1%} of the push."


def _marks(seen: Around, places: np.ndarray, sizes: np.ndarray, hover: list[str], kind: Kind) -> dict[str, Any]:
    at = np.flatnonzero(kind.of)
    opacity = (0.8 if seen.crowded else 0.95) if kind.mined else SPARED
    return {"type": "scatter", "mode": "markers", "name": kind.name, "x": places[at, 0], "y": places[at, 1],
            "customdata": seen.points[at], "text": [hover[k] for k in at.tolist()], "hovertemplate": "%{text}<extra></extra>",
            "marker": {"color": kind.colour, "symbol": kind.symbol, "size": sizes[at], "opacity": opacity,
                       "line": {"width": 0}}}  # fmt: skip


def _rings(places: np.ndarray, sizes: np.ndarray, ink: str) -> dict[str, Any]:
    width = 1.5 if len(places) <= 60 else 0.75
    return {"type": "scatter", "mode": "markers", "name": "rings", "x": places[:, 0], "y": places[:, 1], "hoverinfo": "skip",
            "marker": {"symbol": "circle-open", "color": ink, "size": sizes + 6, "line": {"width": width}}}  # fmt: skip


def _circle(
    r: float, centre: Sequence[float] | np.ndarray, colour: str, *, dash: str = "solid", name: str = ""
) -> dict[str, Any]:
    x, y = map(float, centre)
    return {"type": "circle", "x0": x - r, "x1": x + r, "y0": y - r, "y1": y + r, "layer": "below", "name": name,
            "line": {"color": colour, "width": 2 if name else 1.5, "dash": dash}}  # fmt: skip


def _annulus(*radii: float) -> str:
    """Circles around (0, 0) as one path, which is filled where an odd number of them surrounds it."""
    rounds = []
    for r in radii:
        h = BEZIER * r
        rounds.append(
            f"M{r},0 C{r},{h} {h},{r} 0,{r} C{-h},{r} {-r},{h} {-r},0 C{-r},{-h} {-h},{-r} 0,{-r} C{h},{-r} {r},{-h} {r},0 Z"
        )
    return " ".join(rounds)


def _foot(text: str) -> dict[str, Any]:
    return {"text": text, "x": 0, "y": 0, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top", "yshift": -4,
            "showarrow": False, "align": "left", "font": {"size": 12}}  # fmt: skip
