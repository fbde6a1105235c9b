"""A score against the steps, a line per value: whether training has converged, and when values differ."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.figures._axis import waiting_note
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import INK, class_style
from dml_viz.plot.traces import joined_marks, vertical_line

MOST = 12  # lines


def course(model: Model, display: Display) -> go.Figure:
    """The mean over seeds of up to a dozen cells, from the start to the end; the look shown is marked."""
    ink, looks = INK[display.theme], model.course.shape[-1]
    share = np.linspace(0, 1, looks)
    of_images = model.sweep.equal == "images"
    x = 100 * share if of_images else share * model.sweep.run.steps
    cells = np.unique(np.linspace(0, len(model.course) - 1, min(MOST, len(model.course))).round().astype(int))
    traces, ends = [], []
    for number, cell in enumerate(cells.tolist()):
        complete = np.isfinite(model.course[cell]).all(1)
        if not complete.any():
            continue
        colour, symbol = class_style(number)
        means = model.course[cell][complete].mean(0)
        label = model.label(cell)
        hover = f"{label}: %{{y:.3f}}<extra></extra>"
        traces.append(joined_marks(label, x, means, colour=colour, symbol=symbol, size=6, hover=hover, showlegend=True))
        ends.append(f"{label} {score(float(means[-1]))}")
    ending = "; ".join(ends) or "none yet"
    alt = f"{model.score_name} on {model.group} against the steps, {len(ends)} lines, at the end: {ending}."
    bottom, left = axis("share of the images seen (%)" if of_images else "step"), axis(f"{model.score_name}, {model.group}")
    fig = chart(traces, (), bottom, left, height=340, theme=display.theme, alt=alt, top=54)
    mark = vertical_line(float(x[model.settings.look]), ink, 1)
    words = f"Here will be {model.score_name} over the steps,", "a line for each value."
    more = waiting_note(model, display.theme, *words, ready=bool(ends))
    return fig.update_layout(shapes=[mark], showlegend=True, annotations=more)
