"""The memory of a training step."""

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, NEGATIVE, POSITIVE
from dml_viz.plot.traces import Trace, line

if TYPE_CHECKING:
    from dml_viz.explain.batches.model import Model

WAYS = (("library", "pytorch-metric-learning", EXACT, "dot"), ("whole", "the whole batch at once", NEGATIVE, "solid"))
TICKS = [lead * 10**power for power in range(5) for lead in (1, 2, 5)]  # megabytes


def memory(model: "Model", display: Display) -> go.Figure:
    """Megabytes of one step against the batch, on logarithmic axes."""
    memory = model.memory
    ways = (*WAYS, ("chunks", f"in chunks of {memory.chunk}", POSITIVE, "solid"))
    traces, words, largest = [], [], int(memory.sizes[-1])
    dots: Trace = {"mode": "lines+markers", "hover": "batch %{x:,}: %{y:,.0f} MB<extra></extra>"}
    for way, name, colour, dash in ways:
        traces.append(line(way, memory.sizes, memory.megabytes[way], colour=colour, dash=dash, width=2.5, **dots))
        sign = "╍" if dash == "dot" else "━"
        words.append((sign, colour, f"{name}: {memory.at(largest, way):,.0f} MB at {largest:,}"))
    x = axis("images in the batch", type="log", tickvals=memory.sizes, ticktext=[f"{size:,}" for size in memory.sizes])
    alt = "Memory of one training step of the conv net. " + "; ".join(text for *_, text in words) + "."
    y = axis("megabytes", type="log", tickvals=TICKS, ticktext=[f"{tick:,}" for tick in TICKS])
    return chart(traces, words, x, y, height=380, theme=display.theme, alt=alt)
