"""The table of a figure, with a row for each point."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.declared import DECLARED

MEANING: Mapping[str, str] = DECLARED["meaning"]  # of the columns of a chart; the titles of the axes are added to x and y
COLUMNS = tuple(MEANING)[3:]
GRIDS = ("heatmap", "contour")
HEADER = "# dml-viz recipe: "


def shown_traces(chart: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The visible traces with points, decoded: Plotly does not draw, and no table counts, a trace without them."""
    visible = [trace for trace in with_arrays_decoded(dict(chart))["data"] if trace.get("visible", True) is True]
    return [trace for trace in visible if (trace.get("type") in GRIDS and len(trace["z"])) or _points(trace, {})]


def rows_of(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any]) -> list[list[Any]]:
    """The names of the columns with values, then a row for each point of every trace."""
    points: list[dict[str, Any]] = []
    for number, trace in enumerate(traces):
        cells = (_cells if trace.get("type") in GRIDS else _points)(trace, layout)
        points += [{"trace": number, "name": trace.get("name", ""), "point": k, **point} for k, point in enumerate(cells)]
    columns = [*tuple(MEANING)[:3], *(column for column in COLUMNS if any(column in point for point in points))]
    return [columns, *([point.get(column, "") for column in columns] for point in points)]


def notes_on(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Lines on the meaning of the columns, the look of each trace, and the axes: enough to draw the figure again."""
    shown = {name: axis for name, axis in layout.items() if re.fullmatch(r"[xy]axis\d*", name)}
    titles = {name: _plain((axis.get("title") or {}).get("text") or "") for name, axis in shown.items()}
    named = {
        letter: "; ".join(dict.fromkeys(title for name, title in titles.items() if title and name[0] == letter))
        for letter in "xy"
    }
    lines = [f"column {name}: {MEANING[name]}{', ' + named[name] if named.get(name) else ''}" for name in columns]
    lines += [f"trace {number}: {json.dumps(_look(trace))}" for number, trace in enumerate(traces)]
    axes = {
        name: {"title": titles[name], **{key: _simple(axis[key]) for key in DECLARED["axisLooks"] if key in axis}}
        for name, axis in shown.items()
    }
    return [*lines, f"layout: {json.dumps({**axes, 'barmode': layout.get('barmode', 'overlay')})}"]


def _look(trace: Mapping[str, Any]) -> dict[str, Any]:
    """A trace without its data: the properties that all of its points share."""
    look = {key: _simple(trace[key]) for key in DECLARED["traceLooks"] if key in trace}
    for part, names in (("line", DECLARED["lineLooks"]), ("marker", DECLARED["markerLooks"])):
        values = trace.get(part) or {}
        shared = {key: values[key] for key in names if isinstance(values.get(key), (str, int, float))}
        look |= {part: shared} if shared else {}
    return {**look, "name": _plain(str(trace.get("name", "")))}


def _simple(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _plain(text: str) -> str:
    return re.sub(r"<[^>]*>", "", text.replace("<br>", " ").replace("<sub>", "_"))


def _points(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> list[dict[str, Any]]:
    marker = trace.get("marker") or {}
    columns = {name: _list(marker.get("size") if name == "size" else trace.get(name)) for name in COLUMNS}
    for letter in "xy":
        called = _names(trace, layout, letter, columns[letter] or ())
        if called and [*map(_number_in, called)] != columns[letter]:
            columns[f"{letter} name"] = called
    lengths = [len(columns[name] or ()) for name in ("x", "y", "u")]
    return [
        {name: values[k] for name, values in columns.items() if values is not None and k < len(values)}
        for k in range(max(lengths))
    ]


def _cells(trace: Mapping[str, Any], layout: Mapping[str, Any]) -> list[dict[str, Any]]:
    z = _list(trace["z"]) or []
    wide = len(z[0]) if z else 0
    x, y = _list(trace.get("x")) or range(wide), _list(trace.get("y")) or range(len(z))
    columns, rows = (_names(trace, layout, letter, values) for letter, values in (("x", x), ("y", y)))
    values = (trace.get("meta") or {}).get("values")
    return [
        {"x": x[c], "y": y[r], "z": z[r][c]}
        | ({"column": columns[c], "row": rows[r]} if columns and rows else {})
        | ({"value": "" if values[r][c] is None else values[r][c]} if values else {})
        for r in range(len(z))
        for c in range(wide)
    ]


def _names(trace: Mapping[str, Any], layout: Mapping[str, Any], letter: str, values: Sequence[Any]) -> list[Any] | None:
    """The tick texts of an axis of ``trace`` at ``values``; None if one has no text."""
    axis = layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis"), {})
    ticks, words = _list(with_arrays_decoded(axis.get("tickvals"))), _list(with_arrays_decoded(axis.get("ticktext")))
    named = dict(zip(ticks, words, strict=False)) if ticks and words else {}
    return [_plain(str(named[value])) for value in values] if named and all(value in named for value in values) else None


def _number_in(text: str) -> float:
    try:
        return float(text.replace(",", "").replace("−", "-"))
    except ValueError:
        return math.nan


def _list(value: Any) -> list[Any] | None:
    if isinstance(value, np.ndarray):
        return list(value.tolist())
    return value if isinstance(value, list) else None
