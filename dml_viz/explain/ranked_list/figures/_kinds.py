"""Kinds of points, mined or not, positives and negatives, and how figures of a ranked list draw them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dml_viz.explain.ranked_list.model import Model, Ranking
from dml_viz.plot.canvas import Display, counted, number
from dml_viz.plot.style import CROWD, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import TEXT, Trace, marks

SPARED = 0.28  # opacity of points that are not mined
SMALL, GROWTH = 6.0, 24.0  # a negative's size in pixels without weight, and the growth with all of the weight


class Kind(NamedTuple):
    """Some points of one colour and marker, mined or not; ``members`` (G,) is a mask."""

    name: str
    mined: bool
    colour: str
    symbol: str
    members: np.ndarray

    def marks(self, name: str, x: np.ndarray, y: np.ndarray, size: Any, opacity: float = 0.95, **more: Any) -> Trace:
        """Marks of the points of this kind among all at ``x`` and ``y`` (G,); points that are not mined are fainter."""
        look: Trace = {"symbol": self.symbol, "size": size, "opacity": opacity if self.mined else SPARED}
        return marks(name, x[self.members], y[self.members], colour=self.colour, **look, **more)


def kinds(ranking: Ranking) -> Iterator[Kind]:
    """Yield positives and negatives, spared and mined; the spared points come first, so that they are drawn below."""
    for mined in (False, True):
        word = "mined" if mined else "spared"
        yield Kind(f"{word} positives", mined, POSITIVE, "circle", ranking.relevant & (ranking.mined == mined))
        yield Kind(f"{word} negatives", mined, NEGATIVE, "x", ~ranking.relevant & (ranking.mined == mined))


def is_crowded(ranking: Ranking) -> bool:
    """Whether there are so many points that marks are small."""
    return len(ranking.gallery) > CROWD


def sizes(ranking: Ranking) -> np.ndarray:
    """Sizes of marks in pixels (G,): a mined negative's area grows with its share, all others have one size."""
    plain = SMALL if is_crowded(ranking) else SMALL + 4
    return np.where(ranking.too_near, SMALL + GROWTH * np.sqrt(ranking.share), plain)


def hover_properties(ranking: Ranking, kind: Kind, display: Display) -> Trace:
    """Hover texts and points of the marks of a kind, as properties of their trace."""
    who, text = display.who, []
    for k in np.flatnonzero(kind.members).tolist():
        part = f"share of the push {ranking.share[k]:.3f}" if ranking.too_near[k] else "mined" if kind.mined else "spared"
        sort = "positive" if ranking.relevant[k] else "negative"
        text.append(f"{who[ranking.gallery[k]]}, {sort}<br>d = {ranking.d[k]:.3f}, {part}")
    return {"customdata": ranking.gallery[kind.members], "text": text, "hover": TEXT}


def circle_names(model: Model) -> tuple[str, str]:
    """The names of the two circles around the query, with their radii."""
    loss = model.settings.loss
    return f"α − m = {number(round(loss.alpha - loss.margin, 9))}", f"α = {loss.alpha:.3g}"


def mined_counts(model: Model) -> list[tuple[str, str, str]]:
    """Entries of a figure's key: the numbers of positives and of negatives that are mined."""
    ranking, (within, beyond) = model.ranking, circle_names(model)
    positives = int(ranking.relevant.sum())
    negatives = len(ranking.gallery) - positives
    return [
        ("●", POSITIVE, f"{ranking.too_far.sum()} of {counted(positives, 'positive')} farther than {within}"),
        ("✖", NEGATIVE, f"{ranking.too_near.sum()} of {counted(negatives, 'negative')} nearer than {beyond}"),
    ]


def query_star(query: int, point: Sequence[float] | np.ndarray, hover: str, size: int, ink: str) -> Trace:
    """A star mark of the query at ``point`` (2,)."""
    (x, y), hover = np.reshape(point, (2, 1)), f"{hover}<extra></extra>"
    return marks("query", x, y, colour=QUERY, symbol="star", size=size, edge=(1, ink), hover=hover, customdata=[query])
