"""The ball of diameter alpha - m of every class, and the points outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import circles
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.display import Display
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import CROWD, INK
from dml_viz.plot.traces import circle

if TYPE_CHECKING:
    from dml_viz.explain.ranked_list.model import Model

REACH = 1.08
SIGNS = dict(zip(("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "pentagon", "star", "hexagon"),
                 "●■◆▲✚✖▼⬟★⬢", strict=True))  # fmt: skip


def balls(model: Model, display: Display) -> go.Figure:
    """All points, and the ball of each class, whatever is outside of its own ringed.

    A ball looks the same from every side, so it is a disc in any plane.
    """
    y, theme, found = model.y, display.theme, model.balls
    both = np.concatenate((model.z, found.centres))
    whole = flatten(both, np.zeros_like(both), model.settings.query, model.embeddings.plane)
    flat, centres, outside = whole.head(len(y)), whole.places[len(y) :], found.outside
    ink, groups = INK[theme], disc.by_class(y, display.classes)
    hover = [f"{name}, {('inside', 'outside')[out]}" for name, out in zip(display.who, outside.tolist(), strict=True)]
    traces = [disc.points(flat, group, hover) for group in groups]
    discs = [
        circle(centre, found.radius, group.colour, fillcolor=tint(group.colour, 0.1), name=f"ball of {group.name}")
        for centre, group in zip(centres, groups, strict=True)
    ]
    entries = [
        (SIGNS.get(group.symbol, "●"), group.colour,
         f"{group.name}: {int(outside[group.of].sum())} of {int(group.of.sum())} outside")
        for group in groups
    ]  # fmt: skip
    size, width = (12, 0.75) if len(y) > CROWD else (16, 1.5)
    traces.append(disc.rings("outside", flat.places[outside], size, ink, width, customdata=np.flatnonzero(outside)))
    total = f"{int(outside.sum())} of {len(y)} points outside; diameter {circles(model)[0]}"
    reach = max(REACH, float(np.abs(centres).max(initial=0)) + found.radius + 0.04)
    pairs = [("", ink, key(*entries[at : at + 2], apart="   ")["text"]) for at in range(0, len(entries), 2)]
    lines = [("○", ink, total), *pairs]
    top = 16 + 18 * len(lines)
    layout = disc.layout(
        366 + top, {"l": 8, "r": 8, "t": top, "b": 8}, reach, theme, hovermode="closest", annotations=[key(*lines)]
    )
    layout["shapes"] += discs
    alt = f"{total}, on {flat.view}. {'; '.join(words for *_, words in entries)}."
    return canvas(traces, layout, theme=theme, alt=alt)
