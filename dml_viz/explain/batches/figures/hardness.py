"""How hard the triplets of a batch are over a run, for each way to fill it."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dml_viz.explain.batches.model_samplers import WAYS
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import FAINT, class_style
from dml_viz.plot.traces import line

if TYPE_CHECKING:
    from dml_viz.explain.batches.model import Model


TICKS = (1, 2, 5, 10, 20, 50, 100)  # percent


def hardness(model: "Model", display: Display) -> go.Figure:
    """The share of active triplets of each way against the step; the chosen way has a wide line."""
    found, chosen = model.found, model.settings
    traces, words = [], []
    for place, (way, name) in enumerate(WAYS.items()):
        colour, symbol = class_style(place)
        traces.append(
            line(
                name,
                found.steps,
                100 * found.active[place],
                colour=colour,
                width=4 if way == chosen.way else 2,
                mode="lines+markers",
                marker={"symbol": symbol, "size": 9, "color": colour},
                customdata=[place] * len(found.steps),
                text=[f"{d:.3f}" for d in found.nearest[place]],
                hover=f"{name}, step %{{x}}: %{{y:.1f}} %<br>nearest negative at %{{text}}<extra></extra>",
            )
        )
        active, nearest = found.at(way, chosen.step)
        words.append(("━", colour, f"{name}: {active:.1%}, nearest negative {nearest:.2f}"))
    x = axis("step", zeroline=False)
    here = {
        "type": "line",
        "x0": chosen.step,
        "x1": chosen.step,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
        "line": {"color": FAINT[display.theme], "width": 6},
    }
    alt = f"Share of active triplets at step {chosen.step}: {'; '.join(words_ for _, _, words_ in words)}."
    return chart(
        traces,
        words,
        x,
        axis("active triplets (%)", type="log", tickvals=TICKS, ticktext=[str(tick) for tick in TICKS]),
        height=430,
        theme=display.theme,
        alt=alt,
        shapes=[here],
    )
