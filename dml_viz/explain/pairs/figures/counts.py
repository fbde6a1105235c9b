"""How many pairs and triplets there are against how many a loss touches, as the batch grows and for the batch at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, key, tint
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import bars, line, marks

HEIGHT = 400


@dataclass(frozen=True)
class Bar:
    """One kind of pair or triplet: what it is, how many of it are touched, how many there are, and its colour by role."""

    name: str
    touched: int
    all: int
    role: str = ""


def shares_figure(kinds: Sequence[Bar], *, theme: str = "light") -> go.Figure:
    """For each of ``kinds`` the share that is touched, filled, with its numbers written."""
    colours = {"positive": POSITIVE, "negative": NEGATIVE}
    names = [bar.name for bar in kinds]
    fill = [colours.get(bar.role, INK[theme]) for bar in kinds]
    share = np.array([bar.touched / bar.all if bar.all else 0.0 for bar in kinds])
    text = [
        f"{bar.touched:,} of {bar.all:,}" + (f" ({s:.1%})" if bar.all else "")
        for bar, s in zip(kinds, share, strict=True)
    ]
    common: dict[str, Any] = {"orientation": "h", "width": 0.42}
    traces = [
        bars("all", np.ones(len(names)), names, colour=tint(EXACT, 0.18), **common),
        bars("touched", share, names, colour=fill, **common),
    ]
    layout = {
        "height": 60 + 52 * len(kinds),
        "margin": {"l": 8, "r": 12, "t": 8, "b": 42},
        "barmode": "overlay",
        "xaxis": {"range": [0, 1], "tickformat": ".0%", "title": {"text": "share with a gradient"}},
        "yaxis": {"autorange": "reversed", "showticklabels": False, "ticks": "", "showgrid": False},
        "showlegend": False,
        "annotations": [
            {"text": f"<b>{name}</b> {count}", "x": 0, "y": place, "xref": "paper", "yref": "y", "xanchor": "left",
             "yanchor": "bottom", "yshift": 9, "showarrow": False, "align": "left"}
            for place, (name, count) in enumerate(zip(names, text, strict=True))
        ],
    }  # fmt: skip
    alt = "Shares with a gradient: " + "; ".join(f"{n}, {t}" for n, t in zip(names, text, strict=True)) + "."
    return canvas(traces, layout, theme=theme, alt=alt)


@dataclass(frozen=True, eq=False)
class Growth:
    """Of batches of n points: how many pairs and triplets (K,) there are, and how many of them are touched."""

    n: np.ndarray
    pairs: np.ndarray
    triplets: np.ndarray
    touched_pairs: np.ndarray
    touched_triplets: np.ndarray


def growth_figure(
    found: Growth, n: np.ndarray, pairs: np.ndarray, triplets: np.ndarray, *, classes: int, theme: str = "light"
) -> go.Figure:
    """Counted in batches out of the points at hand (``found``), over what n points (M,) of as many classes have, (M,) each."""
    ink = INK[theme]
    lines = (("pairs", pairs, EXACT, "solid"), ("triplets", triplets, EXACT, "dash"))
    shapes = (("all pairs", found.pairs, "circle-open", EXACT), ("pairs touched", found.touched_pairs, "circle", ink),
             ("all triplets", found.triplets, "triangle-up-open", EXACT),
             ("triplets touched", found.touched_triplets, "triangle-up", QUERY))  # fmt: skip
    traces = [
        line(f"{name} of n points", n, np.where(counts > 0, counts, np.nan), colour=colour, dash=dash, width=1.5,
             hover=f"%{{x}} points: %{{y:,.0f}} {name}<extra></extra>")
        for name, counts, colour, dash in lines
    ]  # fmt: skip
    traces += [
        marks(name, found.n, np.where(counts > 0, counts, np.nan), colour=colour, symbol=symbol, size=10, edge=(1.5, None),
              hover=f"%{{x}} points: %{{y:,}} {name}<extra></extra>")
        for name, counts, symbol, colour in shapes
    ]  # fmt: skip
    touched = [
        f"{int(some[-1]):,} of {int(all_[-1]):,}"
        for some, all_ in ((found.touched_pairs, found.pairs), (found.touched_triplets, found.triplets))
    ]
    top = float(max(triplets.max(initial=1), pairs.max(initial=1), found.triplets.max(initial=1)))
    largest = float(max(n.max(), found.n.max()))
    layout = {
        "height": HEIGHT,
        "margin": {"l": 58, "r": 12, "t": 70, "b": 46},
        "xaxis": {"type": "log", "title": {"text": "points in the batch, N"}, "range": [0.42, np.log10(largest) + 0.05],
                  "tickvals": [3, 10, 30, 100, 300, 1000]},
        "yaxis": {"type": "log", "title": {"text": "count"}, "range": [-0.3, np.log10(top) + 0.3], "dtick": 1,
                  "exponentformat": "power"},
        "showlegend": False,
        "annotations": [
            key(("○", EXACT, f"all pairs (━, N²) and ● those touched: {touched[0]}"),
                ("△", EXACT, f"all triplets (╍, N³) and <span style='color:{QUERY}'>▲</span> those touched: {touched[1]}"),
                ("", EXACT, f"lines: N points of {classes} equal classes")),
        ],
        "uirevision": "growth",
    }  # fmt: skip
    alt = (
        f"Counts against the number of points: {int(found.n[-1])} points have {int(found.pairs[-1]):,} pairs, "
        f"{int(found.touched_pairs[-1]):,} of them touched, and {int(found.triplets[-1]):,} triplets, "
        f"{int(found.touched_triplets[-1]):,} of them touched; {int(n[-1]):,} points would have {pairs[-1]:,.0f} pairs and "
        f"{triplets[-1]:,.0f} triplets."
    )
    return canvas(traces, layout, theme=theme, alt=alt)
