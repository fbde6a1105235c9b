"""Requests for a picture to a headless Chrome, or to the page that composes figures."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from dml_viz.data.wire import pack
from dml_viz.export.picture import BrowserPicture
from dml_viz.figure_files.chart import with_view
from dml_viz.figure_files.formats import Figure
from dml_viz.figure_files.spec import Spec
from dml_viz.plot.style import palette
from dml_viz.room.component_data import CompanionComponent, PictureRequest, figure_data

WIDTH = 700.0  # px of a figure whose spec names no size
PAGE = 1200.0  # px of a whole live picture, which lays out its panels itself


def figure_for_python_formats(picture: BrowserPicture, spec: Spec) -> Figure:
    """The figure that formats written by Python need: words, caption and chart; without a Plotly chart the spec alone."""
    if picture.module != "figure":
        return Figure(spec)
    words = str(picture.data["alt"])
    caption = "\n".join(part for part in (words, spec.caption, spec.address) if part)
    return Figure(spec, words, caption, with_view(picture.data["figure"], spec.view))


def request_of(picture: BrowserPicture, spec: Spec) -> PictureRequest:
    """Turn ``picture`` into the request by which assets/src/export/aside.js draws it outside of the visible page."""
    figure = figure_for_python_formats(picture, spec)
    if figure.chart is not None:
        usual = {"width": WIDTH, "height": picture.data.get("height", 400)}
        size = {name: spec.size.get(name, pixels) for name, pixels in usual.items()}
        return chart_request(spec, figure.chart, figure.words, size)
    # A picture of our own draws itself, in a frame as wide as a page's column; panels are not of that size.
    width = PAGE if picture.module == "live" else WIDTH if picture.arrays is None else spec.size.get("width", WIDTH)
    data: dict[str, Any] = {**picture.data, "recipe": {**spec.write(), "figure": picture.spec.figure}}
    if picture.arrays is not None:
        data = {"bytes": base64.b64encode(pack(data, picture.arrays)).decode()}
    others: list[CompanionComponent] = [{"module": module, "data": other} for module, other in picture.others]
    return {"module": picture.module, "data": data, "figure": spec.figure, "width": float(width), "others": others}


def chart_request(spec: Spec, chart: Mapping[str, Any], words: str, size: Mapping[str, float]) -> PictureRequest:
    """The request that shows a chart of Plotly in a frame of ``size`` (px)."""
    shown = {"figure": json.dumps(chart), "alt": words, "height": float(size["height"]), "palette": palette()}
    data = figure_data(spec.theme, recipe=spec.write(), **shown)
    return {"module": "figure", "data": data, "figure": spec.figure, "width": float(size["width"])}
