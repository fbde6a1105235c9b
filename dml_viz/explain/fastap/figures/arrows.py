"""Where each point should go to raise FastAP: tangent arrows at the points of one query, or of the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key
from dml_viz.plot.projection import Flat
from dml_viz.plot.style import CROWD, FAINT, INK, NEGATIVE, POSITIVE, QUERY, class_style

LONGEST = 0.42  # of an arrow as drawn, in units of the sphere's radius
REACH = 1.22  # of the drawing from its centre, in radii
BEHIND = 0.3  # opacity of what faces away
WHOLE = 0.9995  # from here a share reads as 100 %
OUTLINE = {"type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "below"}
CORNER = {
    "x": 0,
    "y": 0,
    "xref": "paper",
    "yref": "paper",
    "xanchor": "left",
    "yanchor": "top",
    "showarrow": False,
    "align": "left",
}


def arrows_figure(
    flat: Flat,
    y: np.ndarray,
    query: int,
    *,
    of_query: bool,
    who: Sequence[str],
    names: Sequence[str],
    theme: str = "light",
) -> go.Figure:
    """Points and the arrows at them, drawn by one factor (``layout.meta["scale"]``) so that the longest spans 0.42.

    ``y`` (N,) are labels, ``who`` (N,) names points and ``names`` (C,) classes. For one query the colours tell positives
    from negatives, and the query's own arrow, which answers to all others at once, has a factor of its own
    (``layout.meta["own"]``); for the batch they tell one class from another and ``query`` is ringed.
    """
    itself = np.arange(len(y)) == query
    drawn = np.linalg.norm(flat.arrows, axis=1)
    scale = _factor(drawn[~itself] if of_query else drawn)
    own = min(scale, _factor(drawn[itself])) if of_query and scale else _factor(drawn)
    groups = _relevance(y, query) if of_query else _classes(y, names)
    every = [("arrows", INK[theme], "", np.ones(len(y), bool))]
    factor = np.where(itself, own, scale) if of_query else np.full(len(y), scale)
    traces = [_points(flat, _hover(flat, who), *group) for group in groups]
    traces += [_arrows(flat, factor, name, colour, of) for name, colour, _, of in (groups if of_query else every)]
    if not of_query:
        ring = {"symbol": "circle-open", "size": 20, "color": QUERY, "line": {"width": 3}}
        x, y_ = flat.places[[query]].T
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": "the query",
                "x": x,
                "y": y_,
                "marker": ring,
                "hoverinfo": "skip",
            }
        )
    words, alt = _words(flat, scale, own, of_query), _alt(flat, y, who[query] if of_query else "")
    axis = {"range": [-REACH, REACH], "showgrid": False, "showticklabels": False, "ticks": ""}
    layout: dict[str, Any] = {
        "height": 420,
        "margin": {"l": 8, "r": 8, "t": 34, "b": 56},
        "xaxis": axis,
        "yaxis": {**axis, "scaleanchor": "x"},
        "showlegend": False,
        "shapes": [{**OUTLINE, "line": {"color": FAINT[theme], "width": 1.5}}],
        "annotations": [{**CORNER, "text": words}],
        "meta": {"alt": alt, "scale": scale, "own": own},
    }
    if of_query:
        signs = zip("★●✖", groups, strict=True)
        layout["annotations"].append(key(*((sign, colour, name) for sign, (name, colour, *_) in signs), apart="   "))
    return canvas(traces, layout, theme=theme, alt=alt)


def _factor(lengths: np.ndarray) -> float:
    longest = float(lengths.max(initial=0))
    return LONGEST / longest if longest else 0.0


def _words(flat: Flat, scale: float, own: float, of_query: bool) -> str:
    if not flat.longest:
        return "no arrow: every gradient is 0"
    said = [f"longest arrow: {flat.longest:.3g}"]
    if of_query and own < 0.995 * scale:
        said.append(f"the query's own is drawn {scale / own:.2g} times shorter than the others")
    if flat.shown_in_all < WHOLE:
        said.append(f"{flat.view} shows {flat.shown_in_all:.0%} of the gradient")
    return "<br>".join(said)


def _alt(flat: Flat, y: np.ndarray, of: str) -> str:
    return (
        f"{len(y)} points of {len(set(y.tolist()))} classes on {flat.view}, with arrows that raise FastAP of "
        f"{f'query {of}' if of else 'all queries'}: {int((flat.lengths > 0).sum())} points have one"
        + (
            f", the longest is {flat.longest:.3g}, and the drawing shows {flat.shown_in_all:.0%} of them."
            if flat.longest
            else "."
        )
    )


def _hover(flat: Flat, who: Sequence[str]) -> list[str]:
    return [
        f"{name}<br>arrow {length:.2g}" + (f", {share:.0%} of it shown" if share < WHOLE else "")
        for name, length, share in zip(who, flat.lengths.tolist(), flat.shown.tolist(), strict=True)
    ]


def _relevance(y: np.ndarray, query: int) -> list[tuple[str, str, str, np.ndarray]]:
    same, itself = y == y[query], np.arange(len(y)) == query
    return [
        ("query", QUERY, "star", itself),
        ("positives", POSITIVE, "circle", same & ~itself),
        ("negatives", NEGATIVE, "x", ~same),
    ]


def _classes(y: np.ndarray, names: Sequence[str]) -> list[tuple[str, str, str, np.ndarray]]:
    return [(names[c], *class_style(c), y == c) for c in sorted(set(y.tolist()))]


def _points(flat: Flat, hover: Sequence[str], name: str, colour: str, symbol: str, of: np.ndarray) -> dict[str, Any]:
    x, y = flat.places[of].T
    opacity = np.where(flat.behind[of], BEHIND, 0.95) if flat.behind.any() else 0.95
    size = 16 if name == "query" else 10 if len(flat.places) <= CROWD else 6
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, "customdata": np.flatnonzero(of),
            "marker": {"color": colour, "symbol": symbol, "size": size, "opacity": opacity, "line": {"width": 0}},
            "text": [hover[k] for k in np.flatnonzero(of).tolist()], "hovertemplate": "%{text}<extra></extra>"}  # fmt: skip


def _arrows(flat: Flat, factor: np.ndarray, name: str, colour: str, of: np.ndarray) -> dict[str, Any]:
    drawn = of & (flat.lengths > 0)
    (x, y), (u, v) = flat.places[drawn].T, (factor[:, None] * flat.arrows)[drawn].T
    width = 2 if len(flat.places) <= CROWD else 1
    return {"type": "quiver", "name": f"arrows, {name}", "x": x, "y": y, "u": u, "v": v, "lengthmode": "raw", "anchor": "tail",
            "marker": {"color": colour, "line": {"width": width}, "arrowsize": 0.8},
            "customdata": np.flatnonzero(drawn), "hoverinfo": "skip"}  # fmt: skip
