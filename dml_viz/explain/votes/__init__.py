"""The room of the page with the votes of a class, which a console opens after a reveal: all of them are in its link."""

from dml_viz.explain.votes.controls import ask_for_settings
from dml_viz.explain.votes.example import STUDENTS
from dml_viz.explain.votes.model import Model, Settings
from dml_viz.registry import functions
from dml_viz.room.room import Room

ROOM: Room[Settings, Model] = Room(
    key="votes",
    title="Votes of a class",
    settings=ask_for_settings,
    model=lambda _, settings: Model(settings),
    variations=lambda settings: (f"votes of {STUDENTS} simulated students, who know nothing",) if settings.simulated else (),
    figures=functions(f"{__name__}.figures", "model", "display"),
)
