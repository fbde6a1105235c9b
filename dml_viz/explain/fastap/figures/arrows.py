"""Where each point should go to raise FastAP: tangent arrows at the points of one query, or of the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, foot, key
from dml_viz.plot.disc import WHOLE, Group, factor_for
from dml_viz.plot.display import Display
from dml_viz.plot.projection import Flat, flatten
from dml_viz.plot.style import INK, NEGATIVE, POSITIVE, QUERY

if TYPE_CHECKING:
    from dml_viz.explain.fastap.model import Model

REACH = 1.22  # of the drawing from its centre, in radii
MARGIN = {"l": 8, "r": 8, "t": 34, "b": 56}


def arrows(model: Model, display: Display) -> go.Figure:
    """Points and the arrows at them, drawn by one factor (``layout.meta["scale"]``) so that the longest spans 0.42.

    For one query the colours tell positives from negatives, and the query's own arrow, which answers to all others at once,
    has a factor of its own (``layout.meta["own"]``); for the batch they tell one class from another and the query is ringed.
    """
    y, query, of_query, who, theme = model.y, model.settings.query, model.settings.of_query, display.who, display.theme
    flat = flatten(model.z, model.arrows, query, model.embeddings.plane)
    itself = np.arange(len(y)) == query
    drawn = np.linalg.norm(flat.arrows, axis=1)
    scale = factor_for(drawn[~itself] if of_query else drawn)
    own = min(scale, factor_for(drawn[itself])) if of_query and scale else factor_for(drawn)
    groups = _by_relevance(y, query) if of_query else disc.by_class(y, display.classes)
    hover = _hover(flat, who)
    traces = [disc.points(flat, group, hover, size=16 if group.name == "query" else None) for group in groups]
    notes = [foot("<br>".join(_words(flat, scale, own, of_query)))]
    if of_query:
        factors = np.where(itself, own, scale)
        moved = flat.lengths > 0
        traces += [
            disc.arrows(flat, factors, group.colour, np.flatnonzero(group.of & moved), name=f"arrows, {group.name}")
            for group in groups
        ]
        signs = zip("★●✖", groups, strict=True)
        notes.append(key(*((sign, group.colour, group.name) for sign, group in signs), apart="   "))
    else:
        traces.append(disc.arrows(flat, scale, INK[theme], name="arrows, arrows"))
        traces.append(disc.rings("the query", flat.places[[query]], 20, QUERY))
    alt = _alt(flat, y, who[query] if of_query else "")
    meta = {"alt": alt, "scale": scale, "own": own}
    layout = disc.layout(420, MARGIN, REACH, theme, annotations=notes, meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)


def _by_relevance(y: np.ndarray, query: int) -> list[Group]:
    same, itself = y == y[query], np.arange(len(y)) == query
    return [
        Group("query", QUERY, "star", itself),
        Group("positives", POSITIVE, "circle", same & ~itself),
        Group("negatives", NEGATIVE, "x", ~same),
    ]


def _words(flat: Flat, scale: float, own: float, of_query: bool) -> list[str]:
    if not flat.longest:
        return ["no arrow: every gradient is 0"]
    words = [f"longest arrow: {flat.longest:.3g}"]
    if of_query and own < 0.995 * scale:
        words.append(f"the query's own is drawn {scale / own:.2g} times shorter than the others")
    return words + disc.share_shown(flat)


def _alt(flat: Flat, y: np.ndarray, of: str) -> str:
    shown = f", the longest is {flat.longest:.3g}, and the drawing shows {flat.shown_in_all:.0%} of them"
    return (
        f"{len(y)} points of {len(set(y.tolist()))} classes on {flat.view}, with arrows that raise FastAP of "
        f"{f'query {of}' if of else 'all queries'}: {int((flat.lengths > 0).sum())} points have one"
        f"{shown if flat.longest else ''}."
    )


def _hover(flat: Flat, who: Sequence[str]) -> list[str]:
    return [
        f"{name}<br>arrow {length:.2g}" + (f", {share:.0%} of it shown" if share < WHOLE else "")
        for name, length, share in zip(who, flat.lengths.tolist(), flat.shown.tolist(), strict=True)
    ]
