"""The points that a method draws on, whole and slice by slice, with its marks and the arrows of its gradient."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Mark, Model, PointsUnderLoss
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, key, note, number, tint
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import CROWD, EXACT, FAINT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, circle_shape, curves, marks

HEIGHT, REACH = 480, 1.25
LONGEST_ARROW = 0.6  # radii, the longest arrow with the method
ROLES = {"positive": POSITIVE, "negative": NEGATIVE, "query": QUERY, "exact": EXACT}
FEW = 8  # diamonds up to which they are large
SIGNS = {"edges": "━", "rings": "○", "points": "◆"}
HEIGHT_OF_SLICES, APART, SIDE = 480, 2.5, 0.15  # pixels; from centre to centre, and spare at the sides, in radii


def mark_traces(marks: Sequence[Mark], rows: Sequence[np.ndarray], places: np.ndarray, n: int) -> list[Trace]:
    """The traces of ``marks`` that have these ``rows``, drawn at ``places`` (K, 2), those of all one after the other."""
    ends = np.cumsum([len(rows_of_mark) for rows_of_mark in rows])
    return [_trace(mark, its_places, n) for mark, its_places in zip(marks, np.split(places, ends[:-1]), strict=False)]


def mark_keys(marks: Sequence[Mark]) -> list[tuple[str, str, str]]:
    """The entries of the key for ``marks``, each once: sign, colour and words."""
    return list(dict.fromkeys((SIGNS[mark.kind], ROLES[mark.role], mark.name) for mark in marks))


def _trace(mark: Mark, places: np.ndarray, n: int) -> Trace:
    """The trace of a mark at ``places`` (K, 2) among ``n`` points; two places in a row are the ends of an edge."""
    colour = ROLES[mark.role]
    if mark.kind == "edges":
        return curves(mark.name, places.reshape(-1, 2, 2), colour=tint(colour, 0.8), width=1 if n > CROWD else 3)
    if mark.kind == "rings":
        return disc.rings(mark.name, places, 20 if n <= CROWD else 10, colour, 2)
    size = 13 if len(places) <= FEW else 8
    return marks(mark.name, *places.T, colour=colour, symbol="diamond", size=size, edge=(1, None), hover=mark.name)


def in_slices(model: Model, display: Display, title: str) -> go.Figure:
    """The points in each slice, with marks and the arrows of the method by one factor."""
    theme, n, side = display.theme, len(model.y), model.under_method
    lengths = [np.linalg.norm(side.arrows[:, columns], axis=1) for columns in model.slices]
    factor = disc.factor_for(np.concatenate(lengths))
    across = int(np.ceil(len(model.slices) ** 0.5))
    down = -(-len(model.slices) // across)
    traces, shapes, names, words = (list[Trace](), [], [], [("", INK[theme], f"<b>{title}</b>, loss {number(side.value)}")])
    for k, (columns, slice_lengths) in enumerate(zip(model.slices, lengths, strict=True)):
        row, column = divmod(k, across)
        centre = np.array([APART * (column - (across - 1) / 2), APART * ((down - 1) / 2 - row)])
        shapes.append(circle_shape(centre, 1, FAINT[theme]))
        names.append(note(f"slice {k + 1}", centre[0] - APART / 2, centre[1] + 1, xanchor="left"))
        more = [mark.at.reshape(-1, side.arrows.shape[1])[:, columns] for mark in side.marks]
        flat = _flat(model, columns, more, centre)
        of_rows = zip(display.who, slice_lengths, strict=True)
        hover = [f"{name}<br>slice {k + 1}<br>arrow {length:.3g}" for name, length in of_rows]
        traces += mark_traces(side.marks, more, flat.places[n:], n)
        here = flat.head(n)
        traces += disc.points_by_class(here, model.y, display.classes, hover)
        traces.append(disc.arrows(here, factor, tint(INK[theme], 0.5 if n > CROWD else 1), name=f"arrows, slice {k + 1}"))
    words += mark_keys(side.marks)
    moved = ", ".join(f"{int((slice_lengths > 0).sum())} in slice {k}" for k, slice_lengths in enumerate(lengths, 1))
    alt = f"{n} points in {len(model.slices)} slices, {title}: loss {number(side.value)}. Points that are moved: {moved}."
    margin = {"l": 6, "r": 6, "t": 24 + 18 * len(words), "b": 8}
    reach = [APART * count / 2 + SIDE for count in (across, down)]
    notes, meta = [*names, key(*words)], {"scale": factor}
    layout = disc.layout(HEIGHT_OF_SLICES, margin, reach[0], theme, shapes=shapes, annotations=notes, meta=meta)
    layout["yaxis"]["range"] = [-reach[1], reach[1]]
    return canvas(traces, layout, theme=theme, alt=alt)


def _flat(model: Model, columns: np.ndarray, more: list[np.ndarray], centre: np.ndarray) -> Flat:
    """A slice of the points, and of the rows of marks, with the length of a whole row, drawn around ``centre`` (2,)."""
    length = len(model.slices) ** 0.5
    points, plane = model.slice_rows_and_plane(columns)
    rows = np.concatenate((points, *(each * length for each in more)))
    arrows = np.concatenate((model.under_method.arrows[:, columns], np.zeros((len(rows) - len(points), len(columns)))))
    flat = flatten(rows, arrows, 0, plane)
    return replace(flat, places=flat.places + centre)


def plain(model: Model, display: Display) -> go.Figure:
    """The points with the arrows of the loss alone."""
    return _picture(model, display, model.under_plain_loss, f"{model.settings.loss.name} alone")


def method(model: Model, display: Display) -> go.Figure:
    """The points with the arrows of the loss with the method, and marks of what the method uses."""
    title = f"with {type(model.settings.method).title.lower()}"
    if len(model.slices) > 1:
        return in_slices(model, display, title)
    return _picture(model, display, model.under_method, title)


def _picture(model: Model, display: Display, side: PointsUnderLoss, title: str) -> go.Figure:
    theme, n = display.theme, len(model.y)
    more = [mark.at.reshape(-1, model.dim) for mark in side.marks]
    rows = np.concatenate((model.z, *more))
    arrows = np.concatenate((side.arrows, np.zeros((len(rows) - n, model.dim))))
    flat = flatten(rows, arrows, 0, model.embeddings.plane)
    here = flat.head(n)
    usual, longest = (float(np.linalg.norm(each, axis=1).max(initial=0)) for each in (model.plain_arrows_of_all, side.arrows))
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
    traces += disc.points_by_class(here, model.y, display.classes, hover)
    traces.append(disc.arrows(here, factor, tint(INK[theme], 0.5 if n > CROWD else 1)))
    moved = int((here.lengths > 0).sum())
    alt = (
        f"{n} points on {flat.view}, {title}: loss {number(side.value)}, {moved} points are moved, the longest arrow "
        f"{here.longest_before_projection:.3g}; {len(side.in_batch)} points are in the batch."
        + "".join(f" {mark.name}: {len(mark.at)}." for mark in side.marks)
    )
    margin = {"l": 6, "r": 6, "t": 24 + 18 * len(words), "b": 8}
    layout = disc.layout(HEIGHT, margin, REACH, theme, annotations=[key(*words)], meta={"scale": factor})
    return canvas(traces, layout, theme=theme, alt=alt)
