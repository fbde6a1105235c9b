"""The pull along the gradient flow of samples and proxies: whether it fades."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.proxies.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number
from dml_viz.plot.style import EXACT, INK, POSITIVE, QUERY
from dml_viz.plot.traces import line, marks

HEIGHT = 440
LOWER, UPPER = (0.0, 0.36), (0.5, 1.0)
STYLES = (("solid", "——"), ("dash", "– –"))


def flow(model: Model, display: Display) -> go.Figure:
    """Pull (above) and mean cosine to the own proxy (below) of both losses along the steps, with a mark at the settings' step."""
    step, theme = model.settings.step, display.theme
    flows = {flow.states[0].loss.name: flow for flow in model.flows.values()}
    traces = []
    for (dash, _), (title, flow) in zip(STYLES, flows.items(), strict=True):
        for values, side, colour, what in (
            (flow.pull, "y", POSITIVE, "pull %{y:.1%}"),
            (flow.cosine, "y2", INK[theme], "cosine %{y:.3f}"),
        ):
            hover = f"{title}, step %{{x}}: {what}<extra></extra>"
            steps = np.arange(len(values))
            traces.append(line(title, steps, values, colour=colour, width=2.5, dash=dash, hover=hover, yaxis=side))
            traces.append(marks(f"{title}, now", [step], values[[step]], colour=QUERY, symbol="diamond", yaxis=side))
    low, end = min(float(flow.pull.min()) for flow in flows.values()), len(steps)
    zero = {"zeroline": True, "zerolinecolor": EXACT}
    at = {
        title: [f"pull {number(flow.pull[k], '.1%')}, cosine {number(flow.cosine[k], '.2f')}" for k in (0, step, -1)]
        for title, flow in flows.items()
    }
    entries = [(sign, POSITIVE, f"{title}: {now}") for (_, sign), (title, (_, now, _)) in zip(STYLES, at.items(), strict=True)]
    changes = "; ".join(f"{title}: from {first} to {last}" for title, (first, _, last) in at.items())
    alt = f"Pull, as a share of its maximum, and mean cosine to the own proxy in {end - 1} steps down the gradient. {changes}."
    x = axis("step", -0.02 * end, 1.02 * end, anchor="y2")
    y = axis("pull, share of maximum", min(low - 0.06, -0.06), 1.08, domain=UPPER, tickformat=".0%", **zero)
    y2 = axis("cosine to own", -1.1, 1.1, domain=LOWER, **zero)
    layout = {"yaxis2": y2, "uirevision": "flow"}
    return chart(traces, entries, x, y, height=HEIGHT, theme=theme, alt=alt, left=58, top=52, **layout)
