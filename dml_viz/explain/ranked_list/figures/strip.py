"""The ranked list of one query on the axis of distance: who is mined, with what weight, and what slope it gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures.kinds import SPARED, Around, Kind, named
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, tint
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line, marks, stems, upright

AXIS = {"range": [-0.04, 2.04], "tickvals": [0, 0.5, 1, 1.5, 2], "title": {"text": "distance d to the query"}}
FEW = 12  # mined negatives up to which the axis of their shares reaches to 1
LINE = 18  # pixels of a line of words
CURVE = 240  # points of the curve
ABOVE = 1.2  # of the axis's top, where the curve is cut


def strip_figure(
    seen: Around,
    slope: np.ndarray,
    bounds: tuple[float, float],
    knobs: tuple[float, float],
    *,
    temperature: float,
    theme: str = "light",
) -> go.Figure:
    """Ranked points, shares of the push and slopes of the query's term; ``slope`` (K,) is for the points ``seen``.

    ``bounds`` are the radii within which positives, and beyond which negatives, cost nothing, ``knobs`` alpha and m, of
    which they are made. The curve is the weight
    e^(T(alpha - d)) of a point at any distance over the sum of those that are there.
    """
    near, far = bounds
    ink = INK[theme]
    shell = {"type": "rect", "x0": min(near, far), "x1": max(near, far), "fillcolor": tint(QUERY, 0.16), "line": {"width": 0},
             "layer": "below"}  # fmt: skip
    shapes = [
        shell,
        upright(near, POSITIVE, dash="dash", name="alpha - m"),
        upright(far, NEGATIVE, dash="solid", name="alpha"),
    ]
    pushed = seen.mined & ~seen.relevant
    rows = (
        _ranked(seen, ink, named(*knobs), shapes),
        _weights(seen, pushed, far, temperature, shapes),
        _slopes(seen, slope, shapes),
    )
    alt = _alt(seen, slope, named(*knobs), temperature)
    traces, layout = stacked(rows, AXIS)
    # The first heading has two lines.
    layout["margin"]["t"] += LINE
    layout |= {"showlegend": False, "hovermode": "closest", "height": layout["height"] + LINE}
    return canvas(traces, layout, theme=theme, alt=alt)


def _ranked(seen: Around, ink: str, names: tuple[str, str], shapes: list[Trace]) -> Row:
    (within, beyond), levels = names, seen.relevant.astype(float)
    size = 6 if seen.crowded else 10
    traces = [_points(kind, kind.name, seen.d, levels, size, **seen.pointed(kind)) for kind in seen.kinds()]
    at = np.stack((seen.d, levels), 1)[seen.mined]
    traces.insert(2, disc.rings("rings", at, size + 6, ink, 0.75 if seen.crowded else 1.5))
    far, near = seen.relevant & seen.mined, seen.mined & ~seen.relevant
    counts = (
        f'<span style="color:{POSITIVE}">●</span> {far.sum()} of {seen.relevant.sum()} beyond α − m, '
        f'<span style="color:{NEGATIVE}">✖</span> {near.sum()} of {(~seen.relevant).sum()} within α'
    )
    signed = {"range": [-0.7, 1.7], "tickvals": [0, 1], "ticktext": ["−", "+"], "showgrid": False}
    heading = f"<b>1  The ranked list</b>; dashed {within}, solid {beyond}<br>{counts}"
    return Row(heading, traces, 64, signed, shapes)


def _weights(seen: Around, pushed: np.ndarray, reach: float, temperature: float, shapes: list[Trace]) -> Row:
    d, share = seen.d[pushed], seen.share[pushed]
    largest = float(share.max(initial=0))
    top = 1.08 if len(d) <= FEW else 1.25 * largest
    x, y = np.zeros(0), np.zeros(0)
    if len(d):
        x = np.linspace(0, reach, CURVE)
        # From the largest share on: a power of its own would overflow at the left end.
        rise = temperature * (d[share.argmax()] - x) + np.log(largest)
        y = np.exp(np.minimum(rise, np.log(ABOVE * top)))
    traces = [
        line("weight curve", x, y, colour=EXACT, width=1.5),
        stems("stems of shares", d, share, NEGATIVE, 1 if seen.crowded else 2),
        marks("shares", d, share, colour=NEGATIVE, symbol="x", size=5 if seen.crowded else 9, customdata=seen.points[pushed],
              text=[seen.who[k] for k in np.flatnonzero(pushed).tolist()],
              hover="%{text}<br>d = %{x:.3f}, share %{y:.3f}<extra></extra>"),
    ]  # fmt: skip
    heading = f"<b>2  Shares of the push</b>, as e<sup>T(α−d)</sup>; T = {temperature:g}"
    return Row(heading, traces, 130, {"range": [0, top or 1]}, shapes)


def _slopes(seen: Around, slope: np.ndarray, shapes: list[Trace]) -> Row:
    traces = []
    for kind in (kind for kind in seen.kinds() if kind.mined):
        hover = "d = %{x:.3f}, slope %{y:.3f}<extra></extra>"
        own = {"hover": hover, "customdata": seen.points[kind.of]}
        traces += [
            stems(f"stems of {kind.name}", seen.d[kind.of], slope[kind.of], kind.colour, 1 if seen.crowded else 2),
            _points(kind, f"slopes of {kind.name}", seen.d, slope, 5 if seen.crowded else 8, **own),
        ]
    axis = {"zeroline": True, "zerolinewidth": 1, "rangemode": "tozero"}
    return Row("<b>3  Slopes in d</b>: above 0 pulled, below pushed", traces, 120, axis, shapes)


def _points(kind: Kind, name: str, x: np.ndarray, y: np.ndarray, size: int, **more: Any) -> Trace:
    return marks(name, x[kind.of], y[kind.of], colour=kind.colour, symbol=kind.symbol, size=size,
                 opacity=0.95 if kind.mined else SPARED, **more)  # fmt: skip


def _alt(seen: Around, slope: np.ndarray, names: tuple[str, str], temperature: float) -> str:
    pushed = seen.mined & ~seen.relevant
    counts = " and ".join(words for *_, words in seen.counts(*names))
    largest = f"the largest share of the push is {seen.share.max():.3f}" if pushed.any() else "nothing is pushed"
    return (
        f"The {len(seen.points)} other points ranked by distance, in three rows over 0 to 2: {counts}; at T = {temperature:g} "
        f"{largest}; slopes from {slope.min(initial=0):.3g} to {slope.max(initial=0):.3g}."
    )
