"""FastAP of one query against the number of bins, with exact AP for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, INK, QUERY
from dml_viz.plot.traces import line, marks

if TYPE_CHECKING:
    from dml_viz.explain.fastap.model import Model

ROOM = 0.02  # above and below the curves


def against_bins(model: Model, display: Display) -> go.Figure:
    """The query's FastAP with soft and with hard bins against their number, with the number and the value in use."""
    theme, average_precision, bins = display.theme, model.one.average_precision, model.counts
    (soft, hard), now = model.against_bins, (model.settings.binning.bins, model.one.value)
    ink = INK[theme]
    hover = "%{x} bins: %{y:.3f}"
    traces = [
        line("exact AP", bins[[0, -1]], np.full(2, average_precision), colour=EXACT, width=3, hover=hover),
        line("hard bins", bins, hard, colour=ink, width=1, dash="dot", hover=hover),
        line("soft bins", bins, soft, colour=ink, hover=hover),
        marks("now", np.array(now[:1]), np.array(now[1:]), colour=QUERY, symbol="diamond", size=12, hover=hover),
    ]
    drawn = np.concatenate((soft, hard, now[1:], [average_precision]))
    low, high = (np.nanmin(drawn), np.nanmax(drawn)) if np.isfinite(drawn).any() else (0.0, 1.0)
    words = (
        ("■", EXACT, f"exact AP = {score(average_precision)}; —— FastAP, soft bins; ····· hard bins"),
        ("◆", QUERY, f"now: {now[0]} bins, FastAP = {score(now[1])}"),
    )
    x = axis("number of bins", type="log", tickvals=[5, 10, 20, 50, 100, 200, 500, 1000])
    y = axis("FastAP of the query", float(low) - ROOM, float(high) + ROOM)
    alt = (
        f"FastAP of one query against the number of bins: {score(soft[0])} at {bins[0]} bins, {score(now[1])} at the chosen "
        f"{now[0]}, {score(soft[-1])} at {bins[-1]} (hard bins {score(hard[-1])}); exact average precision "
        f"{score(average_precision)}."
    )
    return chart(traces, words, x, y, height=380, theme=theme, alt=alt)
