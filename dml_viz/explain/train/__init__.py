"""The room of the page Train live: a run, or a run and the branch that leaves it."""

from dml_viz.explain.train.settings import TITLE, VERSIONS, RunWithBranch, live_picture, run_with_branch
from dml_viz.room.ask import KEY as VERSION
from dml_viz.room.room import Room

ROOM: Room[RunWithBranch, None] = Room(
    "train", TITLE, settings=run_with_branch, live=live_picture, opens={VERSION: VERSIONS.version}
)
