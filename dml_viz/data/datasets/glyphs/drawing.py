"""Strokes as grey pixels: the distance to the strokes, minus half the pen, softened over one pixel."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

SIDE = 28
GREYS = 255
FAR = 1e9


def uniform_columns(generator: np.random.Generator, n: int, count: int) -> Floats:
    """Uniform numbers (count, n, 1) in [0, 1): ``count`` columns (n, 1), drawn a row at a time."""
    return generator.random((n, count)).T[..., None].astype(np.float32)


def interpolate(ends: tuple[float, float], share: Floats) -> Floats:
    """The point at ``share`` of the way between two numbers."""
    return ends[0] + (ends[1] - ends[0]) * share


def direction(degrees: Floats) -> tuple[Floats, Floats]:
    """Cosine and sine, computed in float64: platforms differ in the last digit, which float32 drops."""
    angle = np.radians(degrees.astype(np.float64))
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def pixel_grid() -> tuple[Floats, Floats]:
    """The centres (784,) of the pixels in pixels from the centre of the image, x to the right and y down."""
    centres = np.arange(SIDE, dtype=np.float32) - (SIDE - 1) / 2
    return np.tile(centres, SIDE), np.repeat(centres, SIDE)


def moved_pixel_grid(degrees: Floats, right: Floats, down: Floats) -> tuple[Floats, Floats]:
    """The coordinates x and y (n, 784) of the image's pixels on sheets turned clockwise, then moved, by so much (n, 1)."""
    x, y = pixel_grid()
    x, y = x - right, y - down
    cos, sin = direction(degrees)
    return cos * x + sin * y, cos * y - sin * x


def ink(x: Floats, y: Floats, segments: Iterable[Sequence[Floats]], pixels_per_unit: Floats, stroke_width: Floats) -> Floats:
    """Ink (n, 784) in [0, 1] at points x and y (n, 784), in shape units, of segments as `Shape` has them.

    ``pixels_per_unit`` (n, 1) is the length of a shape unit, ``stroke_width`` (n, 1) is a stroke's full width in pixels.
    """
    nearest = np.full(x.shape, FAR, np.float32)
    for x0, y0, x1, y1, radius in segments:
        dx, dy = x1 - x0, y1 - y0
        px, py = x - x0, y - y0
        along = np.clip((px * dx + py * dy) / np.maximum(dx * dx + dy * dy, np.float32(1e-12)), 0, 1)
        px -= along * dx
        py -= along * dy
        np.minimum(nearest, np.sqrt(px * px + py * py) - radius, out=nearest)
    return np.clip(0.5 + stroke_width / 2 - nearest * pixels_per_unit, 0, 1)


def as_greys(x: Floats) -> Floats:
    """Grey levels of 8 bits, clipped to [0, 1], so that processors that round the last digit differently agree."""
    return np.rint(np.clip(x, 0, 1) * GREYS).astype(np.float32) / np.float32(GREYS)
