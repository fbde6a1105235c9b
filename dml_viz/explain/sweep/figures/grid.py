"""A score over two knobs, as a heat map of means over seeds."""

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, canvas, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import INK, POSITIVE

if TYPE_CHECKING:
    from dml_viz.explain.sweep.model import Model


def grid(model: "Model", display: Display) -> go.Figure:
    """The mean of the score in each cell, the first knob upwards; in customdata the number of its first run."""
    theme, shape = display.theme, model.sweep.shape
    there = np.isfinite(model.shown)
    sums = np.where(there, model.shown, 0).sum(1)
    means = np.where(there.any(1), sums / there.sum(1).clip(1), np.nan)
    if len(shape) == 1:
        means, shape = means[:, None], (shape[0], 1)
    means = means.reshape(shape)
    finite = means[np.isfinite(means)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    across = model.named(1) if len(model.sweep.axes) > 1 else [""]
    text = np.where(np.isfinite(means), np.char.mod("%.3f", np.nan_to_num(means)), "")
    trace = {
        "type": "heatmap", "name": "mean over seeds", "x": across, "y": model.named(0), "z": means,
        "customdata": np.arange(means.size).reshape(shape), "text": text, "texttemplate": "%{text}",
        "textfont": {"color": INK[theme], "size": 12}, "zmin": low, "zmax": max(high, low + 1e-6),
        "colorscale": [[0, tint(POSITIVE, 0.04)], [1, tint(POSITIVE, 0.75)]], "xgap": 2, "ygap": 2,
        "hovertemplate": "%{y}, %{x}: %{z:.3f}<extra></extra>", "colorbar": {"title": {"text": model.called}, "thickness": 12},
    }  # fmt: skip
    titles = (*model.sweep.titles, "")
    alt = (
        f"{model.called} on {model.group} at step {model.step} over {titles[0]} and {titles[1]}: {len(finite)} of {means.size} "
        f"cells, from {score(low)} to {score(high)}."
    )
    layout = {
        "height": 400, "margin": {"l": 60, "r": 12, "t": 16, "b": 46}, "showlegend": False,
        "xaxis": axis(titles[1], type="category", showgrid=False), "yaxis": axis(titles[0], type="category", showgrid=False),
    }  # fmt: skip
    return canvas([trace], layout, theme=theme, alt=alt)
