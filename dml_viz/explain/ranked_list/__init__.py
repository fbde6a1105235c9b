"""The room of the Ranked List page: two circles around every query, and which points are pulled and pushed between them."""

from dml_viz.explain.ranked_list.controls import KEY, ask_for_settings
from dml_viz.explain.ranked_list.figures import FIGURES
from dml_viz.explain.ranked_list.model import Model, Settings
from dml_viz.explain.ranked_list.predictions import PREDICTIONS
from dml_viz.explain.ranked_list.presets import BLUE, HARDEST, PRESETS
from dml_viz.explain.ranked_list.text import FIRST
from dml_viz.room.room import Room
from dml_viz.room.sources import Points

ROOM: Room[Settings, Model] = Room(
    key=KEY,
    title="Ranked List",
    source=Points("overlapping", overlay=KEY, picked=(6,), key=KEY),
    settings=ask_for_settings,
    of_roles=lambda picked: {"query": picked[0]},
    model=Model,
    figures=FIGURES,
    losses=lambda settings: (settings.loss,),
    drawn=lambda settings: ({KEY: settings.loss}, {"arrows": settings.arrows, "balls": settings.balls}),
    words=FIRST,
    presets=PRESETS,
    predictions=PREDICTIONS,
    lesson=HARDEST,
    opens={f"{KEY}.query": BLUE},
    prefix="ranked",
    click=lambda _, point: {f"{KEY}.query": point},
    clickable=("map", "queries"),
)
