"""The points in each slice of the embedding, as small circles with the arrows of a method that trains slices."""

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.figures._marks import mark_keys, mark_traces
from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key, note, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import CROWD, FAINT, INK
from dml_viz.plot.traces import Trace, circle

HEIGHT, APART, SIDE = 480, 2.5, 0.15  # pixels; from centre to centre, and spare at the sides, in radii


def in_slices(model: Model, display: Display, title: str) -> go.Figure:
    """The points in each slice, with marks and the arrows of the method by one factor."""
    theme, n, side = display.theme, len(model.y), model.side
    lengths = [np.linalg.norm(side.arrows[:, columns], axis=1) for columns in model.slices]
    factor = disc.factor_for(np.concatenate(lengths))
    across = int(np.ceil(len(model.slices) ** 0.5))
    down = -(-len(model.slices) // across)
    traces, shapes, names, words = (list[Trace](), [], [], [("", INK[theme], f"<b>{title}</b>, loss {number(side.value)}")])
    for k, (columns, slice_lengths) in enumerate(zip(model.slices, lengths, strict=True)):
        row, column = divmod(k, across)
        centre = np.array([APART * (column - (across - 1) / 2), APART * ((down - 1) / 2 - row)])
        shapes.append(circle(centre, 1, FAINT[theme]))
        names.append(note(f"slice {k + 1}", centre[0] - APART / 2, centre[1] + 1, xanchor="left"))
        more = [mark.at.reshape(-1, side.arrows.shape[1])[:, columns] for mark in side.marks]
        flat = _flat(model, columns, more, centre)
        of_rows = zip(display.who, slice_lengths, strict=True)
        hover = [f"{name}<br>slice {k + 1}<br>arrow {length:.3g}" for name, length in of_rows]
        traces += mark_traces(side.marks, more, flat.places[n:], n)
        here = flat.head(n)
        traces += [disc.points(here, group, hover) for group in disc.by_class(model.y, display.classes)]
        traces.append(disc.arrows(here, factor, tint(INK[theme], 0.5 if n > CROWD else 1), name=f"arrows, slice {k + 1}"))
    words += mark_keys(side.marks)
    moved = ", ".join(f"{int((slice_lengths > 0).sum())} in slice {k}" for k, slice_lengths in enumerate(lengths, 1))
    alt = f"{n} points in {len(model.slices)} slices, {title}: loss {number(side.value)}. Points that are moved: {moved}."
    margin = {"l": 6, "r": 6, "t": 24 + 18 * len(words), "b": 8}
    reach = [APART * count / 2 + SIDE for count in (across, down)]
    axis = disc.layout(HEIGHT, margin, reach[0], theme)
    layout = {
        **axis,
        "yaxis": {**axis["yaxis"], "range": [-reach[1], reach[1]]},
        "shapes": shapes,
        "annotations": [*names, key(*words)],
        "meta": {"alt": alt, "scale": factor},
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _flat(model: Model, columns: np.ndarray, more: list[np.ndarray], centre: np.ndarray) -> Flat:
    """A slice of the points, and of the rows of marks, with the length of a whole row, drawn around ``centre`` (2,)."""
    length = len(model.slices) ** 0.5
    points, plane = model.in_slice(columns)
    rows = np.concatenate((points, *(each * length for each in more)))
    arrows = np.concatenate((model.side.arrows[:, columns], np.zeros((len(rows) - len(points), len(columns)))))
    flat = flatten(rows, arrows, 0, plane)
    return replace(flat, places=flat.places + centre)
