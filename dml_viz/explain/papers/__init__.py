"""The room of the Papers page: the papers of a survey of CVPR 2019, and their reported results."""

from dml_viz.explain.papers.controls import ask_for_settings
from dml_viz.explain.papers.model import Model, Settings
from dml_viz.registry import functions
from dml_viz.room.room import Room

FIGURES = functions(f"{__name__}.figures", "model", "display")
ROOM: Room[Settings, Model] = Room(
    key="papers",
    title="Papers",
    settings=ask_for_settings,
    model=lambda _, settings: Model(settings),
    figures=FIGURES,
    captions=dict.fromkeys(FIGURES, lambda settings: f"results on {settings.dataset} as its papers report them"),
)
