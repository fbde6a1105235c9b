"""Which way Ranked List moves the points, for one choice of what it holds constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, INK, QUERY, class_style

OUTLINE = {"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below"}
REACH = 1.16
WHOLE = 0.9995  # from here a share reads as 100 %


def ranked_arrows_figure(
    flat: Flat,
    y: np.ndarray,
    query: int,
    *,
    scale: float,
    length: float,
    against: tuple[float, float] | None,
    who: Sequence[str],
    theme: str = "light",
) -> go.Figure:
    """Points with labels y (N,) and their arrows, drawn ``scale`` times as long as they are; ``query`` is a star.

    ``length`` is the norm of all arrows together, ``against`` how many times that of the authors' gradient it is, and the
    cosine between them: NaN where either is 0, None for theirs.
    """
    ink, moved = INK[theme], flat.lengths > 0
    size = 5 if len(y) > CROWD else 9
    traces: list[dict[str, Any]] = []
    for label in np.unique(y).tolist():
        colour, symbol = class_style(label)
        of = np.flatnonzero(y == label)
        traces.append({
            "type": "scatter", "mode": "markers", "name": f"class {label}", "x": flat.places[of, 0], "y": flat.places[of, 1],
            "customdata": of, "text": [f"{who[k]}<br>arrow {flat.lengths[k]:.3g}" for k in of.tolist()],
            "hovertemplate": "%{text}<extra></extra>",
            "marker": {"color": colour, "symbol": symbol, "size": size, "opacity": np.where(flat.behind[of], 0.25, 0.7)},
        })  # fmt: skip
    (x, y_), (u, v) = flat.places[moved].T, scale * flat.arrows[moved].T
    traces.append({
        "type": "quiver", "name": "arrows", "x": x, "y": y_, "u": u, "v": v, "lengthmode": "raw", "anchor": "tail",
        "marker": {"color": ink, "line": {"width": 1 if len(y) > CROWD else 2}, "arrowsize": 0.8},
        "customdata": np.flatnonzero(moved), "hoverinfo": "skip",
    })  # fmt: skip
    star = {"symbol": "star", "size": 17, "color": QUERY, "line": {"color": ink, "width": 1}}
    at = flat.places[[query]].T
    traces.append({"type": "scatter", "mode": "markers", "name": "query", "x": at[0], "y": at[1], "customdata": [query],
                   "marker": star, "hovertemplate": f"the query, {who[query]}<extra></extra>"})  # fmt: skip
    words = _words(flat, int(moved.sum()), length, against)
    axis = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": ""}
    layout = {
        "height": 350,
        "margin": {"l": 8, "r": 8, "t": 60, "b": 8},
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "showlegend": False,
        "hovermode": "closest",
        "shapes": [{**OUTLINE, "line": {"color": FAINT[theme], "width": 1.5}}],
        "annotations": [key(*(("", ink, line) for line in words))],
        "meta": {
            "alt": (alt := f"{len(y)} points on {flat.view} and their arrows: {'; '.join(words)}."),
            "scale": scale,
        },
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _words(flat: Flat, moved: int, length: float, against: tuple[float, float] | None) -> list[str]:
    if not moved:
        return ["no point moves: every arrow is 0"]
    said = [f"{moved} of {len(flat.lengths)} points move, length in all {length:.3g}"]
    if against and np.isfinite(against).all():
        said.append(f"{against[0]:.2f} times the authors', cosine {against[1]:.3f}")
    elif against is None:
        said.append("the authors' gradient")
    if flat.shown_in_all < WHOLE:
        said.append(f"{flat.view} shows {flat.shown_in_all:.0%} of it")
    return said
