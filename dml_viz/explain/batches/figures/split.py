"""What a gradient loses where its batch is split into parts, loss by loss."""

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
    titles = [f"{loss_split.title} <b>{loss_split.parts:.3f}</b>" for loss_split in model.splits]
    parts, chunks = [loss_split.parts for loss_split in model.splits], [loss_split.chunks for loss_split in model.splits]
    colours = [POSITIVE if cosine > 1 - 1e-6 else EXACT for cosine in parts]
    traces = [
        bars("parts", parts, titles, colour=colours, orientation="h", hover="%{y}: %{x:.6f}<extra></extra>"),
        marks(
            "chunks",
            chunks,
            titles,
            colour=INK[display.theme],
            symbol="circle-open",
            size=8,
            edge=(2, None),
            hover="%{y}, in chunks: %{x:.6f}<extra></extra>",
        ),
    ]
    words = [
        ("■", EXACT, f"mean of {model.settings.parts} pieces"),
        ("■", POSITIVE, "the same, and nothing is lost"),
        ("○", INK[display.theme], f"whole, in chunks: {min(chunks):.6f}"),
    ]
    first, last = model.splits[0], model.splits[-1]
    alt = (
        f"Cosine of the gradient of a batch of {model.batch_size} with the mean over {model.settings.parts} pieces: from "
        f"{first.parts:.3f} ({first.title}) to {last.parts:.3f} ({last.title}). In chunks it is at least {min(chunks):.6f}."
    )
    return chart(
        traces,
        words,
        axis("cosine with the gradient of the whole batch", min(0.0, *parts), 1.04),
        {"automargin": True, "ticks": "", "dtick": 1, "tickfont": {"size": 12}},
        height=100 + LINE * len(titles),
        theme=display.theme,
        alt=alt,
        bargap=0.12,
    )
