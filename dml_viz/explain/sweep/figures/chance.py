"""How much a knob without effect moves the score by chance, and how much this one does."""

import numpy as np
import plotly.graph_objects as go

from dml_viz.explain.sweep.figures._axis import waiting_note
from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis, chart
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import number, score
from dml_viz.plot.style import EXACT, NEGATIVE
from dml_viz.plot.traces import bars, vertical_line

BINS = 30


def chance(model: Model, display: Display) -> go.Figure:
    """A histogram of the moves under shuffles of the first knob's values, with the measured move."""
    x, y = axis(f"{model.score_name} between the least and the greatest mean"), axis("share of shuffles (%)")
    if not model.effects:
        alt = f"{model.score_name}: no seed has all of its {len(model.sweep.cells)} runs yet, so nothing is shuffled."
        fig = chart([], (), x, y, height=340, theme=display.theme, alt=alt)
        return fig.update_layout(annotations=waiting_note(model, display.theme, "Then its values can be shuffled.", ready=False))
    effect = model.effects[0]
    shuffled, moves = effect.shuffled, effect.difference
    counts, edges = np.histogram(shuffled, BINS, range=(0, max(float(shuffled.max()), moves, 1e-6) * 1.05))
    share = 100 * counts / len(shuffled)
    traces = [bars("shuffled", (edges[:-1] + edges[1:]) / 2, share, colour=EXACT, hover="%{y:.1f} %<extra></extra>")]
    p = number(100 * effect.p, ".2g")
    words = (
        ("■", EXACT, f"values shuffled within each seed, {len(shuffled):,} times"),
        ("|", NEGATIVE, f"measured: {score(moves)}; chance does as much in {p} % of cases"),
    )
    alt = (
        f"How far shuffled values move {model.score_name}: {score(float(np.median(shuffled)))} at the median of {len(shuffled)} "
        f"shuffles. Measured: {score(moves)}, which chance reaches in {p} % of cases."
    )
    fig = chart(traces, words, x, y, height=340, theme=display.theme, alt=alt)
    return fig.update_layout(shapes=[vertical_line(moves, NEGATIVE, 3, "solid")])
