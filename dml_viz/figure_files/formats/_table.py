"""Files of a table: the points of a figure, a row each, as the browser writes them too (assets/src/export/csv.js)."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from dml_viz.figure_files.chart import decoded
from dml_viz.figure_files.formats._base import Figure, FileFormat

COLUMNS = ("x", "y", "z", "u", "v", "base", "width", "size", "text")
GRIDS = ("heatmap", "contour")
HEADER = "# dml-viz recipe: "


class Table(FileFormat):
    """A table below the spec and the caption, its cells apart by ``separator``."""

    writer = "table"
    separator: ClassVar[str] = ","

    def __init_subclass__(cls) -> None:
        cls.options = MappingProxyType({"separator": cls.separator})

    @classmethod
    def read(cls, body: bytes) -> str | None:
        first = body.decode("utf-8-sig", "replace").split("\n", 1)[0].strip()
        return first.removeprefix(HEADER) if first.startswith(HEADER) else None

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        if figure.chart is None:
            return None
        head = [f"{HEADER}{json.dumps(figure.spec.write())}", *(f"# {line}" for line in figure.caption.split("\n"))]
        body = [cls.separator.join(cls._field(cell) for cell in row) for row in _rows(figure.chart)]
        return "\r\n".join([*head, *body, ""]).encode()

    @classmethod
    def _field(cls, value: Any) -> str:
        if isinstance(value, bool) or value is None:
            return "" if value is None else str(value).lower()
        if isinstance(value, (int, float)):
            return repr(value) if math.isfinite(value) else ""
        text = re.sub(r"<[^>]*>", "", str(value).replace("<br>", "; "))
        quoted = any(sign in text for sign in ('"', "\r", "\n", cls.separator))
        return '"' + text.replace('"', '""') + '"' if quoted else text


def _rows(chart: Mapping[str, Any]) -> list[list[Any]]:
    """The names of the columns, and a row for each point of every trace that is visible; columns without values are left out."""
    points: list[dict[str, Any]] = []
    traces = [trace for trace in decoded(dict(chart))["data"] if trace.get("visible", True) is True]
    tables = [(trace, _cells(trace) if trace.get("type") in GRIDS else _points(trace)) for trace in traces]
    # Plotly counts a trace without a point as not seen.
    for place, (trace, own) in enumerate((trace, own) for trace, own in tables if own):
        points += [{"trace": place, "name": trace.get("name", ""), "point": k, **point} for k, point in enumerate(own)]
    columns = ["trace", "name", "point", *(column for column in COLUMNS if any(column in point for point in points))]
    return [columns, *([point.get(column, "") for column in columns] for point in points)]


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
