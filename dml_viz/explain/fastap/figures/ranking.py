"""Exact AP beside FastAP as the query's place, the distances, the gallery or the codes change."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.fastap.model import Model
from dml_viz.explain.fastap.model_ranking import FEWER, FINE, POWERS, RANKS, SIZES, TIMES
from dml_viz.plot.canvas import Display, axis, chart, counted, score, tint, words_of
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, line, marks

RUG = -0.06  # the height at which the other points are drawn
DECADES = [k * 10**power for power in range(-2, 7) for k in (1, 2, 5)]  # ticks: those of a log axis have words of one size


def stairs(model: Model, display: Display) -> go.Figure:
    """Exact AP and FastAP of the query against its angle, as it goes round and all other points stay."""
    walk, ink, bins = model.stairs, INK[display.theme], model.settings.binning.bins
    circle, same = len(walk.others) > 0, np.delete(model.y, model.settings.query) == model.y[model.settings.query]
    hover = "%{x:.1f}°: %{y:.3f}"
    ap, fastap, fine = walk.here.tolist()
    curves = (
        ("exact AP", walk.ap, EXACT, 3.0, "solid", "hv"),
        (f"FastAP, {FINE.bins} bins", walk.fastap[1], ink, 1.0, "dot", "linear"),
        ("FastAP", walk.fastap[0], ink, 2.0, "solid", "linear"),
    )
    traces = [
        line(name, walk.degrees, scores, colour=colour, width=width, dash=dash, shape=shape, hover=hover)
        for name, scores, colour, width, dash, shape in curves
    ]
    traces.append(marks("now", np.full(3, walk.now), walk.here, colour=QUERY, symbol="diamond", size=11, hover=hover))
    for name, members, colour, symbol in (("positives", same, POSITIVE, "circle"), ("negatives", ~same, NEGATIVE, "x")):
        if circle:
            places = walk.others[members]
            traces.append(marks(name, places, np.full(len(places), RUG), colour=colour, symbol=symbol, size=7))
    words = (
        ("■", EXACT, f"exact AP, {walk.jumps} jumps; now {score(ap)}"),
        ("━", ink, f"FastAP, {bins} bins; now {score(fastap)}"),
        ("┈", ink, f"FastAP, {FINE.bins} bins; now {score(fine)}"),
    )
    where = "the query's angle" if circle else "the query's turn towards its positives"
    x = axis(f"{where} in degrees", *((0, 360) if circle else (-180, 180)), dtick=45)
    y = axis("score of the query", RUG - 0.05 if circle else -0.03, 1.05, tickvals=[0, 0.25, 0.5, 0.75, 1])
    others = counted(len(model.y) - 1, "other point stays", "other points stay")
    alt = (
        f"Exact AP and FastAP of one query that goes round once while {others}: exact AP jumps "
        f"{counted(walk.jumps, 'time')}. Now, at {walk.now:.0f}°, AP is {score(ap)}, FastAP {score(fastap)} with {bins} bins and "
        f"{score(fine)} with {FINE.bins}."
    )
    return chart(traces, words, x, y, height=320, theme=display.theme, alt=alt)


def stretched(model: Model, display: Display) -> go.Figure:
    """Exact AP and FastAP of the query against the power to which its distances are raised."""
    ink, (average, fastap) = INK[display.theme], model.stretched
    hover = "d to the power %{x:.2f}: %{y:.3f}"
    traces = [
        line("exact AP", POWERS, average, colour=EXACT, width=3, hover=hover),
        line("FastAP", POWERS, fastap, colour=ink, hover=hover),
        marks("now", np.ones(1), np.array([model.ranking.fastap]), colour=QUERY, symbol="diamond", size=11, hover=hover),
    ]
    least, most = (score(value) for value in (fastap.min(), fastap.max()))
    of_fastap = f"FastAP: {least} to {most}; now, at power 1, {score(model.ranking.fastap)}"
    words = (("■", EXACT, f"exact AP: {score(average[0])} at every power"), ("■", ink, of_fastap))
    x = axis("power k of d → 2 (d/2)<sup>k</sup>", type="log", tickvals=[0.25, 0.5, 1, 2, 4])
    alt = f"Scores of one query whose distances are raised to powers from 0.25 to 4. {words_of(words, '. ')}."
    return chart(traces, words, x, axis("score of the query", -0.03, 1.05), height=320, theme=display.theme, alt=alt)


def skewed(model: Model, display: Display) -> go.Figure:
    """Exact AP, FastAP and ROC of the query against its negatives per positive."""
    ranking, ink, curves = model.ranking, INK[display.theme], model.skewed
    per_positive = TIMES * (len(ranking.d2) - ranking.positives) / max(ranking.positives, 1)
    now = int(np.abs(np.log(TIMES)).argmin())
    looks = (("exact AP", EXACT, 3.0, "solid"), ("FastAP", ink, 2.0, "solid"), ("area under ROC", POSITIVE, 2.0, "dash"))
    traces = [
        line(name, per_positive, curve, colour=colour, width=width, dash=dash, hover=f"{name}: %{{y:.3f}} at %{{x:.3g}}")
        for (name, colour, width, dash), curve in zip(looks, curves, strict=True)
    ]
    words = [
        ("■", colour, f"{name}: {score(curve[now])} now, {score(curve[-1])} at {TIMES[-1]:g} times")
        for (name, colour, *_), curve in zip(looks, curves, strict=True)
    ]
    x = axis("negatives per positive", type="log", tickvals=DECADES)
    alt = f"Scores of one query against its negatives per positive, now {per_positive[now]:.3g}. {words_of(words)}."
    return chart(traces, words, x, axis("score of the query", -0.03, 1.05), height=338, theme=display.theme, alt=alt)


def limit(model: Model, display: Display) -> go.Figure:
    """Exact AP of galleries drawn from the densities of the batch against their size: mean, and span of 80 % of the draws."""
    limit, ink = model.limit, INK[display.theme]
    x = axis("points in the gallery", type="log", tickvals=[5, 10, 20, 50, 100, 200, 500])
    y = axis("exact AP", -0.03, 1.05)
    if limit is None:
        alt = "No gallery is drawn: the batch has 0 pairs of one class, or 0 of two."
        return chart([], [("", ink, alt)], x, y, height=338, theme=display.theme, alt=alt)
    ends, hover = SIZES[[0, -1]], "%{x} points: %{y:.3f}"
    traces = [
        line("highest tenth", SIZES, limit.high, colour=EXACT, width=0.5),
        line("lowest tenth", SIZES, limit.low, colour=EXACT, width=0.5, fill="tonexty", fillcolor=tint(EXACT, 0.18)),
        line("mean", SIZES, limit.mean, colour=ink, hover=hover),
        line("integral", ends, np.full(2, limit.integral), colour=QUERY, width=2, dash="dash", hover=hover),
        line("sum over bins", ends, np.full(2, limit.binned), colour=ink, width=1, dash="dot", hover=hover),
    ]
    words = (
        ("■", ink, f"mean AP: {score(limit.mean[0])} at {ends[0]} points, {score(limit.mean[-1])} at {ends[1]}"),
        ("■", QUERY, f"dashed: integral over recall, {score(limit.integral)}"),
        ("·", ink, f"dotted: its sum over {model.settings.binning.bins} bins, {score(limit.binned)}"),
    )
    alt = f"AP of galleries of {ends[0]} to {ends[1]} points, {limit.prior:.0%} of them positive. {words_of(words)}."
    return chart(traces, words, x, y, height=338, theme=display.theme, alt=alt)


def recalls(model: Model, display: Display) -> go.Figure:
    """Expected R@K of the batch against the share of its negatives in the gallery."""
    curves, ink = model.recall_with_fewer_negatives, INK[display.theme]
    negatives = float((model.y[:, None] != model.y).sum(1).mean())
    looks = ((ink, "solid"), (ink, "dash"), (ink, "dot"), (EXACT, "solid"))
    traces = [
        line(f"R@{rank}", negatives * FEWER, recall, colour=colour, dash=dash, hover=f"R@{rank}: %{{y:.3f}} among %{{x:.3g}}")
        for rank, recall, (colour, dash) in zip(RANKS, curves, looks, strict=True)
    ]
    fewer = f"R@1 {score(curves[0, 0])} with 1% of them"
    pairs = [f"R@{rank} {score(recall[-1])}" for rank, recall in zip(RANKS, curves, strict=True)]
    words = (
        ("━", ink, f"{pairs[0]} now, {score(curves[0, 0])} with 1% of the negatives"),
        ("╍", ink, f"{pairs[1]} &nbsp; ┈ {pairs[2]} &nbsp; grey {pairs[3]}"),
    )
    alt = (
        f"Expected recall of the batch against the negatives in the gallery, up to {negatives:.3g}: {', '.join(pairs)}; {fewer}."
    )
    x, y = axis("negatives in the gallery", type="log", tickvals=DECADES), axis("R@K", -0.03, 1.05)
    return chart(traces, words, x, y, height=320, theme=display.theme, alt=alt)


def codes(model: Model, display: Display) -> go.Figure:
    """Shares of positive and of negative pairs by the Hamming distance of the signs of their coordinates."""
    by_codes, average = model.hamming_scores, model.average_precision
    real = float(np.nanmean(average)) if np.isfinite(average).any() else float("nan")
    at = np.arange(len(by_codes.plus))
    traces = [
        bars(f"{name} pairs", at, shares, colour=colour, width=0.46, offset=offset, hover=f"{name}: %{{y:.1%}} at %{{x}}")
        for name, shares, colour, offset in (
            ("positive", by_codes.plus, POSITIVE, -0.46),
            ("negative", by_codes.minus, NEGATIVE, 0.0),
        )
    ]
    words = (
        ("■", POSITIVE, f"positive pairs; mAP by distance {score(real)}"),
        ("■", NEGATIVE, f"negative pairs; mAP by {model.dim}-bit codes {score(by_codes.average_precision)}"),
    )
    x = axis("Hamming distance of the signs", -0.7, len(at) - 0.3, **({"dtick": 1} if len(at) < 10 else {}))
    alt = (
        f"Histograms over {len(at)} Hamming distances of the signs of {model.dim} coordinates. mAP is {score(real)} by distance "
        f"and {score(by_codes.average_precision)} by codes."
    )
    y = axis("share of pairs", tickformat=".0%")
    return chart(traces, words, x, y, height=320, theme=display.theme, alt=alt, barmode="overlay")
