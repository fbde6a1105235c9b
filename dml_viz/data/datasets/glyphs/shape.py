"""The 24 shapes: pen strokes in a square from -1 to 1, x to the right and y down, all of about one size.

No shape is another one turned, so that a classifier may see them at any angle.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

ARC_PIECES = 24
DOT = 0.24


@dataclass(frozen=True, eq=False)
class Shape:
    """Polylines of points (n, 2) drawn with a pen; a polyline of one point is a dot of radius 0.24 under the pen."""

    name: str
    strokes: tuple[Points, ...]

    @property
    def segments(self) -> NDArray[np.float32]:
        """Segments (S, 5): start x and y, end x and y, and the radius that is added to the pen's."""
        rows = []
        for stroke in self.strokes:
            is_dot = len(stroke) == 1
            ends = stroke if is_dot else stroke[1:]
            rows.append(np.hstack((stroke[: len(ends)], ends, np.full((len(ends), 1), DOT * is_dot))))
        return np.concatenate(rows).astype(np.float32)


def line(*points: tuple[float, float]) -> Points:
    """A polyline through the points."""
    return np.array(points, float)


def arc(start: float, end: float, radius: float | tuple[float, float] = 1.0, centre: tuple[float, float] = (0, 0)) -> Points:
    """An arc from angle ``start`` to ``end`` in degrees, clockwise from the right; two radii make it a spiral."""
    share = np.linspace(0, 1, max(2, round(ARC_PIECES * abs(end - start) / 360) + 1))
    angle = np.radians(start + (end - start) * share)
    inner, outer = radius if isinstance(radius, tuple) else (radius, radius)
    reach = inner + (outer - inner) * share
    return np.stack((centre[0] + reach * np.cos(angle), centre[1] + reach * np.sin(angle)), 1)


def spokes(*angles: float) -> tuple[Points, ...]:
    """Straight strokes from the centre outwards, at angles in degrees."""
    return tuple(np.stack((np.zeros(2), arc(angle, angle)[0])) for angle in angles)


def polygon(corners: int) -> Points:
    """A closed regular polygon with a corner on top."""
    angle = np.radians(np.arange(corners + 1) * (360 / corners) - 90)
    return np.stack((np.cos(angle), np.sin(angle)), 1)


def dots(*places: tuple[float, float]) -> tuple[Points, ...]:
    """Dots at the given places."""
    return tuple(line(middle) for middle in places)


def star(tips: int, inner: float) -> Points:
    """The outline of a star with a tip on top."""
    outline = polygon(2 * tips)
    outline[1::2] *= inner
    return outline


def wave(share: Points) -> Points:
    """One and a half periods of a sine."""
    return np.stack((2 * share - 1, 0.55 * np.sin(3 * np.pi * share)), 1)


_HEART = np.concatenate((line((0, 0.95)), arc(145, 360, 0.5, (-0.48, -0.28)), arc(180, 395, 0.5, (0.48, -0.28)), line((0, 0.95))))
_DIAGONAL = 0.62

# In each category, shapes are unseen and seen in turn (see `dml_viz.data.datasets._base.split`).
CATEGORIES: dict[str, tuple[Shape, ...]] = {
    "outlines": (
        Shape("triangle", (polygon(3),)),
        Shape("square", (line((-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8), (-0.8, -0.8)),)),
        Shape("star", (star(5, 0.42),)),
        Shape("heart", (_HEART,)),
    ),
    "rings": (
        Shape("ring", (arc(0, 360, 0.92),)),
        Shape("open ring", (arc(-45, 225, 0.92),)),
        Shape("crescent", (arc(50, 310, 0.95), arc(78, 282, 0.745, (0.45, 0)))),
        Shape("target", (arc(0, 360, 0.95), *dots((0, 0)))),
    ),
    "crosses": (
        Shape("plus", spokes(0, 90, 180, 270)),
        Shape("fork", spokes(-90, 30, 150)),
        Shape("double cross", (line((0, -1), (0, 1)), line((-0.7, -0.4), (0.7, -0.4)), line((-0.7, 0.3), (0.7, 0.3)))),
        Shape("asterisk", spokes(0, 60, 120, 180, 240, 300)),
    ),
    "arrows": (
        Shape("arrow", (line((-1, 0), (0.95, 0)), line((0.3, -0.65), (0.95, 0), (0.3, 0.65)))),
        Shape(
            "double arrow",
            (line((-1, 0), (1, 0)), line((0.5, -0.5), (1, 0), (0.5, 0.5)), line((-0.5, -0.5), (-1, 0), (-0.5, 0.5))),
        ),
        Shape("chevrons", (line((-0.7, -0.8), (0.0, 0), (-0.7, 0.8)), line((0.1, -0.8), (0.8, 0), (0.1, 0.8)))),
        Shape("turning arrow", (arc(150, 390, 0.8), line((0.18, 0.2), (0.69, 0.4), (1.08, 0.0)))),
    ),
    "dots": (
        Shape("two dots", dots((-0.62, 0), (0.62, 0))),
        Shape("three dots", dots((0, -0.72), (-0.65, 0.45), (0.65, 0.45))),
        Shape(
            "four dots", dots((-_DIAGONAL, -_DIAGONAL), (_DIAGONAL, -_DIAGONAL), (-_DIAGONAL, _DIAGONAL), (_DIAGONAL, _DIAGONAL))
        ),
        Shape("five dots", dots((-0.7, -0.7), (0.7, -0.7), (-0.7, 0.7), (0.7, 0.7), (0, 0))),
    ),
    "curves": (
        Shape("spiral", (arc(0, 720, (0.08, 0.98)),)),
        Shape("wave", (wave(np.linspace(0, 1, ARC_PIECES)),)),
        Shape("zigzag", (line((-1, 0.55), (-0.5, -0.55), (0, 0.55), (0.5, -0.55), (1, 0.55)),)),
        Shape("knot", (arc(0, 360, 0.46, (-0.5, 0)), arc(180, 540, 0.46, (0.5, 0)))),
    ),
}
