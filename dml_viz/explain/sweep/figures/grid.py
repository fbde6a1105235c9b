"""A score over two knobs, as a heat map of means over seeds."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.figures._axis import waiting_note
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis, canvas, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import FAINT, INK, POSITIVE
from dml_viz.plot.traces import heatmap

ROOM = 0.48  # of a cell's width, from its middle to the outline of an empty cell


def grid(model: Model, display: Display) -> go.Figure:
    """The mean of the score in each cell, the first knob upwards; ``customdata`` is the number of its first run."""
    theme, shape = display.theme, model.sweep.shape
    finished = np.isfinite(model.scores_now)
    sums = np.where(finished, model.scores_now, 0).sum(1)
    means = np.where(finished.any(1), sums / finished.sum(1).clip(1), np.nan)
    if len(shape) == 1:
        means, shape = means[:, None], (shape[0], 1)
    means = means.reshape(shape)
    finite = means[np.isfinite(means)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    across = model.value_names(1) if len(model.sweep.axes) > 1 else [""]
    text = np.where(np.isfinite(means), np.char.mod("%.3f", np.nan_to_num(means)), "")
    colours, hover = (tint(POSITIVE, 0.04), tint(POSITIVE, 0.75)), "%{y}, %{x}: %{z:.3f}<extra></extra>"
    numbers = {"text": text, "texttemplate": "%{text}", "textfont": {"color": INK[theme], "size": 12}}
    runs = {"x": across, "y": model.value_names(0), "customdata": np.arange(means.size).reshape(shape)}
    bar = {"showscale": True, "colorbar": {"title": {"text": model.score_name}, "thickness": 12}}
    ends = low, max(high, low + 1e-6)
    trace = heatmap("mean over seeds", means, colours, ends, gap=2, hover=hover, **runs, **numbers, **bar)
    titles = (*model.sweep.titles, "")
    finished_cells = f"{len(finite)} of {means.size} cells" + (f", from {score(low)} to {score(high)}" if len(finite) else "")
    alt = f"{model.score_name} on {model.group} at step {model.step} over {titles[0]} and {titles[1]}: {finished_cells}."
    x, y = (
        axis(title, -0.5, len(names) - 0.5, type="category", categoryarray=names, showgrid=False)
        for title, names in ((titles[1], across), (titles[0], model.value_names(0)))
    )
    edge = {"type": "rect", "layer": "below", "line": {"color": FAINT[theme], "width": 1}}
    empty = np.argwhere(~np.isfinite(means)).tolist()
    missing = [{**edge, "x0": k - ROOM, "x1": k + ROOM, "y0": r - ROOM, "y1": r + ROOM} for r, k in empty]
    words = f"A cell will show {model.score_name},", f"the mean over {model.sweep.seeds} seeds."
    notes = waiting_note(model, theme, *words, ready=len(finite) > 0)
    layout = {"height": 400, "margin": {"l": 60, "r": 12, "t": 16, "b": 46}, "shapes": missing, "annotations": notes}
    return canvas([trace], {**layout, "xaxis": x, "yaxis": y}, theme=theme, alt=alt)
