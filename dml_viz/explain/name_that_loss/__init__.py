"""The room of the page that names a loss from a batch with the loss's value and gradient."""

from dml_viz.explain.name_that_loss.model import Model, Settings
from dml_viz.registry import functions
from dml_viz.room.room import Room

ROOM: Room[Settings, Model] = Room(
    key="name",
    title="Name that loss",
    settings=lambda ask, shown: Settings(),
    model=lambda embeddings, settings: Model(settings),
    figures=functions(f"{__name__}.figures", "model", "display"),
)
