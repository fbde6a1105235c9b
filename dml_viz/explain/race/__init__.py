"""The room of the Race page."""

from dml_viz.explain.race.settings import NAME, TITLE, claim, race_settings
from dml_viz.room.room import Room
from dml_viz.room.source import Live, ViewSettings
from dml_viz.training.race import Race

ROOM: Room[Race, None] = Room(
    NAME,
    TITLE,
    settings=lambda ask, _: race_settings(ask),
    live=lambda race: Live(NAME, claim(race), race, ViewSettings.of_race(NAME)),
)
