"""The numbers of pairs and triplets, and how many have a gradient; the time of a step; what the weight of a pair depends on."""

from dataclasses import astuple
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.pairs.model import KINDS, MOVED, Losses
from dml_viz.explain.pairs.model_cost import SIZES, costs
from dml_viz.plot.canvas import Display, axis, canvas, chart, counted, heading, number, tint, words_of
from dml_viz.plot.style import EXACT, INK, NEGATIVE, PAPER, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, bars, heatmap, line, marks

if TYPE_CHECKING:
    from dml_viz.analysis.around_triplet import Model

CELL = 40  # pixels of a row
HOVER = "%{y}: moving %{x} similarity changes the weight by %{z:.3f} of the largest<extra></extra>"
COLOURS = (("positive", POSITIVE), ("negative", NEGATIVE))


def shares(model: "Model", display: Display) -> go.Figure:
    """Bars of the shares of positive pairs, of negative pairs and of triplets that have a gradient, with their numbers."""
    ink, mining_in_use = INK[display.theme], getattr(model.settings.loss, "mining", "")
    kinds = [(f"{kind} pairs:", *model.response.active_pairs_of_kind(kind == "positive"), colour) for kind, colour in COLOURS]
    kinds += [
        (f"triplets, mining {mining}{' (chosen)' if mining == mining_in_use else ''}:", tally.with_gradient, tally.all, ink)
        for mining, tally in model.tallies_by_mining.items()
    ] or [("triplets with such a pair:", model.counts.active_triplets, model.counts.triplets, ink)]
    names, some, whole, fill = ([kind[column] for kind in kinds] for column in range(4))
    share = np.array([part / of if of else 0.0 for _, part, of, _ in kinds])
    text = [f"{part:,} of {of:,}" + f" ({s:.1%})" * bool(of) for part, of, s in zip(some, whole, share, strict=True)]
    common: dict[str, Any] = {"orientation": "h", "width": 0.42}
    traces = [
        bars("all", np.ones(len(names)), names, colour=tint(EXACT, 0.18), **common),
        bars("with a gradient", share, names, colour=fill, **common),
    ]
    above = {"yref": "y", "yshift": 9, "align": "left"}
    words = [f"<b>{name}</b> {count}" for name, count in zip(names, text, strict=True)]
    layout = {
        "height": 60 + 52 * len(kinds),
        "margin": {"l": 14, "r": 20, "t": 8, "b": 42},
        "barmode": "overlay",
        "xaxis": axis("share with a gradient", 0, 1, tickformat=".0%"),
        "yaxis": {"autorange": "reversed", "showticklabels": False, "ticks": "", "showgrid": False},
        "annotations": [heading(line, 0, row, **above) for row, line in enumerate(words)],
    }
    alt = "Shares with a gradient: " + "; ".join(f"{n} {t}" for n, t in zip(names, text, strict=True)) + "."
    return canvas(traces, layout, theme=display.theme, alt=alt)


def growth(model: "Model", display: Display) -> go.Figure:
    """Counts of pairs and triplets in growing parts of the batch, and in larger batches of as many classes."""
    ink, classes = INK[display.theme], len(set(model.y.tolist()))
    size, all_pairs, all_triplets, active_pairs, active_triplets = np.array([astuple(c) for c in model.counts_of_parts]).T
    n, pairs, triplets = model.pairs_and_triplets_by_size
    lines = (("pairs", pairs, "solid"), ("triplets", triplets, "dash"), ("pairs with proxies", n * classes, "dot"))
    traces = []
    for name, counts, dash in lines:
        present, hover = np.where(counts > 0, counts, np.nan), f"%{{x}} points: %{{y:,.0f}} {name}<extra></extra>"
        traces.append(line(f"{name} of n points", n, present, colour=EXACT, dash=dash, width=1.5, hover=hover))
    shapes = (
        ("all pairs", all_pairs, "circle-open", EXACT),
        ("pairs with a gradient", active_pairs, "circle", ink),
        ("all triplets", all_triplets, "triangle-up-open", EXACT),
        ("triplets with a gradient", active_triplets, "triangle-up", QUERY),
    )
    for name, counts, symbol, colour in shapes:
        present, hover = np.where(counts > 0, counts, np.nan), f"%{{x}} points: %{{y:,}} {name}<extra></extra>"
        traces.append(marks(name, size, present, colour=colour, symbol=symbol, size=10, edge=(1.5, None), hover=hover))
    active = [f"{part[-1]:,} of {of[-1]:,}" for part, of in ((active_pairs, all_pairs), (active_triplets, all_triplets))]
    top = float(max(triplets.max(initial=1), pairs.max(initial=1), all_triplets.max(initial=1)))
    largest = float(max(n.max(), size.max()))
    words = (
        ("┈", EXACT, f"pairs with proxies, one for each class (N·C): {size[-1] * classes:,}"),
        ("○", EXACT, f"all pairs (━, N²), ● with a gradient: {active[0]}"),
        ("△", EXACT, f"all triplets (╍, N³), <span style='color:{QUERY}'>▲</span> with a gradient: {active[1]}"),
        ("", EXACT, f"lines: N points of {counted(classes, 'class', 'equal classes')}"),
    )
    x = axis(
        "points in the batch, N",
        min(0.42, np.log10(size.min()) - 0.06),
        np.log10(largest) + 0.05,
        type="log",
        tickvals=[3, 10, 30, 100, 300, 1000],
    )
    y = axis("count", -0.3, np.log10(top) + 0.3, type="log", dtick=1, exponentformat="power")
    alt = (
        f"Counts against the number of points. With a gradient: {active[0]} pairs and {active[1]} triplets of {size[-1]} points. "
        f"{n[-1]:,} points would have {pairs[-1]:,.0f} pairs and {triplets[-1]:,.0f} triplets."
    )
    return chart(traces, words, x, y, height=400, theme=display.theme, alt=alt, left=58, uirevision="growth")


def cost(losses: Losses, display: Display) -> go.Figure:
    """Milliseconds of value and gradient against the size of the batch, both axes logarithmic."""
    looks = ((POSITIVE, "solid"), (EXACT, "dash"), (INK[display.theme], "solid"), (QUERY, "solid"), (NEGATIVE, "dot"))
    traces, words = [], []
    for cost, (colour, dash) in zip(costs(), looks, strict=True):
        measured = SIZES[: len(cost.milliseconds)]
        dots: Trace = {"mode": "lines+markers", "marker": {"size": 7, "color": colour}}
        hover = f"{cost.title}, N = %{{x}}: %{{y:.3g}} ms<extra></extra>"
        traces.append(line(cost.title, measured, cost.milliseconds, colour=colour, dash=dash, hover=hover, **dots))
        last = number(float(cost.milliseconds[-1]), ".3g")
        words.append(("●", colour, f"{cost.title} ({cost.counts}): {last} ms at N = {measured[-1]:,}"))
    sizes = f"{SIZES[0]} to {SIZES[-1]:,}"
    alt = f"Milliseconds of value and gradient for batches of {sizes}, measured on this server. {words_of(words)}."
    x = axis("points in the batch, N", type="log", tickvals=list(SIZES))
    y = axis("milliseconds of one core", type="log", dtick=1)
    return chart(traces, words, x, y, height=440, theme=display.theme, alt=alt, left=58)


def similarities(losses: Losses, display: Display) -> go.Figure:
    """A table of the largest change of the weight of anchor and negative, by loss and by the kind of similarity moved."""
    dependence = losses.dependence
    if dependence is None:
        alt = "No pair is moved: the anchor has 0 negatives."
        return canvas([], {"height": 120}, theme=display.theme, alt=alt)
    text = [[number(value, ".2f") if value else "0" for value in row] for row in dependence.changes.tolist()]
    cells: Trace = {"x": list(KINDS), "y": list(dependence.titles), "text": text, "texttemplate": "%{text}", "hover": HOVER}
    table = heatmap("changes", dependence.changes, (PAPER[display.theme], QUERY), gap=2, **cells)
    pair = " and ".join(display.who[k] for k in dependence.pair)
    rows = [", ".join(number(value, ".2f") for value in row) for row in dependence.changes.tolist()]
    in_words = "; ".join(f"{title} {row}" for title, row in zip(dependence.titles, rows, strict=True))
    kinds = ", ".join(KINDS)
    alt = f"Changes of the weight of {pair} where a similarity moves by {MOVED:g}: {kinds}, of the largest weight. {in_words}."
    layout = {
        "height": 70 + CELL * len(dependence.titles),
        "margin": {"l": 140, "r": 12, "t": 34, "b": 8},
        "xaxis": {"side": "top", "showgrid": False, "ticks": ""},
        "yaxis": {"autorange": "reversed", "showgrid": False, "ticks": ""},
    }
    return canvas([table], layout, theme=display.theme, alt=alt)
