"""The room of the Sweep page: one or two knobs of a run over several values, from several seeds."""

from dml_viz.explain.sweep.model import Model, Settings
from dml_viz.explain.sweep.settings import TITLE, settings_of, sweep_and_step
from dml_viz.registry import functions
from dml_viz.room.room import Room
from dml_viz.room.sources import Results

ROOM: Room[Settings, Model] = Room(
    key="sweep",
    title=TITLE,
    source=Results(sweep_and_step),
    settings=settings_of,
    model=lambda _, settings: Model(settings),
    figures=functions(f"{__name__}.figures", "model", "display"),
    losses=lambda settings: (settings.sweep.run.loss,),
)
