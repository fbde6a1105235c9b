"""The room of the Race page."""

from dml_viz.explain.race.settings import NAME, TITLE, Racing, race_settings, race_title
from dml_viz.room.room import Room
from dml_viz.room.source import Live, ViewSettings, choose_projection

ROOM: Room[Racing, None] = Room(
    NAME,
    TITLE,
    settings=lambda ask, _: Racing(race_settings(ask), choose_projection(ask)),
    live=lambda given: Live(NAME, race_title(given.race), given.race, ViewSettings.of_race(NAME), picture=given.picture),
)
