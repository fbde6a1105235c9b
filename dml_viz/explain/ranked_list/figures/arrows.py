"""Which way Ranked List moves the points, for one choice of what it holds constant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures.kinds import star
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import INK

REACH = 1.16
MARGIN = {"l": 8, "r": 8, "t": 60, "b": 8}


def ranked_arrows_figure(
    flat: Flat,
    y: np.ndarray,
    query: int,
    *,
    scale: float,
    length: float,
    against: tuple[float, float] | None,
    who: Sequence[str],
    theme: str = "light",
) -> go.Figure:
    """Points with labels y (N,) and their arrows, drawn ``scale`` times as long as they are; ``query`` is a star.

    ``length`` is the norm of all arrows together, ``against`` how many times that of the authors' gradient it is, and the
    cosine between them: NaN where either is 0, None for theirs.
    """
    ink = INK[theme]
    hover = [f"{name}<br>arrow {length:.3g}" for name, length in zip(who, flat.lengths.tolist(), strict=True)]
    classes = [f"class {label}" for label in range(int(y.max()) + 1)]
    traces = [
        disc.points(flat, group, hover, sizes=(9, 5), opacity=0.7, behind=0.25) for group in disc.by_class(y, classes)
    ]
    traces += [disc.arrows(flat, scale, ink), star(query, flat.places[query], f"the query, {who[query]}", 17, ink)]
    words = _words(flat, length, against)
    alt = f"{len(y)} points on {flat.view} and their arrows: {'; '.join(words)}."
    notes = [key(*(("", ink, line) for line in words))]
    meta = {"alt": alt, "scale": scale}
    layout = disc.layout(350, MARGIN, REACH, theme, hovermode="closest", annotations=notes, meta=meta)
    return canvas(traces, layout, theme=theme, alt=alt)


def _words(flat: Flat, length: float, against: tuple[float, float] | None) -> list[str]:
    moved = int((flat.lengths > 0).sum())
    if not moved:
        return ["no point moves: every arrow is 0"]
    words = [f"{moved} of {len(flat.lengths)} points move, length in all {length:.3g}"]
    if against and np.isfinite(against).all():
        words.append(f"{against[0]:.2f} times the authors', cosine {against[1]:.3f}")
    elif against is None:
        words.append("the authors' gradient")
    return words + disc.share_shown(flat, "it")
