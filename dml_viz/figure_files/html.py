"""A figure as one page that needs nothing else, as the browser writes it too (assets/src/export/html.js)."""

from __future__ import annotations

import html as escapes
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from dml_viz.assets import PLOTLY
from dml_viz.figure_files.figure_data import decoded
from dml_viz.figure_files.spec import Recipe

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<script type="application/json" id="dml-viz-recipe">{recipe}</script>
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


def html(figure: Mapping[str, Any], recipe: Recipe, words: str, caption: str, *, paper: str) -> str:
    """The page of ``figure`` on ``paper`` (#rrggbb); ``words`` say what it shows."""
    told = decoded(dict(figure))
    told["layout"] = {**told["layout"], "paper_bgcolor": paper, "autosize": True}
    library = PLOTLY.read_text(encoding="utf-8").replace("</script", "<\\/script")
    return PAGE.format(
        title=escapes.escape(recipe.title), recipe=_safe(recipe.write()), words=escapes.escape(words), library=library,
        figure=_safe(told), caption=escapes.escape(caption).replace("\n", "<br>"),
    )  # fmt: skip


def _safe(value: Any) -> str:
    """JSON that ends no script."""
    return json.dumps(_finite(value), allow_nan=False).replace("<", "\\u003c")


def _finite(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _finite(value.tolist())
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
