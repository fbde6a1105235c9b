"""The dependence of a pair's weight on its similarity, on other negatives', and on positives' similarities."""

import plotly.graph_objects as go

from dml_viz.explain.pairs.model import Losses
from dml_viz.explain.pairs.model_similarities import KINDS, MOVED
from dml_viz.plot.canvas import canvas
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import PAPER, QUERY
from dml_viz.plot.traces import Trace, heatmap

CELL = 40  # pixels of a row
HOVER = "%{y}: moving %{x} similarity changes the weight by %{z:.3f} of the largest<extra></extra>"


def similarities(losses: Losses, display: Display) -> go.Figure:
    """The largest change of the weight of anchor and negative, by loss and by the kind of similarity that changes."""
    dependence = losses.dependence
    if dependence is None:
        alt = "No pair is moved: the anchor has 0 negatives."
        return canvas([], {"height": 120}, theme=display.theme, alt=alt)
    text = [[number(value, ".2f") if value else "0" for value in row] for row in dependence.changes.tolist()]
    cells: Trace = {"x": list(KINDS), "y": list(dependence.titles), "text": text, "texttemplate": "%{text}", "hover": HOVER}
    table = heatmap("changes", dependence.changes, (PAPER[display.theme], QUERY), gap=2, **cells)
    pair = " and ".join(display.who[k] for k in dependence.pair)
    rows = [", ".join(number(value, ".2f") for value in row) for row in dependence.changes.tolist()]
    in_words = "; ".join(f"{title} {row}" for title, row in zip(dependence.titles, rows, strict=True))
    kinds = ", ".join(KINDS)
    alt = f"Changes of the weight of {pair} where a similarity moves by {MOVED:g}: {kinds}, of the largest weight. {in_words}."
    layout = {
        "height": 70 + CELL * len(dependence.titles),
        "margin": {"l": 140, "r": 12, "t": 34, "b": 8},
        "xaxis": {"side": "top", "showgrid": False, "ticks": ""},
        "yaxis": {"autorange": "reversed", "showgrid": False, "ticks": ""},
    }
    return canvas([table], layout, theme=display.theme, alt=alt)
