"""A score against a knob: a line per seed, the mean, and its interval without the differences between seeds."""

from typing import Any

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.figures._axis import across, scale, waiting_note
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis, chart, note, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, INK, POSITIVE
from dml_viz.plot.traces import band, joined_marks

ROOM = 0.08  # of the height, above and below the scores


def knob(model: Model, display: Display) -> go.Figure:
    """The score over the values of the first knob; each point of a seed is a run, its number is ``customdata``."""
    count = len(model.sweep.axes[0].values)
    places, cells, origin = scale(model, 0), len(model.sweep.cells), model.sweep.run.seed
    scores = model.scores_now.reshape(count, -1, model.sweep.seeds).mean(1)
    words = [("—", EXACT, "one seed each"), ("●", POSITIVE, f"mean, {model.group}")]
    traces: list[dict[str, Any]] = []
    for seed, values in enumerate(scores.T):
        runs = (np.arange(0, cells, cells // count) + seed * cells).tolist()
        hover = f"seed {origin + seed}: %{{y:.3f}}<extra></extra>"
        name, faint = f"seed {seed}", tint(EXACT, 0.75)
        traces.append(joined_marks(name, places, values, colour=faint, width=1, size=5, customdata=runs, hover=hover))
    (effect, *_) = model.effects or (None,)
    if effect:
        if np.isfinite(effect.half_widths).all():
            traces.append(band("interval", places, *effect.interval, POSITIVE, 0.2))
            words.append(("■", POSITIVE, "band: 95 % interval, paired by seed"))
        hover = "mean %{y:.3f}<extra></extra>"
        traces.append(joined_marks("mean", places, effect.means, colour=POSITIVE, width=3, size=8, hover=hover))
    values = np.concatenate([np.ravel(trace["y"]) for trace in traces])
    values = values[np.isfinite(values)] if np.isfinite(values).any() else np.array([0.0, 1.0])
    room = max(ROOM * float(np.ptp(values)), 0.01)
    y = axis(f"{model.score_name}, {model.group}", float(values.min()) - room, float(values.max()) + 2 * room)
    data, published = model.sweep.knobs[0].published
    if published:
        words.append(("▾", INK[display.theme], f"published R@1 on {data} in percent, at the value tried there"))
    means = "; ".join(
        f"{value} {score(mean)}" for value, mean in zip(model.value_names(0), effect.means if effect else (), strict=False)
    )
    alt = (
        f"{model.score_name} on {model.group} at step {model.step} against {model.sweep.titles[0]}, {count} values and "
        f"{len(model.complete_seeds)} complete seeds{f'. Means: {means}.' if means else '; no seed is complete yet.'}"
    )
    fig = chart(traces, words, across(model, 0, ready=not model.why_empty), y, height=400, theme=display.theme, alt=alt)
    lines = f"Here will be {model.score_name} at each value,", "a line for each seed."
    more = waiting_note(model, display.theme, *lines, ready=not model.why_empty)
    marks = _published(model, published, places, INK[display.theme])
    return fig.update_layout(annotations=[*fig.layout.annotations, *marks, *more])


def _published(model: Model, published: dict[float, float], places: np.ndarray, ink: str) -> list[dict[str, Any]]:
    """A mark at the top for each published value within the range of the tried ones."""
    values = [float(value) for value in model.sweep.axes[0].values] if published else []
    font = {"size": 11, "color": ink}
    return [
        note(f"{recall:g}<br>▾", float(np.interp(value, values, places)), 1, yref="y domain", yanchor="top", font=font)
        for value, recall in published.items()
        if values and min(values) <= value <= max(values)
    ]
