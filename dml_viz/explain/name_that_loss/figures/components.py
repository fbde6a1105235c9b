"""The given gradient against that of the best form."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.name_that_loss.model import Model
from dml_viz.plot.canvas import Display, axis, chart, number
from dml_viz.plot.style import FAINT, QUERY
from dml_viz.plot.traces import line, marks

MOST = 2_000  # components


def components(model: Model, display: Display) -> go.Figure:
    """A mark for each component of the gradient, on the line if the form explains it."""
    fitted, given = model.fitted.ravel(), model.given.ravel()
    components = np.linspace(0, fitted.size - 1, min(fitted.size, MOST)).astype(int)
    rows = [f"row {row // model.fitted.shape[1]}, dimension {row % model.fitted.shape[1]}" for row in components.tolist()]
    reach = 1.05 * float(max(np.abs(fitted).max(), np.abs(given).max()))
    x, y, hover = fitted[components], given[components], "%{customdata}: %{x:.3g}, given %{y:.3g}<extra></extra>"
    dots = marks("components", x, y, colour=QUERY, size=6, opacity=0.7, customdata=rows, hover=hover)
    same = line("same", [-reach, reach], [-reach, reach], colour=FAINT[display.theme], dash="dot")
    times = "" if abs(model.best.factor - 1) < 1e-3 else f"{model.best.factor:.4g} times "
    alt = (
        f"{fitted.size} components of the gradient given against {times}that of {model.best.form.title}; "
        f"{number(100 * model.best.missed)} % of the gradient's length is not explained."
    )
    bottom = axis(f"{times}the gradient of {model.best.form.title}", -reach, reach)
    left = axis("the gradient given", -reach, reach)
    return chart([same, dots], (), bottom, left, height=400, theme=display.theme, alt=alt, left=64)
