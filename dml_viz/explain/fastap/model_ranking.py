"""One query's exact AP beside its FastAP where something else changes than its bins.

Letters: G points in its gallery, B bins, K places or values that are tried.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dml_viz.embedding.soft_bins import Binning, histograms, ratio

HALF_DEGREES = 720  # of a full turn


@dataclass(frozen=True, eq=False)
class Stairs:
    """Scores of a query that goes round: ``degrees`` (K,) ascending, exact ``ap`` (K,), and ``fastap`` (M, K) of M binnings.

    On the circle ``others`` (G,) are the places of the gallery and ``now`` the query's own; else degrees count from the query,
    towards the mean of its positives, and ``others`` is empty. ``here`` (1 + M,) are the scores where the query is.
    """

    degrees: np.ndarray
    ap: np.ndarray
    fastap: np.ndarray
    now: float
    here: np.ndarray
    others: np.ndarray

    @property
    def jumps(self) -> int:
        """At how many of the steps of half a degree exact AP changes."""
        return int((np.abs(np.diff(self.ap)) > 1e-12).sum())


def stairs(z: np.ndarray, y: np.ndarray, query: int, binnings: Sequence[Binning]) -> Stairs:
    """Turn the row ``query`` of unit rows ``z`` (N, d) once round, all others staying where they are."""
    here, rest = z[query], np.delete(np.arange(len(y)), query)
    relevant, gallery, circle = y[rest] == y[query], z[rest], z.shape[1] == 2
    ahead = np.array((-here[1], here[0])) if circle else _ahead(here, gallery, relevant)
    # Quarters of a degree: halfway between points on whole degrees, where rankings tie, lie halves.
    degrees, now, others = np.arange(HALF_DEGREES) / 2 + 0.25, 0.0, np.empty(0)
    if circle:
        now, others = (np.degrees(np.arctan2(rows[..., 1], rows[..., 0])) % 360 for rows in (here, gallery))
    else:
        degrees -= 180
    turn = np.radians(np.append(degrees, now) - now)[:, None]
    d2 = np.clip(2 - 2 * (np.cos(turn) * (gallery @ here) + np.sin(turn) * (gallery @ ahead)), 0, 4)  # (K + 1, G)
    scores = np.stack([exact(d2, relevant), *(fastap(d2, relevant, binning) for binning in binnings)])
    return Stairs(degrees, scores[0, :-1], scores[1:, :-1], float(now), scores[:, -1], others)


def exact(d2: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """Exact AP (K,) of galleries ``d2`` (K, G), ties as in scikit-learn; NaN without positives."""
    order = np.argsort(d2, axis=1, kind="stable")
    ranked, hits = np.take_along_axis(d2, order, 1), relevant[order]
    last = np.where(np.diff(ranked, axis=1, append=np.inf) > 0, np.arange(d2.shape[1]), d2.shape[1])
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]  # of each point, the last that is as near
    precision = np.take_along_axis(np.cumsum(hits, 1), last, 1) / (last + 1)
    return np.asarray((precision * hits).sum(1) / (relevant.sum() or np.nan))


def fastap(d2: np.ndarray, relevant: np.ndarray, binning: Binning, negatives: float = 1) -> np.ndarray:
    """FastAP (K,) of galleries ``d2`` (K, G), each negative counted ``negatives`` times; NaN without positives."""
    plus, minus = histograms(d2, np.broadcast_to(relevant, d2.shape), np.ones_like(d2), binning)
    cum_plus = np.cumsum(plus, 1)
    precision = ratio(cum_plus, cum_plus + negatives * np.cumsum(minus, 1))
    return np.asarray((plus * precision).sum(1) / (relevant.sum() or np.nan))


def _ahead(here: np.ndarray, gallery: np.ndarray, relevant: np.ndarray) -> np.ndarray:
    """The unit tangent (d,) at ``here`` towards the mean of the positives, or the first row or axis that gives a direction."""
    rows = (gallery[relevant].sum(0), *gallery, *np.eye(len(here)))
    tangents = (row - (row @ here) * here for row in rows)
    lengths = ((row, float(np.linalg.norm(row))) for row in tangents)
    return next(row / length for row, length in lengths if length > 1e-9)
