"""The room of the page on batches: what is lost where they are split, what they take, and who puts hard negatives into them."""

from dml_viz.app.room import Room, SceneOptions
from dml_viz.explain.large_batches.controls import settings
from dml_viz.explain.large_batches.figures import FIGURES
from dml_viz.explain.large_batches.model import Model, Settings, model
from dml_viz.explain.large_batches.predictions import PREDICTIONS

ROOM: Room[Settings, Model] = Room(
    key="batches",
    title="Batches",
    scene=SceneOptions("separated", overlay="arrows"),
    settings=settings,
    with_roles=lambda chosen, _: chosen,
    model=model,
    figures=FIGURES,
    losses=lambda _: (),
    predictions=PREDICTIONS,
)
