"""What a learnt sampler has learnt: which class it draws with which, beside how hard these classes are to separate."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.plot.canvas import axis, canvas, heading, tint
from dml_viz.plot.display import Display
from dml_viz.plot.style import INK, NEGATIVE, POSITIVE
from dml_viz.plot.traces import heatmap

CELLS = 8  # classes up to which a cell has its number
PANELS = ((0.0, 0.44), (0.56, 1.0))  # shares of the width
NOUN = "class "  # which the axes say
TITLES = ("drawn next (%)", "active triplets (%)")


def policy(model: Model, display: Display) -> go.Figure:
    """How often a class is drawn next after another, on the left, and the share of their triplets that are active."""
    theme, tables = display.theme, model.policy
    if tables is None:
        return canvas([], {"height": 120}, theme=theme, alt="This method learns no sampler.")
    names = [display.classes[label].removeprefix(NOUN) for label in np.unique(model.y).tolist()]
    many = len(names)
    traces, notes = list[dict[str, Any]](), []
    layout: dict[str, Any] = {"height": 340, "margin": {"l": 50, "r": 12, "t": 34, "b": 46}}
    text = {"texttemplate": "%{z:.0f}", "textfont": {"color": INK[theme], "size": 14}} if many <= CELLS else {}
    ticks = {"type": "category", "categoryarray": names, "showgrid": False, "ticks": ""}
    for panel, (table, title, colour) in enumerate(zip(tables, TITLES, (POSITIVE, NEGATIVE), strict=True)):
        number, colours = str(panel + 1) if panel else "", (tint(colour, 0.04), tint(colour, 0.75))
        at = {"x": names, "y": names, "xaxis": f"x{number}", "yaxis": f"y{number}"}
        hover = "%{y}, then %{x}: %{z:.3g} %<extra></extra>"
        traces.append(heatmap(title, 100 * table, colours, (0, 100), gap=2, hover=hover, **at, **text))
        across = axis("other class", -0.5, many - 0.5, **ticks)
        down = axis("" if panel else "first class", many - 0.5, -0.5, **ticks)
        layout[f"xaxis{number}"] = {**across, "domain": PANELS[panel], "anchor": f"y{number}"}
        layout[f"yaxis{number}"] = {**down, "anchor": f"x{number}"}
        notes.append(heading(title, PANELS[panel][0], 1, yshift=4))
    return canvas(traces, {**layout, "annotations": notes}, theme=theme, alt=_alt(model, names))


def _alt(model: Model, names: list[str]) -> str:
    assert model.policy is not None
    shares, active = model.policy
    rows = [
        f"{names[first]} then {names[other]} {100 * shares[first, other]:.0f} % and {100 * active[first, other]:.0f} %"
        for first, other in np.argwhere(np.isfinite(active)).tolist()
    ]
    cells = "; ".join(rows) if len(names) <= CELLS else f"a table of {len(names)} classes"
    return f"After {model.settings.step} steps, how often a class is drawn next, and its active triplets: {cells}."
