"""Ranked List in charts: every query's loss, the push as the temperature rises, and distances on a strip."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.figures._kinds import circle_names, hover_properties, is_crowded, kinds, mined_counts
from dml_viz.explain.ranked_list.model import Model, Ranking
from dml_viz.plot import disc
from dml_viz.plot.canvas import Display, Row, axis, canvas, chart, counted, stacked, tint, words_of
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, bars, horizontal_line_shape, line, marks, stems, vertical_line_shape

MOST_LINES = 8  # negatives with a line each at most, the nearest ones
AXIS = {"range": [-0.04, 2.04], "tickvals": [0, 0.5, 1, 1.5, 2], "title": {"text": "distance d to the query"}}
FEW_NEGATIVES = 12  # number of mined negatives up to which the axis of their shares reaches 1
LINE_HEIGHT = 18  # pixels, the height of a line of words
CURVE_POINTS = 240  # points of the curve
ABOVE = 1.2  # of the top of the axis, where the curve is cut


def queries(model: Model, display: Display) -> go.Figure:
    """Pull and weighted push of every query, stacked and sorted by their sum; ``customdata`` is the query's index."""
    cost, query, ink = model.query_terms, model.settings.query, INK[display.theme]
    order = np.argsort(-cost, kind="stable")
    rank, at = np.arange(1, len(order) + 1), order == query
    kinds = (
        ("pull", model.mean_positive_loss, POSITIVE),
        ("λ · push", model.settings.loss.lam * model.mean_negative_loss, NEGATIVE),
    )
    traces = []
    for name, terms, colour in kinds:
        hover = f"#%{{customdata}}: {name} %{{y:.3f}}<extra></extra>"
        traces.append(bars(name, rank, terms[order], colour=colour, customdata=order, hover=hover))
    top = max(float(cost.max(initial=0)), 1e-9)
    above = cost[order][at] + 0.06 * top
    traces.append(marks("the query", rank[at], above, colour=QUERY, symbol="star", size=13, edge=(1, ink)))
    mean = f"the mean over all {len(cost)} is the loss, {model.value:.3f}; {int((cost == 0).sum())} cost 0"
    words = [*(("■", colour, f"{name}, on average {terms.mean():.3f}") for name, terms, colour in kinds), ("┄", ink, mean)]
    level = horizontal_line_shape(model.value, ink, name="loss")
    alt = f"{len(cost)} queries sorted by what they cost: {words_of(words)}. The chosen query costs {cost[query]:.3f}."
    x = axis("queries, the highest cost first", 0, len(order) + 1)
    y = axis("cost of the query", 0, 1.15 * top, tickformat=".2~f")
    look: Trace = {"barmode": "stack", "bargap": 0.1 if len(cost) <= CROWD else 0}
    return chart(traces, words, x, y, height=300, theme=display.theme, alt=alt, shapes=[level], **look)


def temperature(model: Model, display: Display) -> go.Figure:
    """Shares of the query's mined negatives against the temperature, a line for each of the nearest.

    The words above give the effective number of negatives: equal weights on so many would be as concentrated.
    """
    ranking, now = model.ranking, model.settings.loss.temperature
    d, share, points = (column[ranking.too_near] for column in (ranking.d, ranking.share, ranking.gallery))
    temperatures, shares = model.shares_by_temperature
    curves, count, traces = min(len(d), MOST_LINES), len(d), []
    for k in range(curves):
        hover = f"{display.who[points[k]]}, d = {d[k]:.3f}<br>T = %{{x:g}}: %{{y:.3f}}<extra></extra>"
        colour, width = tint(NEGATIVE, 1 - 0.8 * k / MOST_LINES), 3 if k == 0 else 1.5
        traces.append(line(f"share {k + 1}", temperatures, shares[:, k], colour=colour, width=width, hover=hover))
    words = [("✖", NEGATIVE, "no negative is nearer than α, so there is no push to divide")]
    if count:
        equal = np.full(len(temperatures), 1 / count)
        traces.insert(0, line("equal", temperatures, equal, colour=EXACT, width=1, dash="dot"))
        traces.append(marks("now", np.full(curves, now), share[:MOST_LINES], colour=NEGATIVE, symbol="x"))
        effective = 1 / float((share**2).sum())
        words = [
            ("✖", NEGATIVE, f"T = {now:g}: the nearest, d = {d[0]:.3f}, has {share[0]:.3f}"),
            ("┄", EXACT, f"at T = 0 each has {1 / count:.3f}; now {effective:.2g} of {count} count"),
        ]
    mined = counted(count, "mined negative")
    alt = f"Shares of the push against the temperature, for the nearest {curves} of {mined}: {words_of(words)}."
    x, y = axis("temperature T", temperatures[0] - 0.5, temperatures[-1] + 0.5), axis("share of the push", -0.03, 1.05)
    shapes = [vertical_line_shape(now, INK[display.theme], 1, name="now")]
    return chart(traces, words, x, y, height=400, theme=display.theme, alt=alt, top=52, shapes=shapes)


def strip(model: Model, display: Display) -> go.Figure:
    """Ranked points, shares of the push and slopes of the query's term, in three rows over distance.

    The curve is the weight e^(T(alpha - d)) at any distance d over the sum of the batch's weights.
    """
    near, far = model.loss_free_radii
    theme = display.theme
    within = {"x0": min(near, far), "x1": max(near, far)}
    shapes = [
        {"type": "rect", **within, "fillcolor": tint(QUERY, 0.16), "line": {"width": 0}, "layer": "below"},
        vertical_line_shape(near, POSITIVE, dash="dash", name="alpha - m"),
        vertical_line_shape(far, NEGATIVE, dash="solid", name="alpha"),
    ]
    rows = _ranked(model, display, shapes), _weights(model, display, shapes), _slopes(model.ranking, shapes)
    traces, layout = stacked(rows, AXIS)
    # The first heading has two lines.
    layout["margin"]["t"] += LINE_HEIGHT
    layout |= {"hovermode": "closest", "height": layout["height"] + LINE_HEIGHT}
    ranking, mined = model.ranking, words_of(mined_counts(model), " and ")
    alt = (
        f"The {counted(len(ranking.gallery), 'other point')} ranked by distance, in three rows over 0 to 2: {mined}. At T = "
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
    ranking, temperature, (_, reach) = model.ranking, model.settings.loss.temperature, model.loss_free_radii
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
