"""Ranked List in charts: the loss of every query, and the division of the push as the temperature rises."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.ranked_list.model import Model
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, bars, horizontal_line, line, marks, vertical_line

MOST_LINES = 8  # negatives with a line each at most, the nearest ones


def queries(model: Model, display: Display) -> go.Figure:
    """Pull and weighted push of every query, stacked and sorted by their sum; ``customdata`` is the query's index."""
    cost, query, ink = model.costs, model.settings.query, INK[display.theme]
    order = np.argsort(-cost, kind="stable")
    rank, at = np.arange(1, len(order) + 1), order == query
    kinds = (("pull", model.pull, POSITIVE), ("λ · push", model.settings.loss.lam * model.push, NEGATIVE))
    traces = []
    for name, terms, colour in kinds:
        hover = f"#%{{customdata}}: {name} %{{y:.3f}}<extra></extra>"
        traces.append(bars(name, rank, terms[order], colour=colour, customdata=order, hover=hover))
    top = max(float(cost.max(initial=0)), 1e-9)
    above = cost[order][at] + 0.06 * top
    traces.append(marks("the query", rank[at], above, colour=QUERY, symbol="star", size=13, edge=(1, ink)))
    mean = f"the mean over all {len(cost)} is the loss, {model.value:.3f}; {int((cost == 0).sum())} cost 0"
    words = [*(("■", colour, f"{name}, on average {terms.mean():.3f}") for name, terms, colour in kinds), ("┄", ink, mean)]
    level = horizontal_line(model.value, ink, name="loss")
    alt = (
        f"{len(cost)} queries sorted by what they cost: {'; '.join(text for *_, text in words)}. "
        f"The chosen query costs {cost[query]:.3f}."
    )
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
    alt = (
        f"Shares of the push against the temperature, for the nearest {curves} of {count} mined negatives: "
        f"{'; '.join(text for *_, text in words)}."
    )
    x, y = axis("temperature T", temperatures[0] - 0.5, temperatures[-1] + 0.5), axis("share of the push", -0.03, 1.05)
    shapes = [vertical_line(now, INK[display.theme], 1, name="now")]
    return chart(traces, words, x, y, height=400, theme=display.theme, alt=alt, top=52, shapes=shapes)
