"""Names beside places of a drawing, clear of each other and of what is drawn there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dml_viz.explain.angular.figures._plane import Frame
from dml_viz.explain.angular.figures._words import tone
from dml_viz.plot.canvas import tint
from dml_viz.plot.style import PAPER

SIZE = 15  # pixels of the letters
AWAY = 17  # pixels from a mark to the middle of its label
FARTHER = (1.0, 1.6)  # times as far
TOLL = 300  # for each of these steps, as squared pixels within CLEAR
TOGETHER = 9  # pixels within which places share one label
HALF, MORE = 9.0, 11.0  # pixels, half the width of one name and what each further one adds
HIGH = 18  # pixels
DIRECTIONS = np.radians(np.arange(0, 360, 30))
CLEAR = 22  # pixels from which on a label is clear of what else is drawn
EDGE = 0.97  # of the half side of the square, within which a label is sure to be seen
UNDER = 0.8  # opacity of the paper under a label
OVERLAP = 1e5  # words on words are worse than words on lines, and words out of sight


def labels(
    named: Sequence[tuple[str, np.ndarray, str]],
    lines: Sequence[np.ndarray],
    frame: Frame,
    height: float,
    rings: Sequence[np.ndarray] = (),
    *,
    theme: str,
    backed: bool = False,
) -> list[dict[str, Any]]:
    """A label for each (name, place (2,), colour), beside its place where it is clear of others, ``lines`` and ``rings``.

    Places that are drawn upon each other share a label. Lines are corners (K, 2), rings are points (K, 2) close to each other;
    the square ``frame`` is drawn ``height`` pixels high. Labels that are ``backed`` have paper of their own.
    """
    pixels = frame.pixels(height)
    middle, edge = frame.middle * pixels, EDGE * height / 2
    places = np.array([place for _, place, _ in named]) * pixels
    taken = np.concatenate((places, *(drawn * pixels for drawn in (*map(_between, lines), *rings))))
    boxes: list[tuple[np.ndarray, float]] = []
    notes = []
    for group in _together(places):
        half, at = HALF + MORE * (len(group) - 1), places[group].mean(0)
        text = ", ".join(f'<span style="color:{tone(named[k][2], theme)}">{named[k][0]}</span>' for k in group)
        shift, best = np.zeros(2), np.inf
        for steps, farther in enumerate(FARTHER):
            for angle in DIRECTIONS:
                way = np.array((np.cos(angle), np.sin(angle)))
                tried = farther * AWAY * way + (half - HALF) * np.array((way[0], 0.0))
                there = at + tried
                outside = bool((np.abs(there - middle) > edge - np.array((half, HIGH / 2))).any())
                bad = _overlaps(there, half, boxes) + outside
                cost = TOLL * steps + _crowded(there, half, taken) + OVERLAP * bad
                if cost < best:
                    shift, best = tried, cost
        boxes.append((at + shift, half))
        x, y = (at / pixels).tolist()
        notes.append(
            {"text": text, "x": x, "y": y, "xshift": float(shift[0]), "yshift": float(shift[1]), "showarrow": False,
             "font": {"size": SIZE}, **({"bgcolor": tint(PAPER[theme], UNDER)} if backed else {})}
        )  # fmt: skip
    return notes


def _together(places: np.ndarray) -> list[list[int]]:
    """The places (K, 2), in pixels, by whom they share a label with."""
    groups: list[list[int]] = []
    for k, place in enumerate(places):
        near = [group for group in groups if np.linalg.norm(places[group[0]] - place) < TOGETHER]
        if near:
            near[0].append(k)
        else:
            groups.append([k])
    return groups


def _crowded(middle: np.ndarray, half: float, taken: np.ndarray) -> float:
    """How close a label comes to what is drawn at points ``taken`` (K, 2)."""
    aside = np.maximum(np.abs(taken[:, 0] - middle[0]) - (half - HALF), 0)
    apart = np.hypot(aside, taken[:, 1] - middle[1])
    return float((np.maximum(CLEAR - apart, 0) ** 2).sum())


def _overlaps(middle: np.ndarray, half: float, boxes: Sequence[tuple[np.ndarray, float]]) -> int:
    return sum(abs(middle[0] - at[0]) < half + wide and abs(middle[1] - at[1]) < HIGH for at, wide in boxes)


def _between(corners: np.ndarray) -> np.ndarray:
    """Points (K, 2) along a line through corners."""
    steps = np.linspace(0, 1, 12)[:, None]
    return np.concatenate([start + steps * (end - start) for start, end in pairwise(corners)])
