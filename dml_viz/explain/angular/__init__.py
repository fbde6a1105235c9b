"""The room of the Angular page: a bound on the angle at the negative, and how two losses push the same three points."""

from dml_viz.explain.angular.controls import KEY, ROLES, ask_for_settings
from dml_viz.explain.angular.model import FIRST, Model, Settings, model
from dml_viz.explain.angular.predictions import PREDICTIONS
from dml_viz.explain.angular.presets import LESSON, PRESETS, SCENE, SCENES
from dml_viz.explain.angular.text import FIRST as WORDS
from dml_viz.params import knobs
from dml_viz.registry import functions
from dml_viz.room.room import Room
from dml_viz.room.sources import Points

ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="Angular",
    source=Points(SCENE, overlay=KEY, roles=ROLES, picked=FIRST, scenes=lambda: SCENES, key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: {"roles": picked},
    model=model,
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: (settings.angular, settings.triplet),
    drawn=lambda settings: ({}, {"angular": knobs(settings.angular), "triplet": knobs(settings.triplet), "both": settings.both}),
    words=WORDS,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=LESSON,
    click=lambda model, point: {f"{KEY}.{model.settings.click}": point},
    clickable=("points",),
)
