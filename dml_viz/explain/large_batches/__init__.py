"""The room of the page on batches: what is lost where they are split, what they take, and who puts hard negatives into them."""

from dml_viz.app.room import Room
from dml_viz.explain.large_batches.controls import settings
from dml_viz.explain.large_batches.figures import FIGURES
from dml_viz.explain.large_batches.model import Model, Settings
from dml_viz.explain.large_batches.predictions import PREDICTIONS

ROOM: Room[Settings, Model] = Room(
    key="batches",
    title="Batches",
    settings=settings,
    model=lambda _, settings: Model(settings),
    figures=FIGURES,
    predictions=PREDICTIONS,
)
