"""The score of plain runs and of runs with a method, joined by seed."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, POSITIVE
from dml_viz.plot.traces import Trace, line


def effect(model: Model, display: Display) -> go.Figure:
    """The score on unseen classes of each seed, plain and with the method, and the means."""
    title, places = type(model.settings.method).title, np.array([0.0, 1.0])
    found, traces = model.effect, list[Trace]()
    words = [("—", EXACT, "one seed each"), ("●", POSITIVE, "mean over seeds")]
    if found is None:
        count = f"{np.isfinite(model.scores).sum()} of {model.scores.size} runs of these settings are recorded"
        alt = f"{count}: train them here, or from several seeds on Sweep."
        words = [("", EXACT, f"{count}:"), ("", EXACT, "train them here, or on Sweep.")]
    else:
        for seed, values in enumerate(found.by_block):
            traces.append(line(
                f"seed {seed}", places, values, colour=tint(EXACT, 0.75), width=1.5, mode="lines+markers", marker={"size": 6},
                hover=f"seed {seed}: %{{y:.3f}}<extra></extra>",
            ))  # fmt: skip
        traces.append(line(
            "mean", places, found.means, colour=POSITIVE, width=3, mode="lines+markers", marker={"size": 9},
            hover="mean %{y:.3f}<extra></extra>",
        ))  # fmt: skip
        first, second = map(score, found.means.tolist())
        ends = " and ".join(map(score, (found.by_block[:, 0].min(), found.by_block[:, 0].max())))
        alt = (
            f"{model.called} on unseen classes after {model.settings.run.steps} steps, {len(found.by_block)} seeds: "
            f"plain {first}, with {title.lower()} {second} on average; plain runs lie between {ends}."
        )
    x = axis("", -0.4, 1.4, tickvals=places.tolist(), ticktext=["plain", title.lower()], showgrid=False)
    return chart(
        traces, words, x, axis(f"{model.called}, unseen classes", *(() if found else (0, 1))), height=340,
        theme=display.theme, alt=alt,
    )  # fmt: skip
