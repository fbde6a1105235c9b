"""HTML: a page that needs no other file; the browser writes the same (assets/src/export/html.js)."""

import html as escapes
import json
from typing import Any

import numpy as np

from dml_viz.assets import PLOTLY
from dml_viz.figure_files.allowed import allowed
from dml_viz.figure_files.chart import decoded
from dml_viz.figure_files.formats._base import Figure, FileFormat, between
from dml_viz.plot.style import PAPER

MARK = '<script type="application/json" id="dml-viz-recipe">'
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
{mark}{spec}</script>
<style>body {{ margin: 1rem auto; max-width: 1200px; padding: 0 1rem; font: 15px/1.45 Helvetica, Arial, sans-serif; }}</style>
</head>
<body>
<h1 style="font-size: 1.2rem">{title}</h1>
<div id="figure" role="img" aria-label="{words}"></div>
<script>{library}</script>
<script>
const figure = {figure};
Plotly.newPlot("figure", figure.data, figure.layout, {{ responsive: true, displaylogo: false, showSendToCloud: false }});
</script>
<p>{caption}</p>
</body>
</html>
"""


class HTML(FileFormat):
    """A page that any browser opens, in the colours of its theme."""

    label, place = "HTML, self-contained", 4
    note = "One file that any browser opens, without this app"
    media_type, writer = "text/html", "html"

    @classmethod
    def read(cls, body: bytes) -> str | None:
        return between(body, MARK.encode(), b"</script>")

    @classmethod
    def write(cls, figure: Figure) -> bytes | None:
        if figure.chart is None:
            return None
        spec, chart = figure.spec, decoded(dict(figure.chart))
        chart["layout"] = {**chart["layout"], "paper_bgcolor": PAPER[spec.theme], "autosize": True}
        library = PLOTLY.read_text(encoding="utf-8").replace("</script", "<\\/script")
        title, words, caption = (escapes.escape(allowed(text)) for text in (spec.title, figure.words, figure.caption))
        return PAGE.format(
            title=title,
            mark=MARK,
            spec=_safe(spec.write()),
            words=words,
            library=library,
            figure=_safe(chart),
            caption=caption.replace("\n", "<br>"),
        ).encode()


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
