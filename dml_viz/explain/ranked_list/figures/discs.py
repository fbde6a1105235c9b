"""All points of the batch with the ball of each class, or with the arrows of one variant of the gradient."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import circle_names, query_star
from dml_viz.explain.ranked_list.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, key, tint, words_of
from dml_viz.plot.disc import factor_for
from dml_viz.plot.projection import flatten
from dml_viz.plot.style import CLASS_SIGNS, CROWD, INK
from dml_viz.plot.traces import Trace, circle_shape

REACH = 1.16
MARGIN = {"l": 8, "r": 8, "t": 60, "b": 8}
BALLS_REACH = 1.08


def arrows_of_variant(k: int, model: Model, display: Display) -> go.Figure:
    """Points and the arrows that lower the loss, or the query's own term, in variant number ``k`` of the gradient.

    Arrows of all variants are drawn by one factor, ``layout.meta["scale"]``. The query is a star.
    """
    plane, query, who, theme = model.embeddings.plane, model.settings.query, display.who, display.theme
    flats = [flatten(model.z, arrows, query, plane) for arrows in model.arrows.values()]
    scale = factor_for(np.concatenate([np.linalg.norm(each.arrows, axis=1) for each in flats]))
    variant = list(model.arrows)[k]
    flat = flats[k]
    ink = INK[theme]
    hover = [f"{name}<br>arrow {length:.3g}" for name, length in zip(who, flat.lengths.tolist(), strict=True)]
    classes = [f"class {label}" for label in range(len(display.classes))]
    look: Trace = {"sizes": (9, 5), "opacity": 0.7, "behind": 0.25}
    traces = disc.points_by_class(flat, model.y, classes, hover, **look)
    traces += [disc.arrows(flat, scale, ink), query_star(query, flat.places[query], f"the query, {who[query]}", 17, ink)]
    moved, against = int((flat.lengths > 0).sum()), model.ratio_and_cosine_to_authors(variant)
    words = [f"{moved} of {len(flat.lengths)} points move, |g| {np.linalg.norm(flat.lengths):.3g}"]
    if against is None:
        words.append("the authors' gradient")
    elif np.isfinite(against).all():
        words.append(f"{against[0]:.2f} times the authors', cosine {against[1]:.3f}")
    words += disc.share_shown(flat, "it")
    alt = f"{len(model.y)} points on {flat.view} and their arrows: {'; '.join(words)}."
    notes = [key(*(("", ink, line) for line in words))]
    layout = disc.layout(350, MARGIN, REACH, theme, hovermode="closest", annotations=notes, meta={"scale": scale})
    return canvas(traces, layout, theme=theme, alt=alt)


def balls(model: Model, display: Display) -> go.Figure:
    """All points and the ball of each class; points outside their own ball have a ring.

    A ball looks the same from every side, so it is a disc in any plane.
    """
    y, theme, balls = model.y, display.theme, model.balls
    both = np.concatenate((model.z, balls.centres))
    whole = flatten(both, np.zeros_like(both), model.settings.query, model.embeddings.plane)
    flat, centres, outside = whole.head(len(y)), whole.places[len(y) :], balls.outside
    ink, groups = INK[theme], disc.by_class(y, display.classes)
    hover = [f"{name}, {('inside', 'outside')[out]}" for name, out in zip(display.who, outside.tolist(), strict=True)]
    traces = [disc.points(flat, group, hover) for group in groups]
    discs = [
        circle_shape(centre, balls.radius, group.colour, fillcolor=tint(group.colour, 0.1), name=f"ball of {group.name}")
        for centre, group in zip(centres, groups, strict=True)
    ]
    entries = []
    for group in groups:
        counted = f"{group.name}: {int(outside[group.members].sum())} of {int(group.members.sum())} outside"
        entries.append((CLASS_SIGNS.get(group.symbol, "●"), group.colour, counted))
    size, width = (12, 0.75) if len(y) > CROWD else (16, 1.5)
    traces.append(disc.rings("outside", flat.places[outside], size, ink, width, customdata=np.flatnonzero(outside)))
    total = f"{int(outside.sum())} of {len(y)} points outside; diameter {circle_names(model)[0]}"
    reach = max(BALLS_REACH, float(np.abs(centres).max(initial=0)) + balls.radius + 0.04)
    pairs = [("", ink, key(*entries[at : at + 2], apart="   ")["text"]) for at in range(0, len(entries), 2)]
    lines = [("○", ink, total), *pairs]
    top = 16 + 18 * len(lines)
    margin = {"l": 8, "r": 8, "t": top, "b": 8}
    layout = disc.layout(366 + top, margin, reach, theme, hovermode="closest", annotations=[key(*lines)])
    layout["shapes"] += discs
    alt = f"{total}, on {flat.view}. {words_of(entries)}."
    return canvas(traces, layout, theme=theme, alt=alt)
