"""The predictions that the FastAP page asks for."""

import numpy as np

from dml_viz.app.predictions import Choices, Mark, Prediction, angles
from dml_viz.app.predictions.carried import carries
from dml_viz.explain.fastap.controls import KEY
from dml_viz.explain.fastap.model import Anatomy, Model

DEGREES = 30
MORE, SAME, FEWER = "more of them", "as many", "fewer"
SCENE = (f"{KEY}", f"{KEY}-arrows", f"{KEY}-pipeline")


def _swept(model: Model) -> list[Anatomy]:
    """The query's rankings as its farthest positive moves towards it, degree by degree."""
    one, query, at = model.one, model.settings.query, angles(model.z)
    point = int(one.gallery[one.relevant][-1])
    towards = np.sign((at[query] - at[point] + 180) % 360 - 180)
    found = []
    for degree in range(DEGREES + 1):
        turn = np.radians(at[point] + towards * degree)
        rows = model.z.copy()
        rows[point] = np.cos(turn), np.sin(turn)
        found.append(Anatomy(((rows - rows[query]) ** 2).sum(1), model.y, query, model.settings.binning))
    return found


def _changes(values: list[float]) -> int:
    return int((np.abs(np.diff(values)) > 1e-12).sum())


def _steps(before: Model, after: Model) -> int:
    return _changes([one.average_precision for one in _swept(before)])


def _steps_say(before: Model, after: Model) -> str:
    swept = _swept(before)
    soft = _changes([one.value for one in swept])
    return (
        f"Exact AP changes at {_steps(before, after)} of {DEGREES} steps, where the point passes a negative. At all others its "
        f"slope is 0, so there is nothing to follow. FastAP changes at {soft} of {DEGREES}."
    )


def _moving(model: Model) -> int:
    return int((model.one.slope != 0).sum())


def _bins_say(before: Model, after: Model) -> str:
    return (
        f"With {before.settings.binning.bins} bins {_moving(before)} of {len(before.one.slope)} points have a gradient for this "
        f"query, with {after.settings.binning.bins} bins {_moving(after)}. A negative has one only where its bin "
        "holds a positive."
    )


def _bins(before: Model, after: Model) -> int:
    difference = _moving(after) - _moving(before)
    return 0 if difference > 0 else 2 if difference < 0 else 1


PREDICTIONS: tuple[Prediction[Model], ...] = (
    Prediction(
        "fastap.steps",
        "When does AP change?",
        lambda model: (
            f"The farthest positive of the query #{model.settings.query} moves towards it, {DEGREES} steps of 1°. At how "
            "many of these steps does the exact average precision change?"
        ),
        Mark("Steps at which AP changes", 0, DEGREES, 2),
        _steps,
        _steps_say,
        {f"{KEY}.scene": "overlapping"},
    ),
    carries(KEY, lambda model: model.loss, SCENE),
    Prediction(
        "fastap.bins",
        "More bins: more gradients?",
        "The number of bins $B$ goes from 10 to 100. How many of the other points then have a gradient for this query?",
        Choices((MORE, SAME, FEWER)),
        _bins,
        _bins_say,
        {f"{KEY}.scene": "overlapping"},
        {f"{KEY}.bins": 100},
    ),
)
