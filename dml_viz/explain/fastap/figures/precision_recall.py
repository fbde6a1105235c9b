"""The precision-recall curve of one query: exact steps beside the binned ones, with their areas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from dml_viz.plot.canvas import axis, chart, tint
from dml_viz.plot.display import Display
from dml_viz.plot.numbers import score
from dml_viz.plot.style import EXACT, INK
from dml_viz.plot.traces import line

if TYPE_CHECKING:
    from dml_viz.explain.fastap.model import Model


def precision_recall(model: Model, display: Display) -> go.Figure:
    """Recall and precision of the exact ranking and of the bins, as steps whose areas are AP and FastAP.

    A step stands over the recall gained, at the precision once it is gained; precision may be NaN where recall is 0.
    """
    one, theme = model.one, display.theme
    average_precision, fastap = score(one.average_precision), score(one.value)
    curves = (
        (f"exact steps, area AP = {average_precision}", one.exact[1:], EXACT, 3),
        (f"binned steps, area FastAP = {fastap}", (one.recall, one.precision), INK[theme], 1.5),
    )
    traces = [
        line(name, *_steps(*curve), colour=colour, width=width, shape="vh", fill="tozeroy", fillcolor=tint(colour, 0.16),
             hover="recall %{x:.3f}, precision %{y:.3f}")
        for name, curve, colour, width in curves
    ]  # fmt: skip
    words = [("■", colour, name) for name, _, colour, _ in curves]
    alt = (
        f"Precision against recall for one query. Exact ranking: {len(one.exact[0])} steps, average precision "
        f"{average_precision}. {len(one.recall) - 1} bins: FastAP {fastap}."
    )
    x, y = axis("recall", 0, 1.01), axis("precision", 0, 1.04)
    return chart(traces, words, x, y, height=330, theme=theme, alt=alt)


def _steps(recall: np.ndarray, precision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The corners of the steps, from recall 0 on; bins before the first point retrieved have no precision and no step."""
    known = np.isfinite(precision)
    heights = precision[known]
    return np.pad(recall[known], (1, 0)), np.append(heights[:1], heights)
