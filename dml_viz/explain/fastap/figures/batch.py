"""FastAP over a whole batch: the histogram of all pairs, and every query's FastAP beside its exact AP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.disc import rings
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, marks

if TYPE_CHECKING:
    from dml_viz.explain.fastap.model import Model

HEIGHT = 340


def batch(model: Model, display: Display) -> go.Figure:
    """Sums of h+ and of h- over all queries, each drawn as shares of its own total; ``customdata`` has the sums."""
    theme, centres = display.theme, model.settings.binning.centres
    plus, minus = model.batch.plus.sum(0), model.batch.minus.sum(0)
    width = 0.46 * float(centres[1] - centres[0])
    kinds = (("positive", plus, POSITIVE, -width), ("negative", minus, NEGATIVE, 0.0))
    traces = [
        bars(f"{name} pairs", centres, sums / max(sums.sum(), 1), colour=colour, width=width, offset=offset, customdata=sums,
             hover=f"%{{y:.1%}} of the {name} pairs (%{{customdata:.2f}})<extra></extra>")
        for name, sums, colour, offset in kinds
    ]  # fmt: skip
    words = [
        ("■", colour, f"{sums.sum():,.0f} {name} pairs, mean d² {_mean(centres, sums)}")
        for name, sums, colour, _ in kinds
    ]
    x = axis("squared distance d²", -1.2 * width, 4 + 1.2 * width)
    y = axis("share of pairs", tickformat=".0%")
    alt = f"Histograms over all queries in {len(centres) - 1} bins of squared distance: {' and '.join(w for *_, w in words)}."
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt, barmode="overlay")


def queries(model: Model, display: Display) -> go.Figure:
    """FastAP and exact AP of every query, the worst first; ``customdata`` is the point's index.

    Queries without positives (NaN) are left out; the query is ringed.
    """
    theme, query = display.theme, model.settings.query
    fastap, average_precision = model.batch.fastap, model.average_precision
    order = np.argsort(fastap, kind="stable")[: int(np.isfinite(fastap).sum())]
    rank, chosen = np.arange(1, len(order) + 1), order == query
    mean_ap, mean_fastap = (
        score(float(s[order].mean()) if len(order) else np.nan) for s in (average_precision, fastap)
    )
    looks = (
        ("exact AP", average_precision, EXACT, "diamond-open", "◇", f"exact AP of each query; mAP = {mean_ap}"),
        ("FastAP", fastap, INK[theme], "circle", "●", f"FastAP of each query; 1 − loss = {mean_fastap}"),
    )
    traces = [
        marks(name, rank, scores[order], colour=colour, symbol=symbol, size=8 if len(order) <= CROWD else 4, customdata=order,
              hover=f"#%{{customdata}}: {name} %{{y:.3f}}<extra></extra>")
        for name, scores, colour, symbol, *_ in looks
    ]  # fmt: skip
    both = np.concatenate([scores[order][chosen] for _, scores, *_ in looks])
    traces.append(rings("the query", np.stack((np.tile(rank[chosen], 2), both), 1), 15, QUERY))
    x, y = axis("queries, the worst FastAP first", 0, len(order) + 1), axis("score of the query", -0.03, 1.05)
    words = [(sign, colour, words) for _, _, colour, _, sign, words in looks]
    alt = f"Scores of {len(order)} queries sorted by FastAP: mAP {mean_ap}, mean FastAP {mean_fastap}"
    if chosen.any():
        alt += f"; the chosen query has FastAP {fastap[query]:.3f} and exact AP {average_precision[query]:.3f}"
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt + ".")


def _mean(centres: np.ndarray, sums: np.ndarray) -> str:
    return f"{(centres * sums).sum() / sums.sum():.3g}" if sums.sum() else "undefined"
