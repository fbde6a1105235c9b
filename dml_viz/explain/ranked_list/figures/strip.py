"""The ranked list of one query on the axis of distance: which points are mined, their weights and their slopes."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import circle_names, hover_properties, is_crowded, kinds, mined_counts
from dml_viz.explain.ranked_list.model import Model, Ranking
from dml_viz.plot import disc
from dml_viz.plot.canvas import canvas, tint
from dml_viz.plot.display import Display
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line, marks, stems, vertical_line

AXIS = {"range": [-0.04, 2.04], "tickvals": [0, 0.5, 1, 1.5, 2], "title": {"text": "distance d to the query"}}
FEW_NEGATIVES = 12  # number of mined negatives up to which the axis of their shares reaches 1
LINE_HEIGHT = 18  # pixels, the height of a line of words
CURVE_POINTS = 240  # points of the curve
ABOVE = 1.2  # of the top of the axis, where the curve is cut


def strip(model: Model, display: Display) -> go.Figure:
    """Ranked points, shares of the push and slopes of the query's term, in three rows over distance.

    The curve is the weight e^(T(alpha - d)) at any distance d over the sum of the batch's weights.
    """
    near, far = model.bounds
    theme = display.theme
    within = {"x0": min(near, far), "x1": max(near, far)}
    shapes = [
        {"type": "rect", **within, "fillcolor": tint(QUERY, 0.16), "line": {"width": 0}, "layer": "below"},
        vertical_line(near, POSITIVE, dash="dash", name="alpha - m"),
        vertical_line(far, NEGATIVE, dash="solid", name="alpha"),
    ]
    rows = _ranked(model, display, shapes), _weights(model, display, shapes), _slopes(model.ranking, shapes)
    traces, layout = stacked(rows, AXIS)
    # The first heading has two lines.
    layout["margin"]["t"] += LINE_HEIGHT
    layout |= {"hovermode": "closest", "height": layout["height"] + LINE_HEIGHT}
    ranking, counted = model.ranking, " and ".join(words for *_, words in mined_counts(model))
    alt = (
        f"The {len(ranking.gallery)} other points ranked by distance, in three rows over 0 to 2: {counted}. At T = "
        f"{model.settings.loss.temperature:g} the largest share of the push is {ranking.share.max(initial=0):.3f}. Slopes go "
        f"from {ranking.slope.min(initial=0):.3g} to {ranking.slope.max(initial=0):.3g}."
    )
    return canvas(traces, layout, theme=theme, alt=alt)


def _ranked(model: Model, display: Display, shapes: list[Trace]) -> Row:
    ranking, (within, beyond) = model.ranking, circle_names(model)
    levels = ranking.relevant.astype(float)
    size, width = (6, 0.75) if is_crowded(ranking) else (10, 1.5)
    traces = [
        kind.marks(kind.name, ranking.d, levels, size, **hover_properties(ranking, kind, display)) for kind in kinds(ranking)
    ]
    at = np.stack((ranking.d, levels), 1)[ranking.mined]
    traces.insert(2, disc.rings("rings", at, size + 6, INK[display.theme], width))
    counted = (
        f'<span style="color:{POSITIVE}">●</span> {ranking.too_far.sum()} of {ranking.relevant.sum()} beyond α − m, '
        f'<span style="color:{NEGATIVE}">✖</span> {ranking.too_near.sum()} of {(~ranking.relevant).sum()} within α'
    )
    signed = {"range": [-0.7, 1.7], "tickvals": [0, 1], "ticktext": ["−", "+"], "showgrid": False}
    heading = f"<b>1  The ranked list</b>; dashed {within}, solid {beyond}<br>{counted}"
    return Row(heading, traces, 64, signed, shapes)


def _weights(model: Model, display: Display, shapes: list[Trace]) -> Row:
    ranking, temperature, (_, reach) = model.ranking, model.settings.loss.temperature, model.bounds
    d, share, points = (column[ranking.too_near] for column in (ranking.d, ranking.share, ranking.gallery))
    small = is_crowded(ranking)
    largest = float(share.max(initial=0))
    top = 1.08 if len(d) <= FEW_NEGATIVES else 1.25 * largest
    x, y = np.zeros(0), np.zeros(0)
    if len(d):
        x = np.linspace(0, reach, CURVE_POINTS)
        # Computed from the largest share, as e to the power itself could overflow at the left end.
        rise = temperature * (d[share.argmax()] - x) + np.log(largest)
        y = np.exp(np.minimum(rise, np.log(ABOVE * top)))
    hover = "%{text}<br>d = %{x:.3f}, share %{y:.3f}<extra></extra>"
    text: Trace = {"customdata": points, "text": [display.who[k] for k in points.tolist()], "hover": hover}
    traces = [
        line("weight curve", x, y, colour=EXACT, width=1.5),
        stems("stems of shares", d, share, NEGATIVE, 1 if small else 2),
        marks("shares", d, share, colour=NEGATIVE, symbol="x", size=5 if small else 9, **text),
    ]
    heading = f"<b>2  Shares of the push</b>, as e<sup>T(α−d)</sup>; T = {temperature:g}"
    return Row(heading, traces, 130, {"range": [0, top or 1]}, shapes)


def _slopes(ranking: Ranking, shapes: list[Trace]) -> Row:
    traces, (width, size) = [], (1, 5) if is_crowded(ranking) else (2, 8)
    for kind in (kind for kind in kinds(ranking) if kind.mined):
        hover: Trace = {"hover": "d = %{x:.3f}, slope %{y:.3f}<extra></extra>", "customdata": ranking.gallery[kind.members]}
        d, slope = ranking.d[kind.members], ranking.slope[kind.members]
        traces.append(stems(f"stems of {kind.name}", d, slope, kind.colour, width))
        traces.append(kind.marks(f"slopes of {kind.name}", ranking.d, ranking.slope, size, **hover))
    axis = {"zeroline": True, "zerolinewidth": 1, "rangemode": "tozero"}
    return Row("<b>3  Slopes in d</b>: above 0 pulled, below pushed", traces, 120, axis, shapes)
