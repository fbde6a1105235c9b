"""All triangles of a batch: their angles n', how many the bound moves, and how hard each form of the loss pushes them."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.angular.figures._plane import SAMPLE, angle_words
from dml_viz.explain.angular.model import Model
from dml_viz.explain.angular.model_batch import EDGES
from dml_viz.plot.canvas import axis, canvas, chart
from dml_viz.plot.display import Display
from dml_viz.plot.stack import Row, stacked
from dml_viz.plot.style import EXACT, INK, NEGATIVE, QUERY
from dml_viz.plot.traces import Trace, bars, line, marks, vertical_line

HEIGHT = 360
DASHES = ("solid", "dash", "dot", "dashdot")
SMALL = 0.05  # a larger share is written in whole percents
PER_BAR = 4  # the finest bins in a bar
SHOWN = (20, 80)  # degrees of alpha
FORM_DASHES = ("solid", "dot", "dash")
NAMES = ("hinge", "logistic, constant kept", "logistic, dropped")


def angles(model: Model, display: Display) -> go.Figure:
    """A histogram of n' over the batch's triangles, as shares per degree, coloured above alpha; the chosen triangle is marked."""
    batch, alpha, now, theme = model.batch, model.settings.angular.alpha, model.triangle.angle, display.theme
    total, above, centres = int(batch.counts.sum()), EDGES[:-1] >= alpha, EDGES[:-1:PER_BAR] + 0.5
    per_bar = [np.where(of, batch.counts, 0).reshape(-1, PER_BAR).sum(1) for of in (~above, above)]
    top = max(float((per_bar[0] + per_bar[1]).max()) / total, 1e-3)
    traces = []
    for name, some, colour in zip(("n′ up to α", "n′ above α"), per_bar, (EXACT, NEGATIVE), strict=True):
        hover = f"{name}: %{{customdata:,}} triangles, %{{y:.1%}}<extra></extra>"
        traces.append(bars(name, centres, some / total, colour=colour, width=1.0, customdata=some, hover=hover))
    x, y = np.array([[now], [0.02 * top]])[:, ~np.isnan([now])]
    hover = "the triangle above: %{x:.1f}°<extra></extra>"
    traces.append(marks("the triangle", x, y, colour=QUERY, symbol="diamond", size=13, hover=hover))
    rows = [
        ("■", NEGATIVE, f"<b>{batch.share:.2%} have n′ above α: {batch.active:,} of {total:,}</b>"),
        ("■", EXACT, f"not above; the triplet loss is active on {batch.active_triplet_share:.0%}"),
        ("◆", QUERY, f"the triangle above: {angle_words(now)}"),
    ]
    if batch.points:
        rows.insert(2, ("", INK[theme], f"{batch.points:,} are one point: n′ undefined, drawn at 0°"))
    x = axis("angle n′", 0, 90, tickvals=list(range(0, 91, 15)), ticksuffix="°")
    y = axis("share of triangles", 0, 1.08 * top, tickformat=".0%" if top > SMALL else ".1%")
    alt = (
        f"The angle n′ of {total:,} triangles: {batch.active:,} of them, {batch.share:.2%}, above the bound of {alpha:g}°. "
        f"The triplet loss is active on {batch.active_triplet_share:.0%} of the triplets. {batch.points:,} triangles are one "
        "point, where n′ is undefined."
    )
    shapes, top_margin = [vertical_line(alpha, INK[theme])], 22 + 18 * len(rows)
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=top_margin, shapes=shapes, barmode="stack")


def dimensions(model: Model, display: Display) -> go.Figure:
    """The share of triangles with n' above each alpha, in this batch and in random ones of several dimensions."""
    alpha, theme = model.settings.angular.alpha, display.theme
    looks = [(QUERY, "solid", 3.5), *((INK[theme], dash, 2.0) for dash in DASHES)]
    traces, rows = [], []
    for (name, batch), (colour, dash, width) in zip(model.batches.items(), looks, strict=False):
        hover = f"{name}: %{{y:.1%}} at α = %{{x:g}}°<extra></extra>"
        traces.append(line(name, EDGES, batch.shares_above_angle, colour=colour, width=width, dash=dash, hover=hover))
        share = float(np.interp(alpha, EDGES, batch.shares_above_angle))
        rows.append((SAMPLE[dash], colour, f"{name}: {share:.2%} (triplet {batch.active_triplet_share:.0%})"))
    x, y = axis("bound α", *SHOWN, ticksuffix="°"), axis("triangles above it", -0.02, 1.03, tickformat=".0%")
    alt = f"The share of triangles above the bound, at {alpha:g}°. {'; '.join(text for *_, text in rows)}."
    shapes, top = [vertical_line(alpha, INK[theme])], 20 + 18 * len(rows)
    return chart(traces, rows, x, y, height=HEIGHT, theme=theme, alt=alt, top=top, shapes=shapes)


def forms(model: Model, display: Display) -> go.Figure:
    """The three forms (hinge, logistic with its constant, logistic without) against the violation, the chosen one in colour."""
    theme, violations, forms, now = display.theme, model.violations, model.forms, model.violation
    values, slopes = list[Trace](), list[Trace]()
    for k, (name, dash) in enumerate(zip(NAMES, FORM_DASHES, strict=True)):
        colour, width = (NEGATIVE, 3.5) if k == model.form else (INK[theme], 1.8)
        hover = f"{name}: %{{y:.3f}}<extra></extra>"
        for row, kind, y in zip((values, slopes), ("value", "slope"), forms[k], strict=True):
            row.append(line(f"{name}, {kind}", violations, y, colour=colour, width=width, dash=dash, hover=hover))
    edges, counts = model.batch.violations, model.batch.spread
    total, centres, hover = int(counts.sum()), (edges[:-1] + edges[1:]) / 2, "%{customdata:,} triangles<extra></extra>"
    spread = bars("triangles", centres, counts / total, colour=EXACT, width=np.diff(edges), customdata=counts, hover=hover)
    at = [vertical_line(0, INK[theme], 1), vertical_line(now, QUERY, dash="solid")]
    pushed = ", ".join(f"{share:.0%}" for share in model.push_shares)
    top = max(float(np.interp(max(now, 2.0), violations, value)) for value, _ in forms)
    solid, dot, dash = (SAMPLE[dash] for dash in FORM_DASHES)
    named = f"<b>Loss</b>: hinge {solid}, logistic: kept {dot}, dropped {dash}"
    rows = (
        Row(named, values, 110, {"range": [-0.05 * top, top]}, at),
        Row(f"<b>Share of full push</b>; batch {pushed}", slopes, 100, {"range": [-0.06, 1.08]}, at),
        Row(f"<b>Where the {total:,} triangles are</b>", [spread], 90, {"tickformat": ".0%"}, at),
    )
    x = axis("d²<sub>ap</sub> − 4 tan²α |x<sub>n</sub> − x<sub>c</sub>|²", *violations[[0, -1]].tolist())
    traces, layout = stacked(rows, x)
    alt = (
        f"Hinge and logistic forms of the angular loss. Over the batch of {total:,} triangles they give {pushed} of the full "
        f"push (hinge; logistic with its constant; without). The form without has half its push at {2 - 6 * model.t:.2g}, the "
        f"others at 0; this triangle is at {now:.3g}."
    )
    return canvas(traces, layout, theme=theme, alt=alt)
