"""A race: losses trained from the same start on the same batches, and how one is written in a link."""

from __future__ import annotations

from dml_viz.race.declaration import LETTERS, MOST_RACERS, MOST_SEEDS, Branch, Race, Racer
from dml_viz.race.text import FIRST, read_racers, write_racers

__all__ = ["FIRST", "LETTERS", "MOST_RACERS", "MOST_SEEDS", "Branch", "Race", "Racer", "read_racers", "write_racers"]
