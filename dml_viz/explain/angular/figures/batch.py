"""The angle n' over all triangles of a batch, and how many of them the bound still moves in how many dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import SAMPLE, angle_words
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, NEGATIVE, QUERY
from dml_viz.plot.traces import bars, line, marks, upright

if TYPE_CHECKING:
    from dml_viz.explain.angular.model import Model

HEIGHT = 360
DASHES = ("solid", "dash", "dot", "dashdot")
SMALL = 0.05  # a share from which whole percents do
PER_BAR = 4  # of the finest counts
SHOWN = (20, 80)  # degrees of alpha


def angles(model: Model, display: Display) -> go.Figure:
    """The batch's triangles by n', as shares per degree, those above alpha apart, with the triangle that is looked at."""
    batch, alpha, now, theme = model.batch, model.settings.angular.alpha, model.triangle.angle, display.theme
    edges, counts, points = batch.edges_of_angles, batch.counts, batch.points
    total = int(counts.sum())
    above = edges[:-1] >= alpha
    per_bar = [np.where(of, counts, 0).reshape(-1, PER_BAR).sum(1) for of in (~above, above)]
    top = max(float((per_bar[0] + per_bar[1]).max()) / total, 1e-3)
    traces = [
        bars(name, edges[:-1:PER_BAR] + 0.5, some / total, colour=colour, width=1.0, customdata=some,
             hover=f"{name}: %{{customdata:,}} triangles, %{{y:.1%}}<extra></extra>")
        for name, some, colour in zip(("n′ up to α", "n′ above α"), per_bar, (EXACT, NEGATIVE), strict=True)
    ]  # fmt: skip
    x, y = np.array([[now], [0.02 * top]])[:, ~np.isnan([now])]
    hover = "the triangle above: %{x:.1f}°<extra></extra>"
    traces.append(marks("the triangle", x, y, colour=QUERY, symbol="diamond", size=13, hover=hover))
    rows = [
        ("■", NEGATIVE, f"<b>{batch.share:.2%} have n′ above α: {batch.active:,} of {total:,}</b>"),
        ("■", EXACT, f"not above; the triplet loss is active on {batch.triplet_share:.0%}"),
        ("◆", QUERY, f"the triangle above: {angle_words(now)}"),
    ]
    if points:
        rows.insert(2, ("", INK[theme], f"{points:,} are one point: n′ undefined, drawn at 0°"))
    x = axis("angle n′", 0, 90, tickvals=list(range(0, 91, 15)), ticksuffix="°")
    y = axis("share of triangles", 0, 1.08 * top, tickformat=".0%" if top > SMALL else ".1%")
    alt = (
        f"The angle n′ of {total:,} triangles: {batch.active:,} of them, {batch.share:.2%}, above the bound of {alpha:g}°. "
        f"The triplet loss is active on {batch.triplet_share:.0%} of the triplets. {points:,} triangles are one point, "
        "where n′ is undefined."
    )
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=22 + 18 * len(rows), barmode="stack",
                 shapes=[upright(alpha, INK[theme])])  # fmt: skip


def dimensions(model: Model, display: Display) -> go.Figure:
    """The share of triangles with n' above every alpha, of this batch and of random ones in several dimensions."""
    alpha, theme = model.settings.angular.alpha, display.theme
    looks = [(QUERY, "solid", 3.5), *((INK[theme], dash, 2.0) for dash in DASHES)]
    traces, rows = [], []
    for (name, batch), (colour, dash, width) in zip(model.batches.items(), looks, strict=False):
        edges, shares = batch.edges_of_angles, batch.beyond
        hover = f"{name}: %{{y:.1%}} at α = %{{x:g}}°<extra></extra>"
        traces.append(line(name, edges, shares, colour=colour, width=width, dash=dash, hover=hover))
        share = float(np.interp(alpha, edges, shares))
        rows.append((SAMPLE[dash], colour, f"{name}: {share:.2%} (triplet {batch.triplet_share:.0%})"))
    x, y = axis("bound α", *SHOWN, ticksuffix="°"), axis("triangles above it", -0.02, 1.03, tickformat=".0%")
    alt = f"The share of triangles above the bound, at {alpha:g}°. {'; '.join(text for *_, text in rows)}."
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=20 + 18 * len(rows),
                 shapes=[upright(alpha, INK[theme])])  # fmt: skip
