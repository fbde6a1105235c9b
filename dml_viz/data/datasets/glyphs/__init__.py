"""Procedural glyphs: pen-drawn shapes in which pixels mislead and an embedding does not."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dml_viz.data.datasets._base import Dataset
from dml_viz.data.datasets.glyphs.drawing import (
    SIDE,
    Floats,
    as_greys,
    direction,
    ink,
    interpolate,
    moved_pixel_grid,
    pixel_grid,
    uniform_columns,
)
from dml_viz.data.datasets.glyphs.shape import CATEGORIES, Shape
from dml_viz.data.images import LabelledImages
from dml_viz.params import param

# At difficulty 0 a shape is upright, central and large. The lines after the first are what difficulty 1 adds.
UNIT, PEN = 9.5, 2.0  # pixels
TURN, SHIFT, SHRINK, PEN_SPREAD = (90.0, 5.0, 0.35, 0.6)  # degrees either way, pixels either way, share, pixels either way
STROKES, STROKE_LENGTH, STROKE_INK, STROKE_PEN = 5, (2.0, 6.0), (0.3, 0.8), 1.6  # count, pixels, ink, pixels
SMUDGES, SMUDGE_RADIUS, SMUDGE_INK = 4, (8.0, 20.0), (0.6, 0.86)  # count, pixels, ink
NOISE = 0.15  # ink either way


@dataclass(frozen=True)
class Glyphs(Dataset):
    """24 shapes in 6 categories; equal knobs give equal images, and no knob changes the draws of another.

    At another difficulty the same images are turned, moved and dirtied more or less; with more images the first stay the same.
    """

    title = "Glyphs"
    sentence = "24 drawn shapes in 6 categories, turned, moved and dirtied until raw pixels find the wrong neighbour."

    difficulty: float = param(
        0.5,
        "how far images of a class differ: 0 clean, 1 turned, moved, shrunk and lost among clutter and smudges",
        domain="[0, 1]",
        slider=(0, 1, 0.05),
    )
    per_class: int = param(100, "images of each class", domain="[2, 300]", slider=(20, 300, 10))
    seed: int = param(0, "draws the images", domain="[0, 2147483647]", slider=(0, 99, 1))
    side: int = param(SIDE, "width and height in pixels", label="image size", choices=(7, 14, SIDE))

    def load(self) -> LabelledImages:
        return _load(self)


@lru_cache(maxsize=3)
def _load(glyphs: Glyphs) -> LabelledImages:
    shapes = [shape for category in CATEGORIES.values() for shape in category]
    images = [_draw(shape, number, glyphs) for number, shape in enumerate(shapes)]
    return LabelledImages(
        x=np.concatenate(images),
        y=np.repeat(np.arange(len(shapes)), glyphs.per_class),
        names=tuple(shape.name for shape in shapes),
        categories=tuple(c for c, category in enumerate(CATEGORIES.values()) for _ in category),
        category_names=tuple(CATEGORIES),
    )


def _draw(shape: Shape, number: int, glyphs: Glyphs) -> Floats:
    """The images (n, side, side) of one shape."""
    n, hard = glyphs.per_class, glyphs.difficulty
    # Uniform numbers only, whose stream is the same in all versions of NumPy; a row per image, so that more images continue it.
    poses, strokes, smudges, specks = (
        np.random.Generator(np.random.PCG64(np.random.SeedSequence((glyphs.seed, number, kind)))) for kind in range(4)
    )
    turn, right, down, size, width = 2 * uniform_columns(poses, n, 5) - 1
    unit = UNIT * (1 - hard * SHRINK * (1 + size) / 2)
    x, y = moved_pixel_grid(hard * TURN * turn, hard * SHIFT * right, hard * SHIFT * down)
    glyph = ink(x / unit, y / unit, shape.segments, unit, PEN + hard * PEN_SPREAD * width)
    glyph = np.maximum(glyph, _strokes(strokes, n, hard))
    behind = (1 - (1 - hard) ** 3) * _smudges(smudges, n)
    noise = specks.random((n, 2, SIDE * SIDE), np.float32).sum(1) - 1  # triangular on [-1, 1]
    greys = as_greys(behind + (1 - behind) * glyph + hard * NOISE * noise)
    # A pixel of a smaller image is the mean of those that it covers.
    return as_greys(greys.reshape(n, glyphs.side, SIDE // glyphs.side, glyphs.side, -1).mean((2, 4)))


def _strokes(generator: np.random.Generator, n: int, hard: float) -> Floats:
    """Ink (n, 784) of short strokes at random places; each of `STROKES` is drawn with probability ``hard``."""
    x, y = (np.broadcast_to(grid, (n, SIDE * SIDE)) for grid in pixel_grid())
    total = np.zeros(x.shape, np.float32)
    for chance, left, top, angle, length, dark in uniform_columns(generator, n, 6 * STROKES).reshape(STROKES, 6, n, 1):
        cos, sin = direction(360 * angle)
        reach = interpolate(STROKE_LENGTH, length)
        x0, y0 = SIDE * (left - 0.5), SIDE * (top - 0.5)
        segment = (x0, y0, x0 + reach * cos, y0 + reach * sin, np.zeros_like(reach))
        stroke = ink(x, y, (segment,), np.ones_like(reach), np.full_like(reach, STROKE_PEN))
        np.maximum(total, np.where(chance < hard, interpolate(STROKE_INK, dark), 0) * stroke, out=total)
    return total


def _smudges(generator: np.random.Generator, n: int) -> Floats:
    """Ink (n, 784) in [0, 1] of soft round smudges; where they overlap, the darkest counts."""
    x, y = pixel_grid()
    total = np.zeros((n, SIDE * SIDE), np.float32)
    for left, top, size, dark in uniform_columns(generator, n, 4 * SMUDGES).reshape(SMUDGES, 4, n, 1):
        squared = (x - SIDE * (left - 0.5)) ** 2 + (y - SIDE * (top - 0.5)) ** 2
        np.maximum(total, interpolate(SMUDGE_INK, dark) / (1 + squared / interpolate(SMUDGE_RADIUS, size) ** 2) ** 2, out=total)
    return total
