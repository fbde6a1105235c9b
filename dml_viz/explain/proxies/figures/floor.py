"""The least loss that Proxy-NCA can have, and the pull that is left there, against its scale."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_floor import MANY, SCALES, floor
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import INK, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

HEIGHT = 340


def floor_of_scale(model: Model, display: Display) -> go.Figure:
    """Of these classes and of many, with the positive kept: the pull left, and the least loss over that of an even guess."""
    own, scale = max(model.covered, 2), model.settings.nca.scale
    at, traces, words = np.array([scale]), [], []
    for classes, colour in zip((own, *MANY), (INK[display.theme], QUERY, POSITIVE), strict=True):
        floors, _, pull = floor(classes)
        least, _, left = floor(classes, at)[:, 0].tolist()
        traces += [
            line(f"pull, {classes} classes", SCALES, pull, colour=colour, hover="σ = %{x:.2f}: pull %{y:.1%}"),
            line(f"loss, {classes} classes", SCALES, floors / np.log(classes), colour=colour, dash="dot", width=1.5,
                 hover="σ = %{x:.2f}: %{y:.1%} of log C"),
            marks(f"now, {classes} classes", at, np.array([left]), colour=colour, symbol="diamond", size=10),
        ]  # fmt: skip
        words.append(
            (
                "■",
                colour,
                f"{classes:,} classes: pull left {number(100 * left, '.3g')}%, least loss {number(least, '.3g')}",
            )
        )
    in_words = "; ".join(text for *_, text in words)
    alt = f"Proxy-NCA with the positive kept, at scale {scale:g}, every sample on its own proxy. {in_words}."
    x = axis("scale σ", float(SCALES[0]) - 0.05, float(SCALES[-1]))
    y = axis("pull; dotted: loss / log C", -0.03, 1.05, tickformat=".0%")
    return chart(traces, words, x, y, height=HEIGHT, theme=display.theme, alt=alt)
