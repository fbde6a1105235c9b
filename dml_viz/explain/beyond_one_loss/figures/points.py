"""The points under the plain loss, and under the loss with a method, with arrows by one factor."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.figures._marks import mark_keys, mark_traces
from dml_viz.explain.beyond_one_loss.figures._slices import in_slices
from dml_viz.explain.beyond_one_loss.model import Model, PointsUnderLoss
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import CROWD, INK

HEIGHT, REACH = 480, 1.25
LONGEST_ARROW = 0.6  # radii, the longest arrow with the method


def plain(model: Model, display: Display) -> go.Figure:
    """The points with the arrows of the loss alone."""
    return _picture(model, display, model.plain, f"{model.settings.loss.name} alone")


def method(model: Model, display: Display) -> go.Figure:
    """The points with the arrows of the loss with the method, and marks of what the method uses."""
    title = f"with {type(model.settings.method).title.lower()}"
    if len(model.slices) > 1:
        return in_slices(model, display, title)
    return _picture(model, display, model.side, title)


def _picture(model: Model, display: Display, side: PointsUnderLoss, title: str) -> go.Figure:
    theme, n = display.theme, len(model.y)
    more = [mark.at.reshape(-1, model.dim) for mark in side.marks]
    rows = np.concatenate((model.z, *more))
    arrows = np.concatenate((side.arrows, np.zeros((len(rows) - n, model.dim))))
    flat = flatten(rows, arrows, 0, model.embeddings.plane)
    here = flat.head(n)
    usual, longest = (float(np.linalg.norm(each, axis=1).max(initial=0)) for each in (model.of_all, side.arrows))
    # The factor of the scene's own arrows, unless an arrow would be far longer.
    bounds = ((disc.LONGEST_ARROW, usual), (LONGEST_ARROW, longest))
    factor = min((bound / length for bound, length in bounds if length), default=0.0)
    left_out = np.setdiff1d(np.arange(n), side.in_batch)
    hover = [
        f"{name}<br>{'not in this batch' if k in left_out else f'arrow {length:.3g}'}"
        for k, (name, length) in enumerate(zip(display.who, here.lengths.tolist(), strict=True))
    ]
    traces = mark_traces(side.marks, more, flat.places[n:], n)
    words = [("", INK[theme], f"<b>{title}</b>, loss {number(side.value)}")]
    if usual * factor < 0.99 * disc.LONGEST_ARROW:
        smaller = number(disc.LONGEST_ARROW / (usual * factor), ".2g") if usual else ""
        words.append(("", INK[theme], f"arrows {smaller} times smaller" if usual else "the plain loss moves no point"))
    words += mark_keys(side.marks)
    traces += [disc.points(here, group, hover) for group in disc.by_class(model.y, display.classes)]
    traces.append(disc.arrows(here, factor, tint(INK[theme], 0.5 if n > CROWD else 1)))
    moved = int((here.lengths > 0).sum())
    alt = (
        f"{n} points on {flat.view}, {title}: loss {number(side.value)}, {moved} points are moved, the longest arrow "
        f"{here.longest:.3g}; {len(side.in_batch)} points are in the batch."
        + "".join(f" {mark.name}: {len(mark.at)}." for mark in side.marks)
    )
    margin = {"l": 6, "r": 6, "t": 24 + 18 * len(words), "b": 8}
    layout = disc.layout(HEIGHT, margin, REACH, theme, annotations=[key(*words)], meta={"alt": alt, "scale": factor})
    return canvas(traces, layout, theme=theme, alt=alt)
