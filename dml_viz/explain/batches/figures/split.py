"""What a gradient loses where its batch is split into parts, loss by loss."""

from dataclasses import astuple
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.style import EXACT, INK, POSITIVE
from dml_viz.plot.traces import bars, marks

if TYPE_CHECKING:
    from dml_viz.explain.batches.model import Model

LINE = 15  # px of a bar: all losses are on the first screen of a laptop


def split(model: "Model", display: Display) -> go.Figure:
    """A bar for each loss: the cosine of the whole batch's gradient with its parts' mean; a ring: the cosine with chunks."""
    names, parts, chunks = zip(*map(astuple, model.splits), strict=True)
    titles, ink = [f"{name} <b>{cosine:.3f}</b>" for name, cosine in zip(names, parts, strict=True)], INK[display.theme]
    colours = [POSITIVE if cosine > 1 - 1e-6 else EXACT for cosine in parts]
    hover = "%{y}, in chunks: %{x:.6f}<extra></extra>"
    traces = [
        bars("parts", parts, titles, colour=colours, orientation="h", hover="%{y}: %{x:.6f}<extra></extra>"),
        marks("chunks", chunks, titles, colour=ink, symbol="circle-open", size=8, edge=(2, None), hover=hover),
    ]
    words = [
        ("■", EXACT, f"mean of {model.settings.parts} pieces"),
        ("■", POSITIVE, "the same, and nothing is lost"),
        ("○", ink, f"whole, in chunks: {min(chunks):.6f}"),
    ]
    alt = (
        f"Cosine of the gradient of a batch of {model.batch_size} with the mean over {model.settings.parts} pieces: from "
        f"{parts[0]:.3f} ({names[0]}) to {parts[-1]:.3f} ({names[-1]}). In chunks it is at least {min(chunks):.6f}."
    )
    x = axis("cosine with the gradient of the whole batch", min(0.0, *parts), 1.04)
    y = {"automargin": True, "ticks": "", "dtick": 1, "tickfont": {"size": 12}}
    return chart(traces, words, x, y, height=100 + LINE * len(titles), theme=display.theme, alt=alt, bargap=0.12)
