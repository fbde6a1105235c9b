"""The changes of gradients when one sample moves: a table of samples by samples."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import class_ticks, sample_names
from dml_viz.explain.proxies.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import INK, PAPER, QUERY
from dml_viz.plot.traces import heatmap, horizontal_line, vertical_line

HEIGHT = 400


def influence(model: Model, display: Display, name: str) -> go.Figure:
    """Changes of gradients at samples (rows) when samples (columns) move, by class; colours end at the largest.

    ``customdata`` is the number of the sample of each row.
    """
    influence, rows, theme = model.influence[name], model.moved_samples, display.theme
    who, y = [sample_names(display)[k] for k in rows.tolist()], model.y[rows]
    at, most = np.arange(len(rows)), influence.largest
    hover = "%{hovertext}:<br>%{z:.1%} of the largest change<extra></extra>"
    cells = heatmap(influence.title, influence.changes / (most or 1), (PAPER[theme], QUERY), gap=1, hover=hover, x=at, y=at)
    cells["customdata"] = np.broadcast_to(rows[:, None], influence.changes.shape)
    cells["hovertext"] = [[f"gradient at {owner}, when {other} moves" for other in who] for owner in who]
    words = [
        ("■", QUERY, f"<b>{influence.title}</b>; darkest: {number(most, '.3g')} per radian"),
        ("", INK[theme], f"gradients of others that change: {influence.share:.0%}"),
    ]
    ends = (-0.5, len(rows) - 0.5)
    x, y_axis = (
        axis(title, *way, showgrid=False, ticks="", zeroline=False, **class_ticks(y, display))
        for title, way in (("the sample that moves", ends), ("whose gradient changes", ends[::-1]))
    )
    edges, look = (np.flatnonzero(np.diff(y)) + 0.5).tolist(), (INK[theme], 1, "solid")
    shapes = [line(edge, *look) for line in (vertical_line, horizontal_line) for edge in edges]
    alt = (
        f"{influence.title}: table of {len(rows)} by {len(rows)} samples, how much each gradient changes when one sample moves; "
        f"largest {number(most, '.3g')} per radian. {influence.share:.0%} of the gradients of other samples change."
    )
    return chart([cells], words, x, y_axis, height=HEIGHT, theme=theme, alt=alt, shapes=shapes)
