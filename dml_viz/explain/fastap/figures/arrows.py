"""Arrows along the sphere that raise FastAP, of one query or of the whole batch."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, counted, footnote, key
from dml_viz.plot.disc import WHOLE, Group, factor_for
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace

REACH = 1.22  # radii from the centre of the drawing to its edge
MARGIN = {"l": 8, "r": 8, "t": 34, "b": 56}


def arrows(model: Model, display: Display) -> go.Figure:
    """Points and the arrows at them, drawn by one factor (``layout.meta["scale"]``) so that the longest spans 0.42.

    For one query colours distinguish positives from negatives, and the query's own arrow, which depends on all other points,
    has its own factor (``layout.meta["own"]``); for the batch colours distinguish classes, and the query is ringed.
    """
    y, query, of_query, who, theme = model.y, model.settings.query, model.settings.of_query, display.who, display.theme
    flat = flatten(model.z, model.arrows, query, model.embeddings.plane)
    itself, same = np.arange(len(y)) == query, y == y[query]
    lengths = np.linalg.norm(flat.arrows, axis=1)
    scale = factor_for(lengths[~itself] if of_query else lengths)
    query_scale = min(scale, factor_for(lengths[itself])) if of_query and scale else factor_for(lengths)
    few = of_query and model.ranking.has_few_positives
    by_relevance = [
        Group("query", QUERY, "star", itself),
        Group("positives", POSITIVE, "circle", same & ~itself),
        Group("negatives", NEGATIVE, "x", ~same),
    ]
    # Those in front are drawn last.
    groups = by_relevance[::-1]
    hover = [
        f"{name}<br>arrow {length:.2g}" + (f", {share:.0%} of it shown" if share < WHOLE else "")
        for name, length, share in zip(who, flat.lengths.tolist(), flat.visible_shares.tolist(), strict=True)
    ]
    if of_query:
        looks: dict[str, Trace] = {"query": {"size": 16}}
        if few:
            looks |= {"positives": {"size": 11}, "negatives": {"opacity": 0.4}}
        traces = [disc.points(flat, group, hover, **looks.get(group.name, {})) for group in groups]
    else:
        traces = disc.points_by_class(flat, y, display.classes, hover)
    longest = flat.longest_before_projection
    words = [f"longest arrow: {longest:.3g}"] if longest else ["no arrow: every gradient is 0"]
    notes = []
    if of_query:
        if few:
            words.append("positives are few, and drawn larger")
        if query_scale < 0.95 * scale:  # of which two digits can tell
            words.append(f"the query's own is drawn {scale / query_scale:.2g} times shorter than the others")
        scales, moved = np.where(itself, query_scale, scale), flat.lengths > 0
        for group in groups:
            moved_of_group = np.flatnonzero(group.members & moved)
            traces.append(disc.arrows(flat, scales, group.colour, moved_of_group, name=f"arrows, {group.name}"))
        entries = ((sign, group.colour, group.name) for sign, group in zip("★●✖", by_relevance, strict=True))
        notes.append(key(*entries, apart="   "))
    else:
        traces += [disc.arrows(flat, scale, INK[theme]), disc.rings("the query", flat.places[[query]], 20, QUERY)]
    words += disc.share_shown(flat)
    of_classes, pushed = counted(len(set(y.tolist())), "class", "classes"), int((flat.lengths > 0).sum())
    alt = (
        f"{len(y)} points of {of_classes} on {flat.view}, with arrows that raise FastAP of "
        f"{f'query {who[query]}' if of_query else 'all queries'}. {counted(pushed, 'point has', 'points have')} one; "
        f"{'; '.join(words)}."
    )
    meta = {"scale": scale, "own": query_scale}
    layout = disc.layout(420, MARGIN, REACH, theme, annotations=[footnote("<br>".join(words)), *notes], meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)
