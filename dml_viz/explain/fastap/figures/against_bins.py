"""FastAP of one query against the number of bins, with exact AP for comparison."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, INK, QUERY

ROOM = 0.02  # above and below the curves


def against_bins_figure(
    bins: np.ndarray,
    soft: np.ndarray,
    hard: np.ndarray,
    *,
    now: tuple[int, float],
    average_precision: float,
    theme: str = "light",
) -> go.Figure:
    """FastAP (K,) with soft and with hard bins against ``bins`` (K,) ascending; ``now`` is the bins and FastAP in use."""
    ink = INK[theme]
    common = {"type": "scatter", "mode": "lines", "x": bins, "hovertemplate": "%{x} bins: %{y:.3f}"}
    traces = [
        {**common, "name": "exact AP", "x": bins[[0, -1]], "y": np.full(2, average_precision),
         "line": {"color": EXACT, "width": 3}},
        {**common, "name": "hard bins", "y": hard, "line": {"color": ink, "dash": "dot", "width": 1}},
        {**common, "name": "soft bins", "y": soft, "line": {"color": ink, "width": 2}},
        {**common, "name": "now", "mode": "markers", "x": np.array(now[:1]), "y": np.array(now[1:]),
         "marker": {"color": QUERY, "size": 12, "symbol": "diamond"}},
    ]  # fmt: skip
    drawn = np.concatenate((soft, hard, now[1:], [average_precision]))
    low, high = (np.nanmin(drawn), np.nanmax(drawn)) if np.isfinite(drawn).any() else (0.0, 1.0)
    layout = {
        "height": 380,
        "margin": {"l": 50, "r": 12, "t": 52, "b": 46},
        "xaxis": {"type": "log", "tickvals": [5, 10, 20, 50, 100, 200, 500, 1000], "title": {"text": "number of bins"}},
        "yaxis": {"range": [float(low) - ROOM, float(high) + ROOM], "title": {"text": "FastAP of the query"}},
        "showlegend": False,
        "annotations": [
            key(
                ("■", EXACT, f"exact AP = {score(average_precision)}; —— FastAP, soft bins; ····· hard bins"),
                ("◆", QUERY, f"now: {now[0]} bins, FastAP = {score(now[1])}"),
            )
        ],
    }
    alt = (
        f"FastAP of one query against the number of bins: {score(soft[0])} at {bins[0]} bins, {score(now[1])} at the chosen "
        f"{now[0]}, {score(soft[-1])} at {bins[-1]} (hard bins {score(hard[-1])}); exact average precision "
        f"{score(average_precision)}."
    )
    return canvas(traces, layout, theme=theme, alt=alt)
