"""The predictions that the FastAP page asks for."""

from dataclasses import replace

import numpy as np

from dml_viz.embedding.scene import preset
from dml_viz.explain.fastap.controls import KEY
from dml_viz.explain.fastap.model import Model, QueryRanking
from dml_viz.room.carried import carries
from dml_viz.room.prediction import Choices, Mark, Prediction, angles

SCENE_NAME, DEGREES = "overlapping", 40
MORE, SAME, FEWER = "more of them", "as many", "fewer"
SCENE = (f"{KEY}", f"{KEY}-arrows", f"{KEY}-pipeline")


def _turned_scene() -> str:
    """The scene after the first point, the query, has turned by `DEGREES` away from its class, as a link holds it."""
    scene = preset(SCENE_NAME)
    ((angle,), *others) = scene.points
    return replace(scene, points=((angle - DEGREES,), *others)).write()


def _rankings_on_the_way(before: Model, after: Model) -> list[QueryRanking]:
    """The query's rankings as it turns from its angle before to its angle after, degree by degree."""
    query = before.settings.query
    start, end = (float(angles(model.z)[query]) for model in (before, after))
    way, rankings = (end - start + 180) % 360 - 180, []
    for turn in np.radians(start + np.linspace(0, way, DEGREES + 1)):
        rows = before.z.copy()
        rows[query] = np.cos(turn), np.sin(turn)
        rankings.append(QueryRanking(((rows - rows[query]) ** 2).sum(1), before.y, query, before.settings.binning))
    return rankings


def _changes(values: list[float]) -> int:
    return int((np.abs(np.diff(values)) > 1e-12).sum())


def _steps(before: Model, after: Model) -> int:
    return _changes([ranking.average_precision for ranking in _rankings_on_the_way(before, after)])


def _steps_say(before: Model, after: Model) -> str:
    swept = _rankings_on_the_way(before, after)
    soft = _changes([ranking.fastap for ranking in swept])
    return (
        f"Exact AP changes at {_steps(before, after)} of {DEGREES} steps, where two points change places in the ranking. At all "
        f"others it is flat, so there is no gradient to follow. FastAP changes at {soft} of {DEGREES}."
    )


def _moving(model: Model) -> int:
    return int((model.ranking.slope != 0).sum())


def _bins_say(before: Model, after: Model) -> str:
    return (
        f"With {before.settings.binning.bins} bins {_moving(before)} of {len(before.ranking.slope)} points have a gradient for "
        f"this query, with {after.settings.binning.bins} bins {_moving(after)}. A negative has one only where its bin "
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
            f"The query, point {model.settings.query}, turns away from its class in {DEGREES} steps of 1°. At how many of these "
            "steps does its exact average precision change?"
        ),
        Mark("Steps at which AP changes", 0, DEGREES, 2),
        _steps,
        _steps_say,
        {f"{KEY}.scene": SCENE_NAME},
        {f"{KEY}.at": _turned_scene()},
        hides=(f"{KEY}-stairs",),
        figures=("stairs",),
    ),
    carries(KEY, lambda model: model.loss, SCENE),
    Prediction(
        "fastap.bins",
        "More bins: more gradients?",
        "The number of bins $B$ goes from 10 to 100. How many of the other points then have a gradient for this query?",
        Choices((MORE, SAME, FEWER)),
        _bins,
        _bins_say,
        {f"{KEY}.scene": SCENE_NAME},
        {f"{KEY}.bins": 100},
    ),
)
