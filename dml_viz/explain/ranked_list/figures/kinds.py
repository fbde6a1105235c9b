"""Mined and spared, positives and negatives: how the figures of a ranked list draw a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dml_viz.plot.numbers import number
from dml_viz.plot.style import CROWD, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import TEXT, Trace, marks

SPARED = 0.28  # opacity of what is not mined
SMALL, GROWTH = 6.0, 24.0  # a negative's size in pixels, without weight and what all of the weight adds


def named(alpha: float, margin: float) -> tuple[str, str]:
    """What the two circles are called, with their values."""
    return f"α − m = {number(round(alpha - margin, 9))}", f"α = {alpha:.3g}"


def star(query: int, place: Sequence[float] | np.ndarray, hover: str, size: int, ink: str) -> Trace:
    """The query at ``place`` (2,)."""
    x, y = np.reshape(place, (2, 1))
    return marks("query", x, y, colour=QUERY, symbol="star", size=size, edge=(1, ink), hover=f"{hover}<extra></extra>",
                 customdata=[query])  # fmt: skip


class Kind(NamedTuple):
    """Some points of one colour and marker, mined or not; ``of`` (N,) tells which."""

    name: str
    mined: bool
    colour: str
    symbol: str
    sign: str
    of: np.ndarray


class Around(NamedTuple):
    """The points around a query, each (K,): place in the subject, name, distance, of its class, mined, share of the push."""

    points: np.ndarray
    who: Sequence[str]
    d: np.ndarray
    relevant: np.ndarray
    mined: np.ndarray
    share: np.ndarray

    @property
    def crowded(self) -> bool:
        """Whether the marks have to be small."""
        return len(self.points) > CROWD

    def kinds(self) -> Iterator[Kind]:
        """Positives and negatives, the spared ones first, so that they are drawn below."""
        for mined in (False, True):
            word = "mined" if mined else "spared"
            yield Kind(f"{word} positives", mined, POSITIVE, "circle", "●", self.relevant & (self.mined == mined))
            yield Kind(f"{word} negatives", mined, NEGATIVE, "x", "✖", ~self.relevant & (self.mined == mined))

    def sizes(self) -> np.ndarray:
        """Sizes of marks in pixels (K,): a mined negative's area grows with its share, all others have one size."""
        plain = SMALL if self.crowded else SMALL + 4
        return np.where(self.mined & ~self.relevant, SMALL + GROWTH * np.sqrt(self.share), plain)

    def pointed(self, kind: Kind) -> Trace:
        """What the marks of a kind say of themselves, and of which points, as properties of their trace."""
        at = np.flatnonzero(kind.of)
        return {"customdata": self.points[at], "text": [self._hover(int(k)) for k in at], "hover": TEXT}

    def _hover(self, k: int) -> str:
        mined, relevant = bool(self.mined[k]), bool(self.relevant[k])
        part = f"share of the push {self.share[k]:.3f}" if mined and not relevant else "mined" if mined else "spared"
        return f"{self.who[k]}, {'positive' if relevant else 'negative'}<br>d = {self.d[k]:.3f}, {part}"

    def counts(self, within: str, beyond: str) -> list[tuple[str, str, str]]:
        """How many are mined, as entries of a figure's key, where the two bounds are called so."""
        few, many = (int(of.sum()) for of in (self.mined & self.relevant, self.mined & ~self.relevant))
        own = int(self.relevant.sum())
        return [
            ("●", POSITIVE, f"{few} of {own} positive{'s' * (own != 1)} farther than {within}"),
            ("✖", NEGATIVE, f"{many} of {len(self.points) - own} negatives nearer than {beyond}"),
        ]
