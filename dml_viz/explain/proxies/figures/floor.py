"""The least loss that Proxy-NCA can have, and the pull that is left there, against its scale."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_floor import SCALES, floor
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import INK, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

HEIGHT = 340


def floor_of_scale(model: Model, display: Display) -> go.Figure:
    """Both with the positive kept in the denominator, and marks at the scale in use."""
    classes, scale = max(model.covered, 2), model.settings.nca.scale
    kept, _, pull = floor(classes)
    now = floor(classes, np.array([scale]))[:, 0].tolist()
    hover = "σ = %{x:.2f}: %{y:.3g}"
    traces = [
        line("least loss", SCALES, kept, colour=INK[display.theme], hover=hover),
        line("pull left", SCALES, pull, colour=POSITIVE, hover=hover),
        marks(
            "now", np.full(2, scale), np.array([now[0], now[2]]), colour=QUERY, symbol="diamond", size=11, hover=hover
        ),
    ]
    words = (
        (
            "■",
            INK[display.theme],
            f"least loss, positive kept: {number(now[0], '.3g')}; left out: {number(now[1], '.3g')}",
        ),
        ("■", POSITIVE, f"pull left there, positive kept: {number(100 * now[2], '.3g')}%; left out: 100%"),
    )
    alt = f"Proxy-NCA with {classes} proxies at scale {scale:g}, every sample on its own proxy. {words[0][2]}. {words[1][2]}."
    x, y = (
        axis("scale σ", float(SCALES[0]), float(SCALES[-1])),
        axis("loss, share of the largest pull", rangemode="tozero"),
    )
    return chart(traces, words, x, y, height=HEIGHT, theme=display.theme, alt=alt)
