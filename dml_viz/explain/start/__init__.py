"""The room of the Start page, which plays a recorded run."""

from dml_viz.engine.recordings import START
from dml_viz.room.room import Room
from dml_viz.room.source import OF_RUN, Live

CLAIM = "Pixels find icons of the same style; a trained net finds icons of the same thing"
LOOK_FOR = (
    "one icon: point at it to see the eight nearest to it in the embedding and, below them, the eight nearest pixel by pixel. "
    "Then drag the slider back to the start."
)
MISLEADS = (
    "the map keeps neighbours: who is near whom in 64 dimensions. Distances between groups, and their sizes, mean nothing, and "
    "a map of noise has clumps, too (Wattenberg, Viégas and Johnson, 2016). Scores are of all 64 dimensions, on "
    "five images each of 50 classes; among more images they would be lower."
)
LIVE = Live("start", CLAIM, START, OF_RUN, recording="start", picture="map", notes=(LOOK_FOR, MISLEADS))
ROOM: Room[None, None] = Room("start", "See deep metric learning", live=lambda _: LIVE)
