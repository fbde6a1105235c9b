"""Combinations of the ends of a declared class's controls: all, or a few that have every pair of ends."""

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
    """Combinations that have every pair of ends of two controls; each adds as many new pairs as possible."""
    every = list(corners(declaration))
    unmet = {pair for corner in every for pair in meetings(corner)}
    while unmet:
        corner = max(every, key=lambda corner: len(unmet & meetings(corner)))
        unmet -= meetings(corner)
        yield corner


def meetings(corner: Corner) -> set[tuple[Any, ...]]:
    """The pairs of ends in a combination; also each with itself, for a control without others."""
    return set(itertools.combinations_with_replacement(corner.items(), 2))
