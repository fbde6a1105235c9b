"""The table of weights W of a loss of proxies, with the sums of its rows and of its columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import class_names, class_ticks, sample_names
from dml_viz.explain.proxies.model import Model
from dml_viz.plot.canvas import Display, canvas, counted, heading, number, tint
from dml_viz.plot.style import FAINT, INK, NEGATIVE, PAPER, POSITIVE
from dml_viz.plot.traces import Trace, bars, heatmap

HEIGHT = 446
NAMED = 24  # number of samples up to which each has its name, and its numbers
WRITTEN = 4  # number of proxies up to which numbers are written
WRITTEN_FROM = 1e-3  # of the largest possible weight
ROUNDING = 1e-9  # of the largest possible weight: a smaller sum is a rounding error
WIDE, TALL = (0.0, 0.78), (0.26, 1.0)  # the table's part of both axes; the sums have the rest


def table(model: Model, display: Display, name: str) -> go.Figure:
    """Weights dL/ds (N, M) of samples, by class from the top, with proxies.

    Colours end at the loss's largest possible weight. Bars to the right are the sums of rows, ``customdata`` is the sample;
    bars below are the sums of columns.
    """
    response, theme, y = model.response(name), display.theme, model.y
    most, title, count = response.pull_and_push_bounds[0], response.loss.name, len(response.owners)
    order = np.argsort(y, kind="stable")
    weights = response.weights[order] + 0.0
    rows, columns, largest = weights.sum(1), weights.sum(0), np.abs(weights).max(initial=0)
    proxies, who = class_names(display, model.classes[response.owners]), sample_names(display)
    labels = [who[k] for k in order.tolist()]
    small, written = len(y) <= NAMED, len(y) <= NAMED and count <= WRITTEN
    colours, hover = (POSITIVE, PAPER[theme], NEGATIVE), "%{customdata}, proxy %{x}<br>dL/ds = %{z:.3g}<extra></extra>"
    cells = heatmap("W", weights, colours, (-most, most), gap=1, hover=hover, x=np.arange(count), y=np.arange(len(y)))
    cells |= {"ygap": int(small), "customdata": [[label] * count for label in labels]}
    if written:
        text = [[_short(weight, most) for weight in row] for row in weights.tolist()]
        cells |= {"text": text, "texttemplate": "%{text}", "textfont": {"size": 12}}
    traces = [
        cells,
        _bars("row sums", rows, "h", order, ("x2", "y"), labels),
        _bars("column sums", columns, "v", np.arange(count), ("x", "y2"), [f"proxy of {name}" for name in proxies]),
    ]
    spans = f"rows sum to {_span(rows, most)}", f"columns sum to {_span(columns, most)}"
    bar = {"showgrid": False, "zeroline": True, "zerolinecolor": INK[theme], "tickfont": {"size": 12}}
    axis = {"showgrid": False, "ticks": ""}
    (left, right), (bottom, top), font = WIDE, TALL, {"size": 13}
    edge = {"type": "rect", "xref": "paper", "yref": "paper", "x0": left, "x1": right, "y0": bottom, "y1": top, "layer": "below"}
    notes = [heading(f"<b>{title}</b><br>" + "<br>".join(spans), 0, 1, yshift=4, align="left", font=font)]
    if not written and largest < WRITTEN_FROM * most:
        blank = f"no weight reaches {WRITTEN_FROM:.1%}<br>of the largest possible"
        middle = {"xanchor": "center", "yanchor": "auto", "align": "center", "font": font}
        notes.append(heading(blank, (left + right) / 2, (bottom + top) / 2, **middle))
    ticks = {"tickvals": np.arange(count), "ticktext": proxies}
    layout: dict[str, Any] = {
        "shapes": [{**edge, "line": {"color": FAINT[theme], "width": 1}}],
        "height": HEIGHT,
        "margin": {"l": 58, "r": 10, "t": 66, "b": 30},
        "bargap": 0.25,
        "xaxis": axis | {"domain": WIDE, "anchor": "y2", "range": [-0.5, count - 0.5]} | ticks,
        "yaxis": axis | {"domain": TALL, "range": [len(y) - 0.5, -0.5]} | _ticks(y[order], labels, display, small),
        "xaxis2": {**bar, "domain": (right + 0.03, 1), "anchor": "y", **_reach(rows, most)},
        "yaxis2": {**bar, "domain": (0, bottom - 0.05), "anchor": "x", **_reach(columns, most)},
        "uirevision": title,
        "annotations": notes,
    }
    by = counted(count, "proxy", "proxies")
    alt = f"{title}: table of {len(y)} samples by {by} of weights dL/ds up to {largest:.3g}; {', '.join(spans)}."
    return canvas(traces, layout, theme=theme, alt=alt)


def _bars(name: str, sums: np.ndarray, way: str, ids: np.ndarray, axes: tuple[str, str], text: Sequence[str]) -> Trace:
    along = np.arange(len(sums))
    x, y = (sums, along) if way == "h" else (along, sums)
    colours = [tint(NEGATIVE if total > 0 else POSITIVE, 0.9) for total in sums.tolist()]
    where = {"orientation": way, "xaxis": axes[0], "yaxis": axes[1]}
    hover = f"%{{text}}: sum %{{{'x' if way == 'h' else 'y'}:.3g}}<extra></extra>"
    return bars(name, x, y, colour=colours, hover=hover, customdata=ids, text=list(text), textposition="none", **where)


def _ticks(y: np.ndarray, labels: Sequence[str], display: Display, small: bool) -> dict[str, Any]:
    """The names of few samples; of many, the names of classes in the middle of their rows."""
    names = {"tickvals": np.arange(len(y)), "ticktext": labels, "tickfont": {"size": 12}}
    return names if small else class_ticks(y, display)


def _reach(sums: np.ndarray, most: float) -> dict[str, object]:
    """The range of an axis on which rounding errors look like 0."""
    reach = 1.1 * max(float(np.abs(sums).max(initial=0)), most)
    if np.abs(sums).max(initial=0) < ROUNDING * most:
        return {"range": [-reach, reach], "tickvals": [0]}
    low = -reach if sums.min(initial=0) < -ROUNDING * most else -0.1 * reach
    return {"range": [low, reach if sums.max(initial=0) > ROUNDING * most else 0.1 * reach], "nticks": 3}


def _span(sums: np.ndarray, most: float) -> str:
    """The least and the largest sum in words."""
    low, high = (number(total, ".2g") if abs(total) > ROUNDING * most else "0" for total in (sums.min(), sums.max()))
    return low if low == high else f"{low} to {high}"


def _short(weight: float, most: float) -> str:
    """A number for a cell: 0 for a weight far below the largest possible one."""
    return number(weight, ".2g") if abs(weight) > WRITTEN_FROM * most else "0"
