"""What every query costs: its pull and its push, the dearest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import CROWD, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, marks

if TYPE_CHECKING:
    from dml_viz.explain.ranked_list.model import Model


def queries(model: Model, display: Display) -> go.Figure:
    """Pull and weighted push of every query, stacked and sorted by their sum; ``customdata`` is the query's place."""
    pull, push, query = model.pull, model.settings.loss.lam * model.push, model.settings.query
    cost, ink = pull + push, INK[display.theme]
    order = np.argsort(-cost, kind="stable")
    rank = np.arange(1, len(order) + 1)
    kinds = (("pull", pull, POSITIVE), ("λ · push", push, NEGATIVE))
    hover = "#%{{customdata}}: {} %{{y:.3f}}<extra></extra>"
    traces = [
        bars(name, rank, terms[order], colour=colour, customdata=order, hover=hover.format(name))
        for name, terms, colour in kinds
    ]
    at = order == query
    top = max(float(cost.max(initial=0)), 1e-9)
    traces.append(
        marks(
            "the query",
            rank[at],
            cost[order][at] + 0.06 * top,
            colour=QUERY,
            symbol="star",
            size=13,
            edge=(1, ink),
        )
    )
    free = int((cost == 0).sum())
    means = [(f"{name}, on average {terms.mean():.3f}", colour) for name, terms, colour in kinds]
    mean = f"the mean over all {len(cost)} is the loss, {model.value:.3f}"
    words = [*(("■", colour, text) for text, colour in means), ("┄", ink, f"{mean}; {free} cost 0")]
    level = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": model.value, "y1": model.value, "name": "loss",
             "line": {"color": ink, "width": 1.5, "dash": "dot"}}  # fmt: skip
    alt = (
        f"{len(cost)} queries sorted by what they cost: {'; '.join(text for text, _ in means)}; {mean}; {free} cost nothing; "
        f"the chosen query costs {cost[query]:.3f}."
    )
    x = axis("queries, the dearest first", 0, len(order) + 1)
    y = axis("what the query costs", 0, 1.15 * top, tickformat=".2~f")
    return chart(traces, words, x, y, height=300, theme=display.theme, alt=alt, barmode="stack", shapes=[level],
                 bargap=0.1 if len(cost) <= CROWD else 0)  # fmt: skip
