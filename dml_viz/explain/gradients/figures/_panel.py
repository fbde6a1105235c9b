"""The view of a sphere in the small multiples, and the text of their numbers."""

import math

import numpy as np


def camera(view: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors (3,) to the right, up and towards the eye, for the side ``view`` of the sphere, in degrees like "235_24"."""
    turn, tilt = (math.radians(float(part)) for part in view.split("_"))
    right = np.array((math.cos(turn), math.sin(turn), 0.0))
    ahead = np.array((math.sin(turn), -math.cos(turn), 0.0))
    above = np.array((0.0, 0.0, 1.0))
    return right, math.cos(tilt) * above - math.sin(tilt) * ahead, math.cos(tilt) * ahead + math.sin(tilt) * above


def number(value: float) -> str:
    """A number in three digits, as the panels write it."""
    if math.isnan(value):
        return "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e5 or size < 1e-3:
        digits, _, power = f"{value:.1e}".partition("e")
        text = f"{digits}e{int(power)}"
    else:
        text = f"{value:.0f}" if size >= 100 else f"{value:.3g}" if size < 99.95 else "100"
    return text.replace("-", "−")


def share(part: int, whole: int) -> str:
    """A share in whole per cent: "<1%" for a small ``part``, "–" for a ``whole`` of 0."""
    if not whole:
        return "–"
    per_cent = 100 * part / whole
    return "<1%" if 0 < per_cent < 1 else f"{math.floor(per_cent + 0.5)}%" if per_cent <= 99 or part == whole else "99%"
