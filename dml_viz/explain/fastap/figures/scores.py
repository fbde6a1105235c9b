"""FastAP in charts: of one query beside its exact AP, and over the whole batch."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.model import COUNTS, Model
from dml_viz.explain.fastap.model_bins import is_outside_bins
from dml_viz.plot.canvas import Display, axis, chart, counted, number, score, tint, words_of
from dml_viz.plot.disc import rings
from dml_viz.plot.style import CROWD, EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, line, marks

HEIGHT = 340
SCORE_MARGIN = 0.02  # of score, above and below the curves


def precision_recall(model: Model, display: Display) -> go.Figure:
    """Recall and precision of the exact ranking and of the bins, as steps whose areas are AP and FastAP.

    A step spans the recall gained, at the precision after the gain; precision may be NaN where recall is 0.
    """
    ranking, theme = model.ranking, display.theme
    average_precision, fastap = score(ranking.average_precision), score(ranking.fastap)
    curves = (
        (f"exact steps, area AP = {average_precision}", ranking.exact_recall_and_precision[1:], EXACT, 3),
        (f"binned steps, area FastAP = {fastap}", (ranking.recall, ranking.precision), INK[theme], 1.5),
    )
    look = {"shape": "vh", "fill": "tozeroy", "hover": "recall %{x:.3f}, precision %{y:.3f}"}
    traces = [
        line(name, *_steps(*curve), colour=colour, width=width, fillcolor=tint(colour, 0.16), **look)
        for name, curve, colour, width in curves
    ]
    words = [("■", colour, name) for name, _, colour, _ in curves]
    steps = counted(len(ranking.exact_recall_and_precision[0]), "step")
    alt = (
        f"Precision against recall for one query. Exact ranking: {steps}, AP "
        f"{average_precision}. {len(ranking.recall) - 1} bins: FastAP {fastap}."
    )
    x, y = axis("recall", 0, 1.01), axis("precision", 0, 1.04)
    return chart(traces, words, x, y, height=330, theme=theme, alt=alt)


def _steps(recall: np.ndarray, precision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the steps, from recall 0 on; bins before the first point retrieved have no precision and no step."""
    known = np.isfinite(precision)
    return np.pad(recall[known], (1, 0)), np.append(precision[known][:1], precision[known])


def against_bins(model: Model, display: Display) -> go.Figure:
    """The query's FastAP with soft and with hard bins against the number of bins; a mark shows the number in use."""
    theme, average_precision, bins = display.theme, model.ranking.average_precision, COUNTS
    (soft, hard), now = model.against_bins, (model.settings.binning.bins, model.ranking.fastap)
    ink = INK[theme]
    hover = "%{x} bins: %{y:.3f}"
    traces = [
        line("exact AP", bins[[0, -1]], np.full(2, average_precision), colour=EXACT, width=3, hover=hover),
        line("hard bins", bins, hard, colour=ink, width=1, dash="dot", hover=hover),
        line("soft bins", bins, soft, colour=ink, hover=hover),
        marks("now", np.array(now[:1]), np.array(now[1:]), colour=QUERY, symbol="diamond", size=12, hover=hover),
    ]
    heights = np.concatenate((soft, hard, now[1:], [average_precision]))
    low, high = (np.nanmin(heights), np.nanmax(heights)) if np.isfinite(heights).any() else (0.0, 1.0)
    words = (
        ("■", EXACT, f"exact AP = {score(average_precision)}; —— FastAP, soft bins; ····· hard bins"),
        ("◆", QUERY, f"now: {now[0]} bins, FastAP = {score(now[1])}"),
    )
    x = axis("number of bins", type="log", tickvals=[5, 10, 20, 50, 100, 200, 500, 1000])
    y = axis("FastAP of the query", float(low) - SCORE_MARGIN, float(high) + SCORE_MARGIN)
    alt = (
        f"FastAP of one query against the number of bins: {score(soft[0])} at {bins[0]}, {score(now[1])} at the chosen {now[0]}, "
        f"{score(soft[-1])} at {bins[-1]} (hard bins {score(hard[-1])}). Exact AP is {score(average_precision)}."
    )
    return chart(traces, words, x, y, height=380, theme=theme, alt=alt)


def batch(model: Model, display: Display) -> go.Figure:
    """Histograms over d² of all positive and of all negative pairs, each as shares of all; ``customdata`` has the sums."""
    theme, centres = display.theme, model.settings.binning.centres
    plus, minus = model.batch_histograms.plus.sum(0), model.batch_histograms.minus.sum(0)
    width = 0.46 * float(centres[1] - centres[0])
    pairs = model.positive_d2, model.negative_d2
    kinds = (("positive", plus, pairs[0], POSITIVE, -width), ("negative", minus, pairs[1], NEGATIVE, 0.0))
    traces = []
    for name, sums, d2, colour, offset in kinds:
        hover = f"%{{y:.1%}} of the {name} pairs (%{{customdata:.2f}})<extra></extra>"
        look = {"colour": colour, "width": width, "offset": offset, "customdata": sums, "hover": hover}
        traces.append(bars(f"{name} pairs", centres, sums / max(len(d2), 1), **look))
    words = []
    for name, _, d2, colour, _ in kinds:
        outside = int(is_outside_bins(d2, model.settings.binning).sum())
        counted = (
            f"{len(d2):,} {name} {'pair' if len(d2) == 1 else 'pairs'}, mean d² {number(float(d2.mean()) if len(d2) else np.nan)}"
        )
        words.append(("■", colour, counted + f", {outside:,} outside every bin" * bool(outside)))
    x = axis("squared distance d²", -1.2 * width, 4 + 1.2 * width)
    y = axis("share of pairs", tickformat=".0%")
    alt = f"Histograms over all queries in {len(centres) - 1} bins of squared distance: {words_of(words, ' and ')}."
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt, barmode="overlay")


def queries(model: Model, display: Display) -> go.Figure:
    """FastAP and exact AP of every query, the worst first; ``customdata`` is the point's index.

    Queries without positives (NaN) are left out; the query is ringed.
    """
    theme, query = display.theme, model.settings.query
    fastap, average_precision = model.batch_histograms.fastap, model.average_precision
    order = np.argsort(fastap, kind="stable")[: int(np.isfinite(fastap).sum())]
    rank, at_query = np.arange(1, len(order) + 1), order == query
    mean_ap, mean_fastap = (score(float(s[order].mean()) if len(order) else np.nan) for s in (average_precision, fastap))
    looks = (
        ("exact AP", average_precision, EXACT, "diamond-open", "◇", f"exact AP of each query; mAP = {mean_ap}"),
        ("FastAP", fastap, INK[theme], "circle", "●", f"FastAP of each query; 1 − loss = {mean_fastap}"),
    )
    traces = []
    for name, scores, colour, symbol, *_ in looks:
        hover = f"#%{{customdata}}: {name} %{{y:.3f}}<extra></extra>"
        size = 8 if len(order) <= CROWD else 4
        look: dict[str, Any] = {"colour": colour, "symbol": symbol, "size": size, "customdata": order, "hover": hover}
        traces.append(marks(name, rank, scores[order], **look))
    both = np.concatenate([scores[order][at_query] for _, scores, *_ in looks])
    traces.append(rings("the query", np.stack((np.tile(rank[at_query], 2), both), 1), 15, QUERY))
    x, y = axis("queries, the worst FastAP first", 0, len(order) + 1), axis("score of the query", -0.03, 1.05)
    words = [(sign, colour, words) for _, _, colour, _, sign, words in looks]
    alt = (
        f"Scores of {len(order)} queries sorted by FastAP: mAP {mean_ap}, mean FastAP {mean_fastap}. The chosen query has FastAP "
        f"{score(fastap[query])} and exact AP {score(average_precision[query])}."
    )
    return chart(traces, words, x, y, height=HEIGHT, theme=theme, alt=alt)
