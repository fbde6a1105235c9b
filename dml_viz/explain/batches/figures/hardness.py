"""How hard the triplets of a batch are over a run, for each way to fill it."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dml_viz.explain.batches.model_samplers import FILLINGS
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import FAINT, class_style
from dml_viz.plot.traces import Trace, line, vertical_line

if TYPE_CHECKING:
    from dml_viz.explain.batches.model import Model


TICKS = (1, 2, 5, 10, 20, 50, 100)  # percent


def hardness(model: "Model", display: Display) -> go.Figure:
    """The share of active triplets of each way against the step; the chosen way has a wide line."""
    hardness, settings = model.hardness, model.settings
    traces, words = [], []
    for k, (way, name) in enumerate(FILLINGS.items()):
        colour, symbol = class_style(k)
        hover = f"{name}, step %{{x}}: %{{y:.1f}} %<br>nearest negative at %{{text}}<extra></extra>"
        look: Trace = {"mode": "lines+markers", "marker": {"symbol": symbol, "size": 9, "color": colour}, "hover": hover}
        of_points: Trace = {"customdata": [k] * len(hardness.steps), "text": [f"{d:.3f}" for d in hardness.nearest[k]]}
        width = 4 if way == settings.way else 2
        traces.append(line(name, hardness.steps, 100 * hardness.active[k], colour=colour, width=width, **look, **of_points))
        active, nearest = hardness.at(way, settings.step)
        words.append(("━", colour, f"{name}: {active:.1%}, nearest negative {nearest:.2f}"))
    x, y = axis("step", zeroline=False), axis("active triplets (%)", type="log", tickvals=TICKS, ticktext=[*map(str, TICKS)])
    here = vertical_line(settings.step, FAINT[display.theme], 6, "solid", layer="below")
    alt = f"Share of active triplets at step {settings.step}: {'; '.join(words_ for _, _, words_ in words)}."
    return chart(traces, words, x, y, height=430, theme=display.theme, alt=alt, shapes=[here])
