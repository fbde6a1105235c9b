"""The panels of the small multiples: the view of a sphere, the text of numbers, and lanes for arrows along a circle."""

import math

import numpy as np

FIRST = 0.13  # radii from the circle to the first lane
NEXT = 0.085  # radii from a lane to the next
DEEPEST = 8  # lanes
APART = 0.07  # radians between two arrows in a lane
SHORTEST = 0.02  # radii: a shorter arrow needs no lane
FULL = 2 * math.pi


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


def assign_lanes(places: np.ndarray, arrows: np.ndarray) -> np.ndarray:
    """The lane (N,) of each point's arrow, -1 for none, given points (N, 2) on the circle and arrows (N, 2) as drawn, in radii.

    Each arrow takes the first lane where it overlaps no other, in the order of angles from the widest gap on.
    """
    lane_of = np.full(len(places), -1)
    along = places[:, 0] * arrows[:, 1] - places[:, 1] * arrows[:, 0]
    who = np.flatnonzero(np.linalg.norm(arrows, axis=1) > SHORTEST)
    if not len(who):
        return lane_of
    angle, far = np.arctan2(places[who, 1], places[who, 0]), np.arctan(along[who])
    start = angle + np.minimum(far, 0) - APART / 2
    end = angle + np.maximum(far, 0) + APART / 2
    turn = np.ceil((_gap(start) - start - 1e-12) / FULL) * FULL
    start, end = start + turn, end + turn
    ends: list[float] = []
    for k in np.lexsort((who, start)).tolist():
        lane = next((at for at, last in enumerate(ends) if last <= start[k]), min(len(ends), DEEPEST - 1))
        if lane == len(ends):
            ends.append(-math.inf)
        ends[lane] = max(ends[lane], float(end[k]))
        lane_of[who[k]] = lane
    return lane_of


def lane_radius(lane: np.ndarray) -> np.ndarray:
    """The distance of lanes from the centre of the circle, in radii."""
    return np.asarray(1 - FIRST - NEXT * lane)


def _gap(starts: np.ndarray) -> float:
    """The angle at which lanes begin: the end of the widest gap between points."""
    ordered = np.sort(starts % FULL)
    before = np.roll(ordered, 1)
    before[0] -= FULL
    best, widest = float(ordered[0]), -1.0
    for at, last in zip(ordered.tolist(), before.tolist(), strict=True):
        if at - last > widest + 1e-9:
            best, widest = at, at - last
    return best
