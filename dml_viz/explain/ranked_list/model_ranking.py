"""One query's gallery, nearest first, and what Ranked List makes of each point of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Ranking:
    """For the G = N - 1 points other than the query, each (G,).

    ``gallery`` are their places in the subject, ``d`` distances ascending, ``relevant`` whether they are positives,
    ``too_far`` and ``too_near`` whether they are mined, ``share`` the share of the push, ``slope`` that of the query's term.
    """

    gallery: np.ndarray
    d: np.ndarray
    relevant: np.ndarray
    too_far: np.ndarray
    too_near: np.ndarray
    share: np.ndarray
    slope: np.ndarray

    @cached_property
    def mined(self) -> np.ndarray:
        """Whether a point takes part at all (G,)."""
        return self.too_far | self.too_near

    @cached_property
    def wrong_way(self) -> int:
        """How many mined negatives the query's term draws nearer."""
        return int((self.slope[self.too_near] > 0).sum())
