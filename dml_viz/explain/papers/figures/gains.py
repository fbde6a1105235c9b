"""The share of the queries missed at R@1 that the next column of each paper finds."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.papers.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, QUERY
from dml_viz.plot.traces import marks


def gains(model: Model, display: Display) -> go.Figure:
    """The share of missed queries that the next column finds, against R@1; a doubtful share is a cross."""
    theme, first, second = display.theme, *model.ranks[:2]
    odd = np.isin(model.methods, model.doubtful)
    colours = np.where(np.array(model.methods) == model.settings.picked, QUERY, np.where(odd, INK[theme], EXACT))
    named = np.where(odd | (np.array(model.methods) == model.settings.picked), model.methods, "")
    symbols, hover = np.where(odd, "x", "circle").tolist(), "%{customdata}: R@1 %{x:.1f} %, finds %{y:.0f} % of what it missed"
    dots = marks("methods", model.recall[:, 0], model.rescued, colour=colours.tolist(), symbol=symbols, size=10, hover=hover)
    dots |= {"customdata": list(model.methods), "text": named.tolist(), "mode": "markers+text", "textposition": "top center"}
    words = (("✕", INK[theme], f"under half of any other: hardly R@{second}"),) if odd.any() else ()
    usual, gained = model.rescued[~odd], zip(model.doubtful, model.rescued[odd], strict=True)
    alt = (
        f"Share of the queries missed at R@{first} that R@{second} finds, against R@{first}, of {len(model.methods)} papers on "
        f"{model.settings.dataset}: from {usual.min():.0f} % to {usual.max():.0f} %"
        + "".join(f"; {method} gains {gain:.1f}" for method, gain in gained)
        + "."
    )
    low, high = float(model.recall[:, 0].min()), float(model.recall[:, 0].max())
    x = axis(f"R@{first} (%)", low - 4, high + 4)
    y = axis(f"missed at R@{first}, found by R@{second} (%)", 0, float(model.rescued.max()) * 1.15)
    return chart([dots], words, x, y, height=440, theme=theme, alt=alt)
