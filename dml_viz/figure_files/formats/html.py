"""HTML: a page that needs no other file."""

import html as escapes
import json
from typing import Any

import numpy as np

from dml_viz.assets import PLOTLY
from dml_viz.figure_files.chart import with_arrays_decoded
from dml_viz.figure_files.declared import CHART, PAGE, fill_slots
from dml_viz.figure_files.formats._base import Figure, FileFormat, printable, text_between
from dml_viz.plot.style import PAPER

MARK = '<script type="application/json" id="dml-viz-recipe">'


class HTML(FileFormat):
    """A page that any browser opens, in the colours of its theme."""

    label, order = "HTML, self-contained", 4
    note = "One file that any browser opens, without this app"
    media_type, writer = "text/html", "html"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        return text_between(body, MARK.encode(), b"</script>")

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        if figure.chart is None:
            return None
        spec, chart = figure.spec, with_arrays_decoded(dict(figure.chart))
        chart["layout"] = {**chart["layout"], "paper_bgcolor": PAPER[spec.theme], "autosize": True}
        library = PLOTLY.read_text(encoding="utf-8").replace("</script", "<\\/script")
        title, words, caption = (escapes.escape(printable(text)) for text in (spec.title, figure.words, figure.caption))
        drawing = fill_slots(CHART, {"words": words, "library": library, "figure": _safe(chart)})
        slots = {"title": title, "recipe": _safe(spec.write()), "drawing": drawing, "caption": caption.replace("\n", "<br>")}
        return fill_slots(PAGE, slots).encode()


def _safe(value: Any) -> str:
    """JSON without ``<``, which could end the script element around it."""
    return json.dumps(_finite(value), allow_nan=False).replace("<", "\\u003c")


def _finite(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _finite(value.tolist())
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
