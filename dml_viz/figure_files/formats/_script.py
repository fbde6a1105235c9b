"""Programs that draw a figure again from the CSV beside them."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from dml_viz.assets import ASSETS
from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.declared import DECLARED
from dml_viz.figure_files.formats._base import Figure, FileFormat
from dml_viz.figure_files.formats._table import COLUMNS, shown_traces
from dml_viz.plot.style import PAPER

REDRAW = ASSETS / "scripts" / "redraw.py"
NO_LOOK = '{"data": [], "layout": {}}'
WIDTH = 700.0  # px of a figure whose spec names no size
DRAWN, UNSEEN, UNSEEN_LAYOUT = (frozenset(DECLARED[name]) for name in ("redrawn", "unseenOfTrace", "unseenOfLayout"))


class Script(FileFormat):
    """The program for matplotlib or Plotly, which needs its table in the same folder."""

    writer, of_one = "script", True
    companion: ClassVar[str | None] = "csv"

    @classmethod
    def refusal(cls, figure: Figure) -> str:
        if figure.chart is None or not all(trace["type"] in DRAWN for trace in shown_traces(figure.chart)):
            return f"no script draws {figure.spec.figure} again: it is a drawing, no chart; choose svg, pdf, png or csv"
        return ""

    @classmethod
    def text(cls, figure: Figure) -> str:
        """The program for the file of ``figure``."""
        text = REDRAW.read_text(encoding="utf-8").replace("FIGURE", figure.name or figure.spec.figure)
        return text.replace(NO_LOOK, _written(figure_look(figure)))


def figure_look(figure: Figure) -> dict[str, Any]:
    """The look of visible traces, without the numbers of the table, and the layout in pixels."""
    assert figure.chart is not None
    given, size = figure.chart["layout"], figure.spec.size
    layout = {name: with_arrays_decoded(value) for name, value in given.items() if name not in UNSEEN_LAYOUT}
    layout |= {
        "width": given.get("width") or size.get("width", WIDTH),
        "height": given.get("height") or size.get("height", 400),
        "paper_bgcolor": PAPER[figure.spec.theme],
    }
    return {"data": [_look(trace) for trace in shown_traces(figure.chart)], "layout": layout}


def _look(trace: Mapping[str, Any]) -> dict[str, Any]:
    words = "text" in trace.get("mode", "") or "texttemplate" in trace or trace.get("textposition", "none") != "none"
    unseen = UNSEEN if words else UNSEEN | {"text"}
    look = {
        name: value for name, value in trace.items() if name not in unseen and not (name in COLUMNS and _in_table(name, value))
    }
    if "marker" in look:
        look["marker"] = {key: value for key, value in look["marker"].items() if not (key == "size" and _in_table(key, value))}
    return look


def _in_table(name: str, value: Any) -> bool:
    """Whether the table has the values: numbers, as of words it has none of the marks."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return name != "text" and isinstance(value, list) and (name == "z" or not any(isinstance(item, str) for item in value))


def _written(value: Mapping[str, Any]) -> str:
    """A look as JSON, with a line for each trace and each property of the layout."""
    text = partial(json.dumps, default=np.ndarray.tolist)
    traces = ",\n".join(map(text, value["data"]))
    layout = ",\n".join(f"{text(name)}: {text(part)}" for name, part in value["layout"].items())
    return f'{{"data": [\n{traces}\n], "layout": {{\n{layout}\n}}}}'
