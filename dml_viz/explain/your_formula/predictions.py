"""The predictions that the page of one's own loss asks for."""

from dml_viz.explain.your_formula.controls import KEY, LOSS
from dml_viz.explain.your_formula.model import Model
from dml_viz.explain.your_formula.presets import CIRCLE
from dml_viz.losses.formula import BEYOND
from dml_viz.room.prediction import Mark, Prediction


def _pushed(model: Model) -> tuple[int, int]:
    """The number of negative pairs with a weight, and of all negative pairs."""
    return model.response.active_pairs_of_kind(False)


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        f"{KEY}.beyond",
        "Flat beyond 90 degrees: which negatives are left?",
        lambda model: (
            f"Circle pushes {_pushed(model)[0]} of {_pushed(model)[1]} negative pairs. The formula becomes one that is flat "
            "beyond 90 degrees. How many negative pairs still have a gradient?"
        ),
        lambda model: Mark("Negative pairs with a gradient", 0, _pushed(model)[1], 3),
        lambda before, after: _pushed(after)[0],
        lambda before, after: (
            f"{_pushed(after)[0]} of {_pushed(after)[1]} have a gradient; before, {_pushed(before)[0]} had one."
        ),
        {f"{KEY}.scene": "overlapping", f"{LOSS}.text": CIRCLE, f"{LOSS}.m": 0.4, f"{LOSS}.gamma": 4.0},
        {f"{LOSS}.text": BEYOND},
    ),
)
