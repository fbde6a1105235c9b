"""Rows of panels over one horizontal axis, each under its own heading."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dml_viz.plot.canvas import heading

GAP = 30  # pixels between rows, for the next row's heading
FOOT, HEAD = 62, 30  # pixels below and above the rows


@dataclass(frozen=True)
class Row:
    """One panel: its heading, its traces without axes, its height in pixels, and properties of its y axis and its shapes."""

    heading: str
    traces: Sequence[Mapping[str, Any]]
    height: int
    axis: Mapping[str, Any] = field(default_factory=dict)
    shapes: Sequence[Mapping[str, Any]] = ()


def stacked(rows: Sequence[Row], xaxis: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The traces and the layout of ``rows`` from the top down, all on the x axis ``xaxis``."""
    inside = sum(row.height for row in rows) + GAP * (len(rows) - 1)
    layout: dict[str, Any] = {
        "height": inside + FOOT + HEAD,
        "margin": {"l": 50, "r": 12, "t": HEAD, "b": FOOT},
        "annotations": [],
        "shapes": [],
        "xaxis": {"anchor": "y" if len(rows) == 1 else f"y{len(rows)}", **xaxis},
    }
    traces = []
    top = inside
    for k, row in enumerate(rows):
        name = f"y{k + 1}" if k else "y"
        domain = (max(top - row.height, 0) / inside, top / inside)
        layout[name.replace("y", "yaxis")] = {"domain": domain, "anchor": "x", "nticks": 4, **row.axis}
        layout["annotations"].append(heading(row.heading, 0, domain[1], align="left"))
        layout["shapes"] += [{"y0": 0, "y1": 1, **shape, "xref": "x", "yref": f"{name} domain"} for shape in row.shapes]
        traces += [{"xaxis": "x", "yaxis": name, **trace} for trace in row.traces]
        top -= row.height + GAP
    return traces, layout
