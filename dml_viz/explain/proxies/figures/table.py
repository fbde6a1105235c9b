"""The table of weights W of a loss of proxies, with the sums of its rows and of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import canvas, tint
from dml_viz.plot.numbers import number
from dml_viz.plot.style import FAINT, INK, NEGATIVE, PAPER, POSITIVE
from dml_viz.plot.traces import Trace, bars

HEIGHT = 446
NAMED = 24  # samples up to which each has its name, and its numbers
WRITTEN = 4  # proxies up to which numbers are written
WRITTEN_FROM = 1e-3  # of the largest weight that there can be
NOTHING = 1e-9  # of the largest weight: a sum below it is 0 but for rounding
WIDE, TALL = (0.0, 0.78), (0.26, 1.0)  # of the table; the sums have the rest


def heat_map_figure(
    weights: np.ndarray,
    y: np.ndarray,
    owners: np.ndarray,
    *,
    most: float,
    title: str,
    who: Sequence[str],
    names: Sequence[str],
    theme: str = "light",
) -> go.Figure:
    """Weights dL/ds (N, M) of samples of classes y (N,), by class from the top, with proxies of classes ``owners`` (M,).

    Colours end at ``most``, the largest weight that the loss can give: the table of a loss that is done is blank. Bars
    to the right are the sums of rows, ``customdata`` the sample; bars below those of columns.
    """
    order = np.argsort(y, kind="stable")
    table = weights[order] + 0.0
    rows, columns = table.sum(1), table.sum(0)
    stars = [names[c].removeprefix("class ") for c in owners.tolist()]
    small = len(y) <= NAMED
    labels = [who[k] for k in order.tolist()]
    text: dict[str, object] = {}
    if small and len(owners) <= WRITTEN:
        cells = [[_short(weight, most) for weight in row] for row in table.tolist()]
        text = {"text": cells, "texttemplate": "%{text}", "textfont": {"size": 11}}
    hover = "%{customdata}, star %{x}<br>dL/ds = %{z:.3g}<extra></extra>"
    traces = [
        {
            "type": "heatmap", "name": "W", "z": table, "x": np.arange(len(owners)), "y": np.arange(len(y)), "zmin": -most,
            "zmax": most, "colorscale": [[0, POSITIVE], [0.5, PAPER[theme]], [1, NEGATIVE]], "showscale": False, "xgap": 1,
            "ygap": 1 if small else 0, "hovertemplate": hover, **text,
            "customdata": np.broadcast_to(np.array(labels, object)[:, None], table.shape).tolist(),
        },
        _bars("row sums", rows, "h", order, ("x2", "y"), [f"{name}: row sum" for name in labels]),
        _bars("column sums", columns, "v", np.arange(len(owners)), ("x", "y2"),
              [f"star of {name}: column sum" for name in stars]),
    ]  # fmt: skip
    spans = f"rows sum to {_span(rows, most)}", f"columns sum to {_span(columns, most)}"
    bar = {"showgrid": False, "zeroline": True, "zerolinecolor": INK[theme], "tickfont": {"size": 10}}
    corner = {"xref": "paper", "yref": "paper", "showarrow": False, "xanchor": "left", "font": {"size": 13}}
    edge = {
        "type": "rect",
        "xref": "paper",
        "yref": "paper",
        "line": {"color": FAINT[theme], "width": 1},
        "layer": "below",
    }
    plain = {"showgrid": False, "ticks": ""}
    heading = f"<b>{title}</b><br>" + "<br>".join(spans)
    layout: dict[str, Any] = {
        "shapes": [{**edge, "x0": WIDE[0], "x1": WIDE[1], "y0": TALL[0], "y1": TALL[1]}],
        "height": HEIGHT, "margin": {"l": 58, "r": 10, "t": 66, "b": 30}, "bargap": 0.25, "showlegend": False,
        "xaxis": {**plain, "domain": WIDE, "anchor": "y2", "tickvals": np.arange(len(owners)), "ticktext": stars,
                  "range": [-0.5, len(owners) - 0.5]},
        "yaxis": {**plain, "domain": TALL, "range": [len(y) - 0.5, -0.5], **_ticks(y[order], labels, names, small)},
        "xaxis2": {**bar, "domain": (WIDE[1] + 0.03, 1), "anchor": "y", **_reach(rows, most)},
        "yaxis2": {**bar, "domain": (0, TALL[0] - 0.05), "anchor": "x", **_reach(columns, most)},
        "annotations": [{**corner, "x": 0, "y": 1, "yanchor": "bottom", "yshift": 4, "align": "left", "text": heading}],
        "uirevision": title,
    }  # fmt: skip
    if not text and np.abs(table).max(initial=0) < WRITTEN_FROM * most:
        done = f"no weight reaches {WRITTEN_FROM:.1%}<br>of the most there can be"
        middle = {"x": sum(WIDE) / 2, "y": sum(TALL) / 2, "xanchor": "center", "align": "center"}
        layout["annotations"].append({**corner, **middle, "text": done})
    alt = f"{title}: table of {len(y)} samples by {len(owners)} proxies of weights dL/ds "
    alt += f"up to {np.abs(table).max(initial=0):.3g}; {spans[0]}, {spans[1]}."
    return canvas(traces, layout, theme=theme, alt=alt)


def _bars(name: str, sums: np.ndarray, way: str, ids: np.ndarray, axes: tuple[str, str], hover: Sequence[str]) -> Trace:
    along = np.arange(len(sums))
    x, y = (sums, along) if way == "h" else (along, sums)
    colours = [tint(NEGATIVE if total > 0 else POSITIVE, 0.9) for total in sums.tolist()]
    return bars(
        name, x, y, colour=colours, hover=f"%{{text}} %{{{'x' if way == 'h' else 'y'}:.3g}}<extra></extra>", orientation=way,
        xaxis=axes[0], yaxis=axes[1], customdata=ids, text=list(hover), textposition="none",
    )  # fmt: skip


def _ticks(y: np.ndarray, labels: Sequence[str], names: Sequence[str], small: bool) -> dict[str, object]:
    """Every sample's name where there are few, else each class's in the middle of its rows."""
    if small:
        names_of_all = [label.replace("class ", "") for label in labels]
        return {"tickvals": np.arange(len(y)), "ticktext": names_of_all, "tickfont": {"size": 11}}
    classes = sorted(set(y.tolist()))
    return {
        "tickvals": [float(np.flatnonzero(y == c).mean()) for c in classes],
        "ticktext": [names[c].removeprefix("class ") for c in classes],
    }


def _reach(sums: np.ndarray, most: float) -> dict[str, object]:
    """An axis on which sums that are 0 but for rounding are seen to be 0."""
    reach = 1.1 * max(float(np.abs(sums).max(initial=0)), most)
    if np.abs(sums).max(initial=0) < NOTHING * most:
        return {"range": [-reach, reach], "tickvals": [0]}
    low = -reach if sums.min(initial=0) < -NOTHING * most else -0.1 * reach
    return {"range": [low, reach if sums.max(initial=0) > NOTHING * most else 0.1 * reach], "nticks": 3}


def _span(sums: np.ndarray, most: float) -> str:
    """The least and the largest of sums in words."""
    if np.abs(sums).max(initial=0) < NOTHING * most:
        return "0"
    low, high = (number(total, ".2g") if abs(total) > NOTHING * most else "0" for total in (sums.min(), sums.max()))
    return low if low == high else f"{low} to {high}"


def _short(weight: float, most: float) -> str:
    """A number for a cell: what is far less than there can be is 0 to the eye."""
    return number(weight, ".2g") if abs(weight) > WRITTEN_FROM * most else "0"
