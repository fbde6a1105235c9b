"""Bounds of losses: of the discriminative loss on all triplets, and the least loss that Proxy-NCA can have, by its scale."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.model import Model
from dml_viz.explain.proxies.model_bound import MANY_CLASSES, SCALES, least_loss_and_pull
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

HEIGHT, MEAN, OF_LOG = 340, "mean over triplets", "σ = %{x:.2f}: %{y:.1%} of log C"


def bound(model: Model, display: Display, *, name: str, along: str) -> go.Figure:
    """The mean over triplets and its bound against the step, the gap between them shaded; an empty figure without a bound."""
    bound, ink = getattr(model, name), INK[display.theme]
    if bound is None:
        alt = "No bound is drawn: it needs 2 classes with a proxy and 2 samples each."
        return chart([], [("", ink, alt)], axis(along), axis(MEAN), height=HEIGHT, theme=display.theme, alt=alt)
    steps, hover = bound.steps, "step %{x}: %{y:.3f}"
    traces = [
        line(MEAN, steps, bound.triplets, colour=ink, hover=hover),
        line("bound", steps, bound.bound, colour=QUERY, hover=hover, fill="tonexty", fillcolor=tint(EXACT, 0.15)),
    ]
    ends = [[number(end, ".3f") for end in curve[[0, -1]].tolist()] for curve in (bound.bound, bound.triplets)]
    words = (
        ("■", QUERY, f"bound, of {bound.distances:,} distances to centroids: {' → '.join(ends[0])}"),
        ("■", ink, f"mean dₐₚ − dₐₙ of {bound.count:,} triplets: {' → '.join(ends[1])}"),
    )
    of_bound, of_triplets = (" to ".join(pair) for pair in ends)
    counted = f"Bound and mean of {bound.count:,} triplets against the {along}, up to {steps[-1]:.0f}."
    alt = f"{counted} Bound: {of_bound}; triplets: {of_triplets}."
    return chart(traces, words, axis(along), axis(MEAN), height=HEIGHT, theme=display.theme, alt=alt)


def floor_of_scale(model: Model, display: Display) -> go.Figure:
    """The least Proxy-NCA loss over log C, and the pull left at it, against the scale, for this and larger numbers of classes."""
    classes_here, scale = max(model.covered_class_count, 2), model.settings.nca.scale
    at, traces, words = np.array([scale]), [], []
    for classes, colour in zip((classes_here, *MANY_CLASSES), (INK[display.theme], QUERY, POSITIVE), strict=True):
        floors, _, pull = least_loss_and_pull(classes)
        least, _, left = least_loss_and_pull(classes, at)[:, 0].tolist()
        traces += [
            line(f"pull, {classes} classes", SCALES, pull, colour=colour, hover="σ = %{x:.2f}: pull %{y:.1%}"),
            line(
                f"loss, {classes} classes", SCALES, floors / np.log(classes), colour=colour, dash="dot", width=1.5, hover=OF_LOG
            ),
            marks(f"now, {classes} classes", at, np.array([left]), colour=colour, symbol="diamond", size=10),
        ]
        text = f"{classes:,} classes: pull left {number(100 * left, '.3g')}%, least loss {number(least, '.3g')}"
        words.append(("■", colour, text))
    in_words = "; ".join(text for *_, text in words)
    alt = f"Proxy-NCA with the positive kept, at scale {scale:g}, every sample on its own proxy. {in_words}."
    x = axis("scale σ", float(SCALES[0]) - 0.05, float(SCALES[-1]))
    y = axis("pull; dotted: loss / log C", -0.03, 1.05, tickformat=".0%")
    return chart(traces, words, x, y, height=HEIGHT, theme=display.theme, alt=alt)
