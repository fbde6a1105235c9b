"""R@k of each paper against k, and the share of the queries missed at R@1 that its next column finds."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.papers.model import Model
from dml_viz.plot.canvas import Display, axis, chart, key, note
from dml_viz.plot.style import EXACT, INK, PAPER, QUERY
from dml_viz.plot.traces import Trace, line, marks

APART, ROOM = 0.045, 0.06  # between two labels, and beyond the highest and the lowest number; of the axis


def slopes(model: Model, display: Display) -> go.Figure:
    """A line per method over the k of R@k; the highlighted method in colour, doubtful ones dashed."""
    theme, picked = display.theme, model.settings.picked
    columns = np.arange(len(model.ranks))
    traces, labels = [], []
    last = {method: row[-1] for method, row in zip(model.methods, model.recall, strict=True) if np.isfinite(row[-1])}
    places = _spread(last, APART * float(np.nanmax(model.recall) - np.nanmin(model.recall)))
    ground = {"bgcolor": PAPER[theme], "borderpad": 1}  # behind a label among lines
    for method, row in zip(model.methods, model.recall, strict=True):
        doubtful, hover = method in model.doubtful_methods, f"{method}: %{{y:.1f}} %"
        colour = QUERY if method == picked else INK[theme] if doubtful else EXACT
        width, dash = 3.5 if method == picked else 1.5, "dot" if doubtful else "solid"
        traces.append(line(method, columns, row, colour=colour, width=width, dash=dash, hover=hover, mode="lines+markers"))
        end = int(np.isfinite(row).sum()) - 1
        text = f"<b>{method}</b>" if method == picked else method
        more = {"font": {"color": INK[theme], "size": 12}, **({} if end == columns[-1] else ground)}
        labels.append(note(text, end, places.get(method, row[end]), xanchor="left", xshift=8, **more))
    words = [("—", QUERY, picked)] if picked in model.methods else []
    if model.doubtful_methods:
        words.append(("···", INK[theme], f"{' and '.join(model.doubtful_methods)}: the second number is doubtful"))
    x = axis("", -0.15, columns[-1] + 1.1, tickvals=columns, ticktext=[f"R@{k}" for k in model.ranks], showgrid=False)
    best, worst = model.methods[0], model.methods[-1]
    alt = (
        f"Recall of {len(model.methods)} papers on {model.settings.dataset} at k = {', '.join(map(str, model.ranks))}. R@1 runs "
        f"from {model.recall[-1, 0]:.1f} % ({worst}) to {model.recall[0, 0]:.1f} % ({best})."
    )
    heights = [*model.recall[np.isfinite(model.recall)], *places.values()]
    low, high = float(min(heights)), float(max(heights))
    y = axis("recall (%)", low - ROOM * (high - low), high + ROOM * (high - low))
    return chart(traces, words, x, y, height=440, theme=theme, alt=alt, annotations=[key(*words), *labels])


def _spread(values: Mapping[str, float], apart: float) -> dict[str, float]:
    """Heights for labels of ``values``: in their order, at least ``apart``, and on average at their values."""
    places, above = dict[str, float](), np.inf
    for name in sorted(values, key=lambda name: -values[name]):
        above = places[name] = min(values[name], above - apart)
    shift = float(np.mean([values[name] - height for name, height in places.items()]))
    return {name: height + shift for name, height in places.items()}


def gains(model: Model, display: Display) -> go.Figure:
    """The share of the queries missed at R@1 that the next k finds, against R@1; a doubtful share is a cross."""
    theme, first, second = display.theme, *model.ranks[:2]
    odd = np.isin(model.methods, model.doubtful_methods)
    colours = np.where(np.array(model.methods) == model.settings.picked, QUERY, np.where(odd, INK[theme], EXACT))
    named = np.where(odd | (np.array(model.methods) == model.settings.picked), model.methods, "")
    symbols, hover = np.where(odd, "x", "circle").tolist(), "%{customdata}: R@1 %{x:.1f} %, finds %{y:.0f} % of what it missed"
    names = {"customdata": list(model.methods), "text": named.tolist(), "mode": "markers+text", "textposition": "top center"}
    look: Trace = {"colour": colours.tolist(), "symbol": symbols, "size": 10, "hover": hover}
    dots = marks("methods", model.recall[:, 0], model.rescued_percent, **look, **names)
    words = (("✕", INK[theme], f"under half of any other: hardly R@{second}"),) if odd.any() else ()
    usual, gained = model.rescued_percent[~odd], zip(model.doubtful_methods, model.rescued_percent[odd], strict=True)
    alt = (
        f"Share of the queries missed at R@{first} that R@{second} finds, against R@{first}, of {len(model.methods)} papers on "
        f"{model.settings.dataset}: from {usual.min():.0f} % to {usual.max():.0f} %"
        + "".join(f"; {method} gains {gain:.1f}" for method, gain in gained)
        + "."
    )
    low, high = float(model.recall[:, 0].min()), float(model.recall[:, 0].max())
    x = axis(f"R@{first} (%)", low - 4, high + 4)
    y = axis(f"missed at R@{first}, found by R@{second} (%)", 0, float(model.rescued_percent.max()) * 1.15)
    return chart([dots], words, x, y, height=440, theme=theme, alt=alt)
