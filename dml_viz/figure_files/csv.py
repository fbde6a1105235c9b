"""The data of a figure as CSV, as the browser writes it too (assets/src/export/csv.js)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dml_viz.figure_files.figure_data import decoded
from dml_viz.figure_files.spec import Recipe

COLUMNS = ("x", "y", "z", "u", "v", "base", "width", "size", "text")
GRIDS = ("heatmap", "contour")


def csv(figure: Mapping[str, Any], recipe: Recipe, caption: str) -> str:
    """The points of every trace that is seen, a row each, below the recipe and the caption."""
    rows: list[dict[str, Any]] = []
    traces = [trace for trace in decoded(dict(figure))["data"] if trace.get("visible", True) is True]
    tables = [(trace, _cells(trace) if trace.get("type") in GRIDS else _points(trace)) for trace in traces]
    # Plotly counts a trace without a point as not seen.
    for place, (trace, own) in enumerate((trace, own) for trace, own in tables if own):
        rows += [{"trace": place, "name": trace.get("name", ""), "point": k, **point} for k, point in enumerate(own)]
    columns = ["trace", "name", "point", *(column for column in COLUMNS if any(column in row for row in rows))]
    head = [f"# dml-viz recipe: {json.dumps(recipe.write())}", *(f"# {line}" for line in caption.split("\n"))]
    body = [",".join(_field(row.get(column, "")) for column in columns) for row in rows]
    return "\r\n".join([*head, ",".join(columns), *body, ""])


def _points(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    own = {name: _array(trace, name) for name in COLUMNS}
    lengths = [len(own[name] or ()) for name in ("x", "y", "u")]
    return [
        {name: values[k] for name, values in own.items() if values is not None and k < len(values)}
        for k in range(max(lengths))
    ]


def _cells(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    z = _list(trace["z"]) or []
    wide = len(z[0]) if z else 0
    x, y = _list(trace.get("x")) or range(wide), _list(trace.get("y")) or range(len(z))
    return [{"x": x[c], "y": y[r], "z": z[r][c]} for r in range(len(z)) for c in range(wide)]


def _array(trace: Mapping[str, Any], name: str) -> Sequence[Any] | None:
    marker = trace.get("marker") or {}
    return _list(marker.get("size") if name == "size" else trace.get(name))


def _list(value: Any) -> list[Any] | None:
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    return value if isinstance(value, list) else None


def _field(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value) if math.isfinite(value) else ""
    text = re.sub(r"<[^>]*>", "", str(value).replace("<br>", "; "))
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]', text) else text
