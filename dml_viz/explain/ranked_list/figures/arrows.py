"""Which way Ranked List moves the points, for one choice of what it holds constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import star
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.disc import factor_for
from dml_viz.plot.display import Display
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import INK

if TYPE_CHECKING:
    from dml_viz.explain.ranked_list.model import Model

REACH = 1.16
MARGIN = {"l": 8, "r": 8, "t": 60, "b": 8}


def of_variant(place: int, model: Model, display: Display) -> go.Figure:
    """Points and arrows that lower the loss, or the query's own term, with what its variant ``place`` holds constant.

    Arrows of all variants are drawn by one factor, ``layout.meta["scale"]``. ``query`` is a star.
    """
    plane, query, who, theme = model.embeddings.plane, model.settings.query, display.who, display.theme
    flats = [flatten(model.z, arrows, query, plane) for arrows in model.arrows.values()]
    scale = factor_for(np.concatenate([np.linalg.norm(each.arrows, axis=1) for each in flats]))
    variant, arrows = list(model.arrows.items())[place]
    flat, length = flats[place], float(np.linalg.norm(arrows))
    ink = INK[theme]
    hover = [f"{name}<br>arrow {length:.3g}" for name, length in zip(who, flat.lengths.tolist(), strict=True)]
    classes = [f"class {label}" for label in range(len(display.classes))]
    traces = [
        disc.points(flat, group, hover, sizes=(9, 5), opacity=0.7, behind=0.25)
        for group in disc.by_class(model.y, classes)
    ]
    traces += [disc.arrows(flat, scale, ink), star(query, flat.places[query], f"the query, {who[query]}", 17, ink)]
    moved, against = int((flat.lengths > 0).sum()), model.against(variant)
    words = [f"{moved} of {len(flat.lengths)} points move, length in all {length:.3g}"]
    if against is None:
        words.append("the authors' gradient")
    elif np.isfinite(against).all():
        words.append(f"{against[0]:.2f} times the authors', cosine {against[1]:.3f}")
    words += disc.share_shown(flat, "it")
    alt = f"{len(model.y)} points on {flat.view} and their arrows: {'; '.join(words)}."
    notes = [key(*(("", ink, line) for line in words))]
    meta = {"alt": alt, "scale": scale}
    layout = disc.layout(350, MARGIN, REACH, theme, hovermode="closest", annotations=notes, meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)
