"""Positions of a knob's values on an axis, and the words in figures without results."""

from typing import Any

import numpy as np

from dml_viz.explain.sweep.model import Model
from dml_viz.plot.canvas import axis
from dml_viz.plot.style import PAPER


def scale(model: Model, k: int) -> np.ndarray:
    """The positions of an axis's values: numbers, or their logarithms if they grow by factors; names are evenly spaced."""
    values = model.sweep.axes[k].values
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.arange(len(values), dtype=float)
    numbers = np.array(values, float)
    return np.log10(numbers) if numbers.min() > 0 and numbers.max() >= 10 * numbers.min() else numbers


def across(model: Model, k: int, *, ready: bool) -> dict[str, Any]:
    """Properties of the axis of a knob's values; in full width until the figure is ``ready``, with results to show."""
    places = scale(model, k).tolist()
    room = 0.05 * (places[-1] - places[0])
    ends = () if ready else (places[0] - room, places[-1] + room)
    return axis(model.sweep.titles[k], *ends, tickvals=places, ticktext=model.value_names(k), showgrid=False)


def waiting_note(model: Model, theme: str, *lines: str, ready: bool) -> list[dict[str, Any]]:
    """The annotation in the middle of a figure that is not ``ready``: why, and what will be there."""
    middle = {"x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "align": "center", "showarrow": False}
    why = model.why_empty or "No seed has all of its runs yet"
    note = {**middle, "text": "<br>".join((f"{why}.", *lines)), "font": {"size": 14}, "bgcolor": PAPER[theme]}
    return [] if ready else [note]
