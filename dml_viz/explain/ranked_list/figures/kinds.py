"""Mined and spared, positives and negatives: how the figures of a ranked list draw a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dml_viz.plot.style import CROWD, NEGATIVE, POSITIVE

SPARED = 0.28  # opacity of what is not mined
SMALL, GROWTH = 6.0, 24.0  # a negative's size in pixels, without weight and what all of the weight adds


def named(alpha: float, margin: float) -> tuple[str, str]:
    """What the two circles are called, with their values."""
    bound = round(alpha - margin, 9)
    return f"α − m = {'−' if bound < 0 else ''}{abs(bound):.3g}", f"α = {alpha:.3g}"


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

    def hover(self) -> list[str]:
        """What each mark says of itself."""
        said = []
        for name, d, relevant, mined, share in zip(
            self.who, self.d.tolist(), self.relevant, self.mined, self.share.tolist(), strict=True
        ):
            part = f"share of the push {share:.3f}" if mined and not relevant else "mined" if mined else "spared"
            said.append(f"{name}, {'positive' if relevant else 'negative'}<br>d = {d:.3f}, {part}")
        return said

    def counts(self, within: str, beyond: str) -> list[tuple[str, str, str]]:
        """How many are mined, as entries of a figure's key, where the two bounds are called so."""
        few, many = (int(of.sum()) for of in (self.mined & self.relevant, self.mined & ~self.relevant))
        own = int(self.relevant.sum())
        return [
            ("●", POSITIVE, f"{few} of {own} positive{'s' * (own != 1)} farther than {within}"),
            ("✖", NEGATIVE, f"{many} of {len(self.points) - own} negatives nearer than {beyond}"),
        ]
