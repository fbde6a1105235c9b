"""The room of the Start page, which plays a recorded run."""

from dml_viz.engine.recordings import START
from dml_viz.room.room import Room
from dml_viz.room.source import OF_RUN, Live

CLAIM = "Pixels find icons of the same style; a trained net finds icons of the same thing"
LIVE = Live("start", CLAIM, START, OF_RUN, recording="start", picture="map")
ROOM: Room[None, None] = Room("start", "See deep metric learning", live=lambda _: LIVE)
