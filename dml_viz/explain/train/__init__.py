"""The room of the page Train live: a run, or a run and the branch that leaves it."""

from dml_viz.explain.train.settings import TITLE, Training, live_picture, training
from dml_viz.room.room import Room

ROOM: Room[Training, None] = Room("train", TITLE, settings=training, live=live_picture)
