"""The ball of diameter alpha - m of each class, and who is left outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12
NO_DIRECTION = 1e-9  # a shorter mean points nowhere


@dataclass(frozen=True)
class Balls:
    """A ball of ``radius`` around ``centres`` (C, d) for each of ``classes`` (C,); ``outside`` (N,) tells who is not in its own.

    A ball's centre lies inside the sphere in the direction of the class's mean, as deep as makes it cut off the largest cap:
    one whose opposite ends are alpha - m apart.
    """

    radius: float
    classes: np.ndarray
    centres: np.ndarray
    outside: np.ndarray


def balls(z: np.ndarray, y: np.ndarray, diameter: float) -> Balls:
    """The balls of unit rows ``z`` (N, d) with labels ``y`` (N,); where the diameter is below 0 nobody is inside."""
    radius = max(diameter, 0.0) / 2
    classes, place = np.unique(y, return_inverse=True)
    means = np.stack([z[y == label].mean(0) for label in classes])  # (C, d)
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    directions = np.divide(means, lengths, out=np.zeros_like(means), where=lengths > NO_DIRECTION)
    centres = directions * np.sqrt(max(1 - radius**2, 0.0))
    away = np.linalg.norm(z - centres[place], axis=1)
    return Balls(radius, classes, centres, (away > radius + ROUNDING) | (diameter < 0))
