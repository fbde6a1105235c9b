"""The room of the page on a visitor's own data: the embeddings of one file or of two, or images."""

from dml_viz.explain.your_data.all_rows import answer, points
from dml_viz.explain.your_data.example import scored_example
from dml_viz.explain.your_data.model import Model, Settings
from dml_viz.explain.your_data.settings import ask_for_settings
from dml_viz.registry import functions
from dml_viz.room.room import Room
from dml_viz.room.sources import OwnFiles

ROOM: Room[Settings, Model] = Room(
    key="own",
    title="Your data",
    source=OwnFiles(scored_example, of_images=("own-trained_on", "own-never_seen")),
    settings=ask_for_settings,
    model=lambda _, settings: Model(**vars(settings)),
    figures=functions(f"{__name__}.figures", "model", "display"),
    components={"plane": points},
    answers={"plane": answer},
)
