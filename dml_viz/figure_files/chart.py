"""A Plotly figure's JSON as plain values, with decoded arrays and the visitor's zoom."""

import base64
import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def with_arrays_decoded(value: Any) -> Any:
    """The same value, with NumPy arrays in place of arrays that are packed as bytes."""
    if isinstance(value, dict):
        if "bdata" in value and "dtype" in value:
            flat = np.frombuffer(base64.b64decode(value["bdata"]), np.dtype(value["dtype"]).newbyteorder("<"))
            shape = str(value.get("shape", "")).replace(" ", "")
            return flat.reshape([int(size) for size in shape.split(",")]) if shape else flat
        return {name: with_arrays_decoded(each) for name, each in value.items()}
    return [with_arrays_decoded(each) for each in value] if isinstance(value, list) else value


def with_view(figure: str, view: Mapping[str, Any]) -> dict[str, Any]:
    """The figure of JSON ``figure`` with the axis ranges of a visitor's ``view``, its hidden traces only in the legend."""
    chart: dict[str, Any] = json.loads(figure)
    layout = chart.setdefault("layout", {})
    for name, value in view.items():
        axis, _, what = name.partition(".")
        if what == "range" and isinstance(value, list) and len(value) == 2:
            layout[axis] = {**layout.get(axis, {}), "range": value, "autorange": False}
    for trace in view.get("off", ()):
        if isinstance(trace, int) and 0 <= trace < len(chart["data"]):
            chart["data"][trace]["visible"] = "legendonly"
    return chart
