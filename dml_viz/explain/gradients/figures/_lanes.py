"""Lanes for arrows along the circle that would overlap: each arrow is drawn further in, where nothing else is."""

import math

import numpy as np

FIRST = 0.13  # radii from the circle to the first lane
NEXT = 0.085  # radii from a lane to the next
DEEPEST = 8  # lanes
APART = 0.07  # radians between two arrows in a lane
SHORTEST = 0.02  # radii: a shorter arrow needs no lane
FULL = 2 * math.pi


def lanes(places: np.ndarray, arrows: np.ndarray) -> np.ndarray:
    """The lane of each point (N,), -1 for none, given points (N, 2) on the circle and arrows (N, 2) as drawn, in radii.

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


def radius(lane: np.ndarray) -> np.ndarray:
    """The distance of lanes from the centre, in radii."""
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
