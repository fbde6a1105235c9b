"""The scores of runs without and with a method, joined by seed."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.beyond_one_loss.model import Model
from dml_viz.explain.beyond_one_loss.model_training import SCORES
from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, POSITIVE
from dml_viz.plot.traces import Trace, joined_marks

APART = 2.6  # from the places of one score to those of the next; those of one score are 1 apart
SPARE = 0.02  # of the scores' axis, below the least and above the greatest


def effect(model: Model, display: Display) -> go.Figure:
    """The scores on unseen classes of each seed, without and with the method, and the means."""
    title, against = type(model.settings.method).title.lower(), model.settings.against
    effects, traces = model.comparison.effects, list[Trace]()
    places = {name: np.array([0.0, 1.0]) + APART * k for k, name in enumerate(SCORES)}
    words = [("—", EXACT, "one seed each"), ("●", POSITIVE, "mean over seeds")]
    sentences = []
    for name, of_score in effects.items():
        x, called = places[name], SCORES[name]
        for seed, values in enumerate(of_score.by_block):
            hover, faint = f"seed {seed}: {called} %{{y:.3f}}<extra></extra>", tint(EXACT, 0.75)
            traces.append(joined_marks(f"{called}, seed {seed}", x, values, colour=faint, width=1.5, size=6, hover=hover))
        hover = f"mean {called} %{{y:.3f}}<extra></extra>"
        traces.append(joined_marks(f"{called}, mean", x, of_score.means, colour=POSITIVE, width=3, size=9, hover=hover))
        before, with_method = map(score, of_score.means.tolist())
        ends = " and ".join(map(score, (of_score.by_block[:, 0].min(), of_score.by_block[:, 0].max())))
        sentences.append(f"{called} {before} for {against}, {with_method} with it; without it runs lie between {ends}")
    alt = f"Unseen classes after {model.settings.run.steps} steps, {title}: {'. '.join(sentences)}."
    if not effects:
        runs = model.comparison.results
        count = f"{len(runs) - runs.count(None)} of {len(runs)} runs of these settings are recorded"
        alt = f"{count}: train them here, or from several seeds on Sweep."
        words = [("", EXACT, f"{count}:"), ("", EXACT, "train them here, or on Sweep.")]
    ends_of = [of_score.by_block for of_score in effects.values()]
    low, high = (float(np.min(ends_of)), float(np.max(ends_of))) if ends_of else (0.0, 1.0)
    ticks = [f"{side}<br>{SCORES[name]}" for name in SCORES for side in (against, "with it")]
    at = np.concatenate([*places.values()]).tolist()
    bottom = axis("", -0.5, APART + 1.5, tickvals=at, ticktext=ticks, showgrid=False, tickangle=0)
    left = axis("score, unseen classes", low - SPARE, high + SPARE)
    return chart(traces, words, bottom, left, height=340, theme=display.theme, alt=alt)
