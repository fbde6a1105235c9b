"""The gradient over a plane as arrows, each at its place and within the boundaries."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

CELLS = 10  # arrows along an axis, about
CROWDED_OUT = 0.5  # of the arrows: where fewer fit between the boundaries, all are made shorter
CLEAR = 0.95  # of its way to a boundary that half an arrow may take
USUAL = 0.9  # of the arrows are not longer than the one that is drawn as long as its place allows


@dataclass(frozen=True, eq=False)
class Surface:
    """Over similarities ``s`` (G,), rows s_n and columns s_p: the value, dL/ds_p and dL/ds_n (G, G), NaN where none is.

    ``band`` (4, B) has places (s_p, s_n) with their dL/ds_p and dL/ds_n where arrows are to stand rather than on the grid.
    """

    s: np.ndarray
    value: np.ndarray
    of_positive: np.ndarray
    of_negative: np.ndarray
    band: np.ndarray


@dataclass(frozen=True, eq=False)
class Lines:
    """Boundaries as segments (K, 2, 2) from one (s_p, s_n) to another.

    ``still``: where the gradient ends. ``even``: where pull and push are equal. ``half``, for a loss with neither: where the
    push is half its largest. ``edge`` (E, 2), above 0 and mirrored below, is where a plane that is blank beyond it ends.
    """

    still: np.ndarray
    even: np.ndarray
    half: np.ndarray
    edge: np.ndarray


def arrows(surface: Surface, lines: Lines) -> tuple[np.ndarray, float, float]:
    """The arrows as they are drawn, x, y, u and v (4, K), by what gradients are multiplied, and how long none is longer."""
    u, v = -surface.of_positive, -surface.of_negative
    has = np.nan_to_num(np.hypot(u, v)) > 0
    step = math.ceil((len(surface.s) - 1) / CELLS)
    kept = np.zeros_like(has)
    kept[step // 2 :: step, step // 2 :: step] = True
    rows, columns = np.nonzero(has & kept)
    places, ways = np.stack((surface.s[columns], surface.s[rows])), np.stack((u[rows, columns], v[rows, columns]))
    if surface.band.size:
        places, ways = surface.band[:2], -surface.band[2:]
    length = np.hypot(*ways)
    room = _room(places, ways / length, lines)
    usual = float(np.quantile(length, USUAL)) if len(length) else 0.0
    longest = 0.85 * step * float(surface.s[1] - surface.s[0])
    if len(room) and (room >= longest).mean() < CROWDED_OUT:
        longest = min(longest, float(np.quantile(room, CROWDED_OUT)))
    scale = longest / usual if usual else 0.0
    drawn = np.minimum(scale * length, longest)
    fits = drawn <= room * (1 + 1e-9)
    return np.concatenate((places, ways * drawn / length))[:, fits], scale, longest


def _room(places: np.ndarray, ways: np.ndarray, lines: Lines) -> np.ndarray:
    """How long arrows (K,) can be with their middle at ``places`` (2, K), along unit ``ways`` (2, K), clear of boundaries."""
    shore = np.stack((lines.edge[:-1], lines.edge[1:]), 1)
    segments = np.concatenate((lines.still, shore, shore * (1, -1)))
    start, along = segments[:, 0, :, None], (segments[:, 1] - segments[:, 0])[:, :, None]  # (S, 2, 1)
    gap = places - start
    with np.errstate(divide="ignore", invalid="ignore"):
        across = _cross(along, ways)
        on_segment, reach = _cross(gap, ways) / across, np.abs(_cross(gap, along) / across)
    met = (on_segment > -1e-9) & (on_segment < 1 + 1e-9)
    return np.asarray(2 * CLEAR * np.where(met, reach, np.inf).min(0, initial=np.inf))


def _cross(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Of vectors (S, 2, K), broadcast: by how much the one turns to the other."""
    return np.asarray(one[..., 0, :] * other[..., 1, :] - one[..., 1, :] * other[..., 0, :])
