"""Labels beside points of a drawing, clear of each other and of the drawing's lines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dml_viz.explain.angular.figures._plane import View, colour_of_words
from dml_viz.plot.canvas import tint
from dml_viz.plot.style import PAPER

SIZE = 15  # pixels of the letters
ANGLES = np.tile(np.radians(np.arange(0, 360, 30)), 2)[:, None]
DIRECTIONS = np.concatenate((np.cos(ANGLES), np.sin(ANGLES)), 1)  # (24, 2): all near ones, then all far ones
AWAY = np.repeat((17.0, 27.2), 12)[:, None]  # pixels from a mark to the middle of its label
TOLL = np.repeat((0, 300), 12)  # cost of the farther ones, in the unit of squared pixels within CLEAR
TOGETHER = 9  # pixels within which places share one label
HALF, MORE = 9.0, 11.0  # pixels: half the width of one name, and of each further name
HIGH = 18  # pixels
CLEAR = 22  # pixels between a label and whatever it does not touch
EDGE = 0.97  # of the half side of the square: a label farther out may be cut
UNDER = 0.8  # opacity of the paper under a label
OVERLAP = 1e5  # cost of words on words or out of sight, far above that of words on lines


def labels(
    named: Sequence[tuple[str, np.ndarray, str]],
    lines: Sequence[np.ndarray],
    view: View,
    layout: Mapping[str, Any],
    rings: Sequence[np.ndarray] = (),
    *,
    theme: str,
    backed: bool = False,
) -> list[dict[str, Any]]:
    """Return a label for each (name, point (2,), colour), beside its point where it is clear of others, ``lines`` and ``rings``.

    Places that coincide share a label. Lines are corners (K, 2), rings are points (K, 2) close to each other;
    the square ``view`` is drawn in a figure of ``layout``. ``backed`` labels have a background.
    """
    height = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]  # pixels
    pixels = view.pixels(height)
    places = np.array([point for _, point, _ in named]) * pixels
    taken = np.concatenate((places, *(curve * pixels for curve in (*map(_between, lines), *rings))))  # (T, 2)
    boxes: list[tuple[np.ndarray, float]] = []
    notes = []
    groups: list[list[int]] = []
    for k, point in enumerate(places):
        near = [group for group in groups if np.linalg.norm(places[group[0]] - point) < TOGETHER]
        near[0].append(k) if near else groups.append([k])
    for group in groups:
        half, at = HALF + MORE * (len(group) - 1), places[group].mean(0)
        shifts = AWAY * DIRECTIONS + (half - HALF) * DIRECTIONS * (1, 0)  # (24, 2)
        tried = at + shifts
        apart = np.abs(tried[:, None] - taken) - (half - HALF, 0)
        close = np.maximum(CLEAR - np.hypot(*np.maximum(apart, 0).transpose(2, 0, 1)), 0)  # (24, T)
        outside = np.abs(tried - view.middle * pixels) > EDGE * height / 2 - np.array((half, HIGH / 2))
        bad = outside.any(1) + sum((np.abs(tried - box) < (half + wide, HIGH)).all(1) for box, wide in boxes)
        best = int((TOLL + (close**2).sum(1) + OVERLAP * bad).argmin())
        boxes.append((tried[best], half))
        (x, y), (right, up) = (at / pixels).tolist(), shifts[best].tolist()
        text = ", ".join(f'<span style="color:{colour_of_words(named[k][2], theme)}">{named[k][0]}</span>' for k in group)
        note = {"text": text, "x": x, "y": y, "xshift": right, "yshift": up, "showarrow": False, "font": {"size": SIZE}}
        notes.append(note | ({"bgcolor": tint(PAPER[theme], UNDER)} if backed else {}))
    return notes


def _between(corners: np.ndarray) -> np.ndarray:
    """Points (K, 2) along a line through corners."""
    steps = np.linspace(0, 1, 12)[:, None]
    return np.concatenate([start + steps * (end - start) for start, end in pairwise(corners)])
