"""The room of the page on a visitor's own data: the embeddings of one file or of two, or images."""

from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.registry import functions
from dml_viz.room.room import Room

ROOM: Room[Settings, Model] = Room(
    key="own",
    title="Your data",
    settings=lambda ask, shown: Settings(()),
    model=lambda embeddings, settings: Model(settings.files, settings.images),
    figures=functions(f"{__name__}.figures", "model", "display"),
)
