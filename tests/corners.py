"""The ends of a declared class's controls, put together: all of them, or as few as let any two meet."""

import itertools
from collections.abc import Iterator
from typing import Any

from dml_viz.params import params

Corner = dict[str, Any]


def corners(declaration: Any) -> Iterator[Corner]:
    """Every combination of ends."""
    declared = params(declaration)
    for values in itertools.product(*(knob.ends for knob in declared)):
        yield {knob.name: value for knob, value in zip(declared, values, strict=True)}


def few_corners(declaration: Any) -> Iterator[Corner]:
    """So many combinations that every end of a control meets every end of every other; each adds the most that is left."""
    every = list(corners(declaration))
    unmet = {pair for corner in every for pair in meetings(corner)}
    while unmet:
        corner = max(every, key=lambda corner: len(unmet & meetings(corner)))
        unmet -= meetings(corner)
        yield corner


def meetings(corner: Corner) -> set[tuple[Any, ...]]:
    """The ends, two and two; also each with itself, for a control that is alone."""
    return set(itertools.combinations_with_replacement(corner.items(), 2))
