"""The bound on all triplets, and their mean, along the gradient of the discriminative loss."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.model import Model
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, QUERY
from dml_viz.plot.traces import line

HEIGHT = 340


def bound(model: Model, display: Display) -> go.Figure:
    """Both against the step, the gap between them shaded; nothing where there are no two classes of two samples."""
    found, ink = model.bound, INK[display.theme]
    if found is None:
        alt = "No bound is drawn: it needs 2 classes with a proxy and 2 samples each."
        return chart(
            [], [("", ink, alt)], axis("step"), axis("mean over triplets"), height=HEIGHT, theme=display.theme, alt=alt
        )
    steps = np.arange(len(found.bound))
    hover = "step %{x}: %{y:.3f}"
    traces = [
        line("mean over triplets", steps, found.triplets, colour=ink, hover=hover),
        line("bound", steps, found.bound, colour=QUERY, hover=hover, fill="tonexty", fillcolor=tint(EXACT, 0.15)),
    ]
    (first, last), (start, end) = (own[[0, -1]].tolist() for own in (found.bound, found.triplets))
    words = (
        (
            "■",
            QUERY,
            f"bound, of {found.distances:,} distances to centroids: {number(first, '.3f')} → {number(last, '.3f')}",
        ),
        ("■", ink, f"mean dₐₚ − dₐₙ of {found.count:,} triplets: {number(start, '.3f')} → {number(end, '.3f')}"),
    )
    alt = (
        f"Bound and mean of {found.count:,} triplets over {len(steps) - 1} steps of the discriminative loss. Bound: "
        f"{number(first, '.3f')} to {number(last, '.3f')}; triplets: {number(start, '.3f')} to {number(end, '.3f')}."
    )
    return chart(
        traces, words, axis("step along the gradient"), axis("mean over triplets"), height=HEIGHT, theme=display.theme, alt=alt
    )  # fmt: skip
