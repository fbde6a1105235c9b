"""Marks that show what a method of training uses: pairs as edges, rings around points, or further points."""

from collections.abc import Sequence

import numpy as np

from dml_viz.explain.beyond_one_loss.model import Mark
from dml_viz.plot import disc
from dml_viz.plot.canvas import tint
from dml_viz.plot.style import CROWD, EXACT, NEGATIVE, POSITIVE, QUERY
from dml_viz.plot.traces import Trace, line, marks, with_gaps

ROLES = {"positive": POSITIVE, "negative": NEGATIVE, "query": QUERY, "exact": EXACT}
FEW = 8  # diamonds up to which they are large
SIGNS = {"edges": "━", "rings": "○", "points": "◆"}


def mark_traces(marks: Sequence[Mark], rows: Sequence[np.ndarray], places: np.ndarray, n: int) -> list[Trace]:
    """The traces of ``marks`` that have these ``rows``, drawn at ``places`` (K, 2), those of all one after the other."""
    ends = np.cumsum([len(rows_of_mark) for rows_of_mark in rows])
    return [_trace(mark, its_places, n) for mark, its_places in zip(marks, np.split(places, ends[:-1]), strict=False)]


def mark_keys(marks: Sequence[Mark]) -> list[tuple[str, str, str]]:
    """The entries of the key for ``marks``, each once: sign, colour and words."""
    return list(dict.fromkeys((SIGNS[mark.kind], ROLES[mark.role], mark.name) for mark in marks))


def _trace(mark: Mark, places: np.ndarray, n: int) -> Trace:
    """The trace of a mark at ``places`` (K, 2) among ``n`` points; two places in a row are the ends of an edge."""
    colour = ROLES[mark.role]
    if mark.kind == "edges":
        ends = places.reshape(-1, 2, 2)
        x, y = with_gaps(ends[:, :, 0]), with_gaps(ends[:, :, 1])
        return line(mark.name, x, y, colour=tint(colour, 0.8), width=1 if n > CROWD else 3)
    if mark.kind == "rings":
        return disc.rings(mark.name, places, 20 if n <= CROWD else 10, colour, 2)
    size = 13 if len(places) <= FEW else 8
    return marks(mark.name, *places.T, colour=colour, symbol="diamond", size=size, edge=(1, None), hover=mark.name)
