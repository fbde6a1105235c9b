"""Marks: the geometry of a loss as plain data, for any renderer."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, ...]


@dataclass(frozen=True)
class Mark:
    """Something to draw; ``label`` names it with its value, ``role`` picks its colour from the one palette."""

    label: str
    role: str  # "positive", "negative", "query", "bound" or "faint"


@dataclass(frozen=True)
class Edge(Mark):
    """A segment between two points with a weight (any sign; its size is the width)."""

    start: Point
    end: Point
    weight: float


@dataclass(frozen=True)
class Cap(Mark):
    """The points of the sphere within Euclidean distance ``radius`` (0 to 2) of the unit vector ``centre``; an arc in 2-D."""

    centre: Point
    radius: float
