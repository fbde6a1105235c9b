"""The room of the Race page."""

from dml_viz.explain.race.settings import NAME, TITLE, VERSIONS, Racing, live_picture, race_settings
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.room import Room
from dml_viz.room.source import choose_projection

ROOM: Room[Racing, None] = Room(
    NAME,
    TITLE,
    settings=lambda ask, _: Racing(race_settings(ask), choose_projection(ask)),
    live=live_picture,
    opens={VERSION: VERSIONS.version},
)
