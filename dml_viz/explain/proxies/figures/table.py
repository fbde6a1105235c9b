"""The table of weights W of a loss of proxies, with the sums of its rows and of its columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.figures._edges import of_classes, of_samples
from dml_viz.explain.proxies.model import Model
from dml_viz.plot.canvas import canvas, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import FAINT, INK, NEGATIVE, PAPER, POSITIVE
from dml_viz.plot.traces import Trace, bars

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
    most, title, count = response.largest_weights[0], response.loss.name, len(response.owners)
    order = np.argsort(y, kind="stable")
    weights = response.weights[order] + 0.0
    rows, columns, largest = weights.sum(1), weights.sum(0), np.abs(weights).max(initial=0)
    proxies, who = of_classes(display, model.classes[response.owners]), of_samples(display)
    labels = [who[k] for k in order.tolist()]
    small, written = len(y) <= NAMED, len(y) <= NAMED and count <= WRITTEN
    cells = {
        "type": "heatmap",
        "name": "W",
        "z": weights,
        "x": np.arange(count),
        "y": np.arange(len(y)),
        "zmin": -most,
        "zmax": most,
        "colorscale": [[0, POSITIVE], [0.5, PAPER[theme]], [1, NEGATIVE]],
        "showscale": False,
        "xgap": 1,
        "ygap": int(small),
        "customdata": np.broadcast_to(np.array(labels, object)[:, None], weights.shape).tolist(),
        "hovertemplate": "%{customdata}, proxy %{x}<br>dL/ds = %{z:.3g}<extra></extra>",
    }
    if written:
        cells["text"] = [[_short(weight, most) for weight in row] for row in weights.tolist()]
        cells |= {"texttemplate": "%{text}", "textfont": {"size": 12}}
    traces = [
        cells,
        _bars("row sums", rows, "h", order, ("x2", "y"), labels),
        _bars("column sums", columns, "v", np.arange(count), ("x", "y2"), [f"proxy of {name}" for name in proxies]),
    ]
    spans = f"rows sum to {_span(rows, most)}", f"columns sum to {_span(columns, most)}"
    bar = {"showgrid": False, "zeroline": True, "zerolinecolor": INK[theme], "tickfont": {"size": 12}}
    axis = {"showgrid": False, "ticks": ""}
    corner = {"xref": "paper", "yref": "paper", "showarrow": False, "xanchor": "left", "font": {"size": 13}}
    edge = {
        "type": "rect",
        "xref": "paper",
        "yref": "paper",
        "x0": WIDE[0],
        "x1": WIDE[1],
        "y0": TALL[0],
        "y1": TALL[1],
        "line": {"color": FAINT[theme], "width": 1},
        "layer": "below",
    }
    layout: dict[str, Any] = {
        "shapes": [edge], "height": HEIGHT, "margin": {"l": 58, "r": 10, "t": 66, "b": 30}, "bargap": 0.25,
        "xaxis": {"domain": WIDE, "anchor": "y2", "tickvals": np.arange(count), "ticktext": proxies,
                  "range": [-0.5, count - 0.5], **axis},
        "yaxis": {"domain": TALL, "range": [len(y) - 0.5, -0.5], **axis, **_ticks(y[order], labels, display, small)},
        "xaxis2": {**bar, "domain": (WIDE[1] + 0.03, 1), "anchor": "y", **_reach(rows, most)},
        "yaxis2": {**bar, "domain": (0, TALL[0] - 0.05), "anchor": "x", **_reach(columns, most)},
        "showlegend": False, "uirevision": title,
        "annotations": [{**corner, "x": 0, "y": 1, "yanchor": "bottom", "yshift": 4, "align": "left",
                         "text": f"<b>{title}</b><br>" + "<br>".join(spans)}],
    }  # fmt: skip
    if not written and largest < WRITTEN_FROM * most:
        blank = f"no weight reaches {WRITTEN_FROM:.1%}<br>of the largest possible"
        middle = {"x": sum(WIDE) / 2, "y": sum(TALL) / 2, "xanchor": "center", "align": "center"}
        layout["annotations"].append({**corner, **middle, "text": blank})
    alt = f"{title}: table of {len(y)} samples by {count} proxies of weights dL/ds "
    alt += f"up to {largest:.3g}; {spans[0]}, {spans[1]}."
    return canvas(traces, layout, theme=theme, alt=alt)


def _bars(name: str, sums: np.ndarray, way: str, ids: np.ndarray, axes: tuple[str, str], text: Sequence[str]) -> Trace:
    along = np.arange(len(sums))
    x, y = (sums, along) if way == "h" else (along, sums)
    colours = [tint(NEGATIVE if total > 0 else POSITIVE, 0.9) for total in sums.tolist()]
    return bars(
        name,
        x,
        y,
        colour=colours,
        hover=f"%{{text}}: sum %{{{'x' if way == 'h' else 'y'}:.3g}}<extra></extra>",
        orientation=way,
        xaxis=axes[0],
        yaxis=axes[1],
        customdata=ids,
        text=list(text),
        textposition="none",
    )


def _ticks(y: np.ndarray, labels: Sequence[str], display: Display, small: bool) -> dict[str, object]:
    """The names of few samples; of many, the names of classes in the middle of their rows."""
    if small:
        return {"tickvals": np.arange(len(y)), "ticktext": labels, "tickfont": {"size": 12}}
    classes = sorted(set(y.tolist()))
    middles = [float(np.flatnonzero(y == c).mean()) for c in classes]
    return {"tickvals": middles, "ticktext": of_classes(display, classes)}


def _reach(sums: np.ndarray, most: float) -> dict[str, object]:
    """The range of an axis on which rounding errors look like 0."""
    reach = 1.1 * max(float(np.abs(sums).max(initial=0)), most)
    if np.abs(sums).max(initial=0) < ROUNDING * most:
        return {"range": [-reach, reach], "tickvals": [0]}
    low = -reach if sums.min(initial=0) < -ROUNDING * most else -0.1 * reach
    return {"range": [low, reach if sums.max(initial=0) > ROUNDING * most else 0.1 * reach], "nticks": 3}


def _span(sums: np.ndarray, most: float) -> str:
    """The least and the largest sum in words."""
    if np.abs(sums).max(initial=0) < ROUNDING * most:
        return "0"
    low, high = (number(total, ".2g") if abs(total) > ROUNDING * most else "0" for total in (sums.min(), sums.max()))
    return low if low == high else f"{low} to {high}"


def _short(weight: float, most: float) -> str:
    """A number for a cell: 0 for a weight far below the largest possible one."""
    return number(weight, ".2g") if abs(weight) > WRITTEN_FROM * most else "0"
