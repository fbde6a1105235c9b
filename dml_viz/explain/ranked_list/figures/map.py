"""A query in the middle, the two circles of Ranked List around it, and whom they mine."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures.kinds import SPARED, Around, Kind, named, star
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, foot, key, tint
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, circle, marks

MARGIN = {"l": 8, "r": 8, "t": 52, "b": 26}
FARTHEST = 2.0  # between two points of the unit sphere
REACH = 2.06
BEZIER = 4 / 3 * (2**0.5 - 1)  # handles of four curves that make a circle
ROOM = 0.3  # radius from which a circle has room for its name
SHELL = 0.16  # opacity
VIEWS = {
    2: "grey: the circle on which all points lie",
    3: "the sphere, spread out around the query",
}


def map_figure(
    seen: Around,
    places: np.ndarray,
    bounds: tuple[float, float],
    knobs: tuple[float, float],
    centre: np.ndarray | None,
    *,
    query: int,
    dim: int,
    theme: str = "light",
) -> go.Figure:
    """The points ``seen`` at ``places`` (K, 2), each at its true distance from the query at (0, 0).

    ``bounds`` are the radii within which positives, and beyond which negatives, cost nothing, ``knobs`` alpha and m, of which
    they are made; ``centre`` (2,) is that of the circle on which all points lie, where they lie on one. ``customdata`` is a
    point's place in the subject.
    """
    ink, sizes = INK[theme], seen.sizes()
    traces = [_marks(seen, places, sizes, kind) for kind in seen.kinds()]
    width = 1.5 if len(places) <= CROWD else 0.75
    traces.insert(2, disc.rings("rings", places[seen.mined], sizes[seen.mined] + 6, ink, width))
    traces.append(star(query, (0.0, 0.0), "the query", 18, ink))
    near, far = bounds
    within, beyond = named(*knobs)
    shapes = [
        circle((0, 0), FARTHEST, FAINT[theme], dash="dot"),
        *([circle(centre, 1.0, FAINT[theme])] if centre is not None else []),
        {"type": "path", "path": _annulus(near, far), "fillrule": "evenodd", "layer": "below", "line": {"width": 0},
         "fillcolor": tint(QUERY, SHELL), "name": "shell"},
        circle((0, 0), far, NEGATIVE, 2, name="alpha"),
        circle((0, 0), near, POSITIVE, 2, dash="dash", name="alpha - m"),
    ]  # fmt: skip
    notes = [
        {"x": side * r * 2**-0.5, "y": r * 2**-0.5, "text": name, "showarrow": False, "font": {"color": colour, "size": 12},
         "bgcolor": PAPER[theme], "opacity": 0.9, "borderpad": 1}
        for r, name, colour, side in ((near, "α − m", POSITIVE, -1), (far, "α", NEGATIVE, 1))
        if r >= ROOM
    ]  # fmt: skip
    counts = seen.counts(within, beyond)
    alt = (
        f"The query in the middle of two circles, {within} and {beyond}; {' and '.join(words for *_, words in counts)} are "
        f"mined. {_sized(seen)}"
    )
    view = VIEWS.get(dim, f"directions are of one plane of the {dim} dimensions")
    notes = [key(*counts), *notes, foot(view, yshift=-4, font={"size": 12})]
    layout = disc.layout(500, MARGIN, REACH, theme, hovermode="closest", shapes=shapes, annotations=notes)
    return canvas(traces, layout, theme=theme, alt=alt)


def _sized(seen: Around) -> str:
    pushed = seen.mined & ~seen.relevant
    if not pushed.any():
        return "No negative is pushed."
    first = int(np.argmax(np.where(pushed, seen.share, -1)))
    return f"The nearest negative, at {seen.d[first]:.3f}, has {seen.share[first]:.1%} of the push."


def _marks(seen: Around, places: np.ndarray, sizes: np.ndarray, kind: Kind) -> Trace:
    opacity = (0.8 if seen.crowded else 0.95) if kind.mined else SPARED
    return marks(kind.name, *places[kind.of].T, colour=kind.colour, symbol=kind.symbol, size=sizes[kind.of], opacity=opacity,
                 edge=(0, None), **seen.pointed(kind))  # fmt: skip


def _annulus(*radii: float) -> str:
    """Circles around (0, 0) as one path, which is filled where an odd number of them surrounds it."""
    rounds = []
    for r in radii:
        h = BEZIER * r
        rounds.append(
            f"M{r},0 C{r},{h} {h},{r} 0,{r} C{-h},{r} {-r},{h} {-r},0 C{-r},{-h} {-h},{-r} 0,{-r} C{h},{-r} {r},{-h} {r},0 Z"
        )
    return " ".join(rounds)
