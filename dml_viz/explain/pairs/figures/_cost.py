"""The time of a step of a loss, measured here, against the size of the batch."""

import plotly.graph_objects as go

from dml_viz.explain.pairs.model import Losses
from dml_viz.explain.pairs.model_cost import SIZES, costs
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line

HEIGHT = 440


def cost(losses: Losses, display: Display) -> go.Figure:
    """Milliseconds of value and gradient against the size of the batch, both axes logarithmic."""
    looks = ((POSITIVE, "solid"), (EXACT, "dash"), (INK[display.theme], "solid"), (QUERY, "solid"), (NEGATIVE, "dot"))
    traces, words = [], []
    for cost, (colour, dash) in zip(costs(), looks, strict=True):
        sizes = SIZES[: len(cost.milliseconds)]
        dots: Trace = {"mode": "lines+markers", "marker": {"size": 7, "color": colour}}
        hover = f"{cost.title}, N = %{{x}}: %{{y:.3g}} ms<extra></extra>"
        traces.append(line(cost.title, sizes, cost.milliseconds, colour=colour, dash=dash, hover=hover, **dots))
        last = number(float(cost.milliseconds[-1]), ".3g")
        words.append(("●", colour, f"{cost.title} ({cost.counts}): {last} ms at N = {sizes[-1]:,}"))
    in_words = "; ".join(text for *_, text in words)
    alt = f"Milliseconds of value and gradient for batches of {SIZES[0]} to {SIZES[-1]:,}, measured on this server. {in_words}."
    x = axis("points in the batch, N", type="log", tickvals=list(SIZES))
    y = axis("milliseconds of one core", type="log", dtick=1)
    return chart(traces, words, x, y, height=HEIGHT, theme=display.theme, alt=alt, left=58)
