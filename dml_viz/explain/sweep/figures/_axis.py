"""Where the values of a knob lie on an axis."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dml_viz.explain.sweep.model import Model


def scale(model: "Model", place: int) -> np.ndarray:
    """The places of an axis's values: as far apart as they are, their logarithms where they grow by factors; else evenly."""
    values = model.sweep.axes[place].values
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.arange(len(values), dtype=float)
    numbers = np.array(values, float)
    return np.log10(numbers) if numbers.min() > 0 and numbers.max() >= 10 * numbers.min() else numbers
