"""A query in the middle, the two circles of Ranked List around it, and the points that they mine."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import (
    circle_names,
    hover_properties,
    is_crowded,
    kinds,
    mined_counts,
    query_star,
    sizes,
)
from dml_viz.explain.ranked_list.model import Model
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, canvas, footnote, key, note, tint, words_of
from dml_viz.plot.projection import sphere_view
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import circle_shape

MARGIN = {"l": 8, "r": 8, "t": 52, "b": 26}
FARTHEST = 2.0  # the largest distance of two points of the unit sphere
REACH = 2.06
BEZIER = 4 / 3 * (2**0.5 - 1)  # handles of four curves that make a circle
LEAST_NAMED_RADIUS = 0.3  # the smallest radius of a circle with room for its name
SHELL = 0.16  # opacity of a circle around the query
VIEWS = {2: "grey: the circle on which all points lie", 3: "the sphere, spread out around the query"}


def map(model: Model, display: Display) -> go.Figure:
    """The other points, each at its true distance from the query at (0, 0); ``customdata`` is a point's index in the batch.

    Positives inside the inner circle and negatives outside the outer one have no loss. Points of two dimensions lie on a
    circle, which is drawn too.
    """
    ranking, theme, dim = model.ranking, display.theme, model.dim
    query = model.settings.query
    places = places_around_query(model.z, query, model.embeddings.plane)[ranking.gallery]
    ink, pixels = INK[theme], sizes(ranking)
    (x, y), mined, traces = places.T, 0.8 if is_crowded(ranking) else 0.95, []
    for kind in kinds(ranking):
        hover = hover_properties(ranking, kind, display)
        traces.append(kind.marks(kind.name, x, y, pixels[kind.members], mined, edge=(0, None), **hover))
    width = 1.5 if len(places) <= CROWD else 0.75
    traces.insert(2, disc.rings("rings", places[ranking.mined], pixels[ranking.mined] + 6, ink, width))
    traces.append(query_star(query, (0.0, 0.0), "the query", 18, ink))
    near, far = model.loss_free_radii
    shell = {"layer": "below", "line": {"width": 0}, "fillcolor": tint(QUERY, SHELL), "name": "shell"}
    shapes = [
        circle_shape((0, 0), FARTHEST, FAINT[theme], dash="dot"),
        *([circle_shape(-model.z[query], 1.0, FAINT[theme])] if dim == 2 else []),
        {"type": "path", "path": _annulus(near, far), "fillrule": "evenodd", **shell},
        circle_shape((0, 0), far, NEGATIVE, 2, name="alpha"),
        circle_shape((0, 0), near, POSITIVE, 2, dash="dash", name="alpha - m"),
    ]
    ground = {"bgcolor": PAPER[theme], "opacity": 0.9, "borderpad": 1}
    notes = [
        note(name, side * r * 2**-0.5, r * 2**-0.5, font={"color": colour, "size": 12}, **ground)
        for r, name, colour, side in ((near, "α − m", POSITIVE, -1), (far, "α", NEGATIVE, 1))
        if r >= LEAST_NAMED_RADIUS
    ]
    entries = mined_counts(model)
    within, beyond = circle_names(model)
    alt = (
        f"The query in the middle of two circles, {within} and {beyond}. {words_of(entries, ' and ')}. "
        f"The largest share of the push is {ranking.share.max(initial=0):.1%}."
    )
    view = VIEWS.get(dim, f"directions are of one plane of the {dim} dimensions")
    notes = [key(*entries), *notes, footnote(view, yshift=-4, font={"size": 12})]
    layout = disc.layout(500, MARGIN, REACH, theme, hovermode="closest", shapes=shapes, annotations=notes)
    return canvas(traces, layout, theme=theme, alt=alt)


def places_around_query(z: np.ndarray, query: int, plane: np.ndarray | None = None) -> np.ndarray:
    """Map unit rows ``z`` (N, d) to points (N, 2) around row ``query`` at (0, 0), true in their distance from it.

    A place is as far from (0, 0) as the point from the query. For d = 2 its direction is the true one; for d = 3 it is
    that of the geodesic at the query (Lambert's azimuthal projection); for d > 3 that of the chord in ``plane``
    (d, 2). ValueError if d > 3 and there is no plane.
    """
    apart = z - z[query]
    dim = z.shape[1]
    if dim == 2:
        return np.asarray(apart)
    if dim > 3 and plane is None:
        raise ValueError(f"z has {dim} dimensions; pass a plane ({dim}, 2), see embedding.pca")
    onto = np.stack(sphere_view(z[query])[:2], 1) if dim == 3 else plane
    assert onto is not None
    flat = apart @ onto
    lengths, distances = np.linalg.norm(flat, axis=1), np.linalg.norm(apart, axis=1)
    # A point opposite the query, or perpendicular to the plane, has no direction: any place at its distance will do.
    directions = np.where(lengths[:, None] > 0, flat, (1.0, 0.0)) / np.where(lengths > 0, lengths, 1)[:, None]
    return np.asarray(distances[:, None] * directions)


def _annulus(*radii: float) -> str:
    """Circles around (0, 0) as one path, which is filled where an odd number of them surrounds it."""
    rounds = []
    for r in radii:
        h = BEZIER * r
        rounds.append(
            f"M{r},0 C{r},{h} {h},{r} 0,{r} C{-h},{r} {-r},{h} {-r},0 C{-r},{-h} {-h},{-r} 0,{-r} C{h},{-r} {r},{-h} {r},0 Z"
        )
    return " ".join(rounds)
