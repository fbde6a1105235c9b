"""The plane of a triplet's two similarities: the loss as contours, its gradient as arrows, its boundaries as lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.pairs.figures.field import Lines, Surface, arrows
from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, FAINT, INK, PAPER, QUERY
from dml_viz.plot.traces import Trace, heads, line, marks, with_gaps

HEIGHT = 480
EDGE = 1.05  # of the largest similarity, where the axes end
MANY = 300  # triplets from which marks shrink
LEVELS = 12  # contours
HEAD = 6  # px, of an arrow
STEEP = 200  # from this ratio of the largest to the median value, contours are of the logarithm


@dataclass(frozen=True, eq=False)
class Dots:
    """Triplets of the anchor: s_p, s_n, whether one has a gradient (T,), and what it is called.

    ``counted`` says of all of its triplets, of which these may be some, how many have a gradient, and how many there are.
    """

    s_p: np.ndarray
    s_n: np.ndarray
    felt: np.ndarray
    who: Sequence[str]
    counted: tuple[int, int]


def plane_figure(
    surface: Surface, lines: Lines, dots: Dots, now: tuple[float, float], *, title: str, theme: str = "light"
) -> go.Figure:
    """The plane with the anchor's triplets on it; ``now`` (s_p, s_n) is the one looked at, NaN for none.

    An arrow is (-dL/ds_p, -dL/ds_n) times ``layout.meta["scale"]``, but no longer than ``layout.meta["longest"]``. Its middle
    is at its place, and all of it lies where there is a gradient: what would reach over a boundary is left out.
    """
    vectors, scale, longest = arrows(surface, lines)
    traces: list[Trace] = [
        *_value(surface, theme),
        *_blank(lines, theme),
        *_boundaries(lines, theme),
        _descent(vectors, theme),
        *_triplets(dots, theme),
        marks("this triplet", np.array(now[:1]), np.array(now[1:]), colour=QUERY, symbol="diamond", size=13,
              edge=(1.5, PAPER[theme]), hover="this triplet<br>sₚ = %{x:.3f}, sₙ = %{y:.3f}<extra></extra>"),
    ]  # fmt: skip
    words, alt = _words(surface, lines, dots, now, title)
    axis = {"range": [-EDGE, EDGE], "dtick": 0.5, "constrain": "domain"}
    layout = {
        "height": HEIGHT,
        "margin": {"l": 54, "r": 12, "t": 84, "b": 46},
        "xaxis": {**axis, "title": {"text": "s<sub>p</sub>, anchor and positive"}},
        "yaxis": {**axis, "title": {"text": "s<sub>n</sub>, anchor and negative"}, "scaleanchor": "x"},
        "showlegend": False,
        "annotations": [key(*words)],
        "meta": {"alt": alt, "scale": scale, "longest": longest},
        "uirevision": "plane",
    }
    return canvas(traces, layout, theme=theme, alt=alt)


def _descent(vectors: np.ndarray, theme: str) -> Trace:
    """Arrows x, y, u and v (4, K) as lines with a head, each with its middle at its place: Plotly's own are below contours."""
    places, ways = vectors[:2], vectors[2:]
    x, y = (with_gaps(np.column_stack((at - way / 2, at + way / 2))) for at, way in zip(places, ways, strict=True))
    sizes = np.tile([0.0, HEAD, 0.0], places.shape[1])
    ink = INK[theme]
    return line("descent", x, y, colour=ink, width=1.3, mode="lines+markers", marker=heads(sizes, ink))


def _value(surface: Surface, theme: str) -> list[Trace]:
    value, largest = surface.value, float(np.nanmax(surface.value, initial=0))
    common: Trace = {
        "type": "contour", "name": "loss", "x": surface.s, "y": surface.s, "showscale": False, "hoverongaps": False,
        "colorscale": [[0, tint(EXACT, 0.03)], [1, tint(EXACT, 0.45)]],
        "text": np.where(np.isnan(value), "no unit vectors are so alike", np.char.mod("L = %.3g", value)),
        "hovertemplate": "sₚ = %{x:.2f}, sₙ = %{y:.2f}<br>%{text}<extra></extra>",
        "line": {"color": FAINT[theme], "width": 1},
    }  # fmt: skip
    if largest <= 0:
        return [{**common, "z": value}]
    shown = np.log10(np.maximum(value, 1e-6 * largest)) if _is_steep(value) else value
    return [{**common, "z": _carried_on(shown), "ncontours": LEVELS}]


def _is_steep(value: np.ndarray) -> bool:
    """Whether contours of the value itself would show little."""
    above = value[value > 0]
    return len(above) > 0 and float(above.max()) > STEEP * float(np.median(above))


def _carried_on(value: np.ndarray) -> np.ndarray:
    """The values (G, G), carried on by each column's last slope where there are none: contours run on beneath the blank."""
    carried, rows = value.copy(), np.arange(len(value))
    for column in carried.T:
        known = np.flatnonzero(~np.isnan(column))
        if not len(known):
            continue
        low, high = known[0], known[-1]
        slopes = np.diff(column[known])[[0, -1]] if len(known) > 1 else np.zeros(2)
        beyond = slopes[0] * np.minimum(rows - low, 0) + slopes[1] * np.maximum(rows - high, 0)
        column[:] = np.interp(rows, known, column[known]) + beyond
    return carried


def _blank(lines: Lines, theme: str) -> list[Trace]:
    """The page's colour over where there are no unit vectors: a grid's cells would end it in steps."""
    if not len(lines.edge):
        return []
    s_p, s_n = lines.edge.T
    corners = np.array([EDGE, EDGE, -EDGE, -EDGE])
    x = np.concatenate((s_p, corners))
    sides = (("above", 1.0, EDGE), ("below", -1.0, EDGE))
    return [
        {"type": "scatter", "mode": "none", "name": f"blank {name}", "x": x,
         "y": sign * np.concatenate((s_n, [s_n[-1], end, end, s_n[0]])), "fill": "toself", "fillcolor": PAPER[theme],
         "hoverinfo": "skip"}
        for name, sign, end in sides
    ] + [line(f"edge {name}", s_p, sign * s_n, colour=FAINT[theme], width=1.5) for name, sign, _ in sides]  # fmt: skip


def _boundaries(lines: Lines, theme: str) -> list[Trace]:
    styles = (("still", lines.still, "solid"), ("even", lines.even, "dash"), ("half", lines.half, "dot"))
    return [
        line(name, with_gaps(segments[:, :, 0]), with_gaps(segments[:, :, 1]), colour=INK[theme], dash=dash)
        for name, segments, dash in styles
        if len(segments)
    ]


def _triplets(dots: Dots, theme: str) -> list[Trace]:
    few = len(dots.s_p) <= MANY
    styles = (("without a gradient", ~dots.felt, "circle-open", tint(INK[theme], 0.55)),
              ("with a gradient", dots.felt, "circle", INK[theme]))  # fmt: skip
    return [
        marks(f"triplets {name}", dots.s_p[of], dots.s_n[of], colour=colour, symbol=symbol, size=7 if few else 4,
              opacity=1 if few else 0.6, edge=(1, None), text=[dots.who[k] for k in np.flatnonzero(of).tolist()],
              hover="%{text}<br>sₚ = %{x:.3f}, sₙ = %{y:.3f}<extra></extra>")
        for name, of, symbol, colour in styles
    ]  # fmt: skip


def _words(
    surface: Surface, lines: Lines, dots: Dots, now: tuple[float, float], title: str
) -> tuple[list[tuple[str, str, str]], str]:
    signs = (("━", lines.still, "here the gradient ends"), ("╌", lines.even, "pull = push"),
             ("┈", lines.half, "half the largest push"))  # fmt: skip
    drawn = [(sign, said) for sign, segments, said in signs if len(segments)]
    bounds = " &nbsp; ".join(f"{sign} {said}" for sign, said in drawn)
    felt, many = dots.counted
    least, most = (number(end) for end in (np.nanmin(surface.value), np.nanmax(surface.value)))
    steps = ", in steps of its logarithm" if _is_steep(surface.value) else ""
    s_p, s_n = (number(s, ".3f") for s in now)
    at = "no triplet" if math.isnan(sum(now)) else f"this triplet: s<sub>p</sub> = {s_p}, s<sub>n</sub> = {s_n}"
    words = [
        ("◆", QUERY, at),
        ("●", "inherit", f"with a gradient: {felt:,} of the anchor's {many:,} triplets"),
        ("░▓", EXACT, f"the greyer, the larger the loss{steps}"),
        ("", "inherit", bounds or "no boundary"),
    ]
    strength = np.hypot(surface.of_positive, surface.of_negative)
    largest = float(np.nanmax(strength, initial=0))
    still = float((strength == 0).sum() / max((~np.isnan(strength)).sum(), 1))
    alt = (
        f"{title} over the similarities of one triplet: values from {least} to {most} on a grid, the longest gradient "
        f"{largest:.3g}, none in {still:.0%} of the plane; "
        f"of the anchor's {many:,} triplets {felt:,} have a gradient."
    )
    return words, alt
