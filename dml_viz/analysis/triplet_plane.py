"""The loss over the two similarities of one triplet, with its gradient, and the borders between regions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from dml_viz.analysis.small_batch import LABELS, PairGradients, SmallBatch
from dml_viz.losses import Loss

GRID = 33  # similarities from -1 to `NEAR`
NEAR = 0.995  # distance 0.1: at distance 0 a loss of distances has no gradient, because there is no direction
HALVINGS = 6  # halvings of a grid's edge in the search for a boundary on it
FLAT = 1e-5  # share of the gradient; pull and push that differ by less count as equal
STEP = 1e-5  # step of a difference quotient
FINE = 121  # similarities along a cut
FEW = 150  # most places of the grid with a gradient for which the gradient is drawn as a band
APART = 0.06  # least distance between places along a band
LONG = 0.5  # longest half of a line across a band
BAND_HALVINGS = 6  # halvings of a step of `APART` in the search for the end of a line
# The edges of a cell in turn: the two corners that an edge joins, as (row, column).
EDGES = (((0, 0), (0, 1)), ((0, 1), (1, 1)), ((1, 1), (1, 0)), ((1, 0), (0, 0)))


@dataclass(frozen=True, eq=False)
class Plane:
    """Over similarities ``s`` (G,), rows s_n and columns s_p: value, dL/ds_p and dL/ds_n (G, G), NaN where there is no batch.

    Boundaries are segments (K, 2, 2) from one (s_p, s_n) to another: ``still``, beyond which no pair has a gradient, ``even``,
    where pull and push are equal, or without either ``half``, where the push is half its largest. ``edge`` (E, 2) is the upper
    border of unit rows, if they are needed. ``band`` (4, B) has s_p, s_n, dL/ds_p and dL/ds_n along the middle of a gradient so
    narrow that few places of the grid are in it.
    """

    batch: SmallBatch
    s: np.ndarray
    value: np.ndarray
    of_positive: np.ndarray
    of_negative: np.ndarray
    still: np.ndarray
    even: np.ndarray
    half: np.ndarray
    edge: np.ndarray
    band: np.ndarray


@dataclass(frozen=True, eq=False)
class Cut:
    """Along ``s_n`` (F,) at one s_p: the value, the dL/ds_n that training uses, and the slope that the value has (F,)."""

    s_p: float
    s_n: np.ndarray
    value: np.ndarray
    used: np.ndarray
    slope: np.ndarray

    @property
    def gradient_is_slope(self) -> bool:
        """Whether the gradient in use is the slope of the value, except at kinks."""
        both = np.isfinite(self.used) & np.isfinite(self.slope)
        largest = max(float(np.abs(self.used[both]).max(initial=0)), 1e-9)
        near = np.abs(self.used - self.slope)[both] < 1e-3 * largest
        return not len(near) or float(near.mean()) > 0.9

    @property
    def step_raises_value(self) -> np.ndarray:
        """Whether a step against the gradient raises the value (F,)."""
        least = 1e-4 * max(float(np.nanmax(np.abs(self.used), initial=0)), 1e-12)
        return np.asarray((self.used * self.slope < 0) & (np.abs(self.used) > least) & (np.abs(self.slope) > least))


@lru_cache(maxsize=128)
def plane(loss: Loss) -> Plane:
    """The plane of ``loss`` for its smallest batch with a positive and a negative."""
    batch, s, (value, of_positive, of_negative) = _grid(loss)
    strength, balance = np.hypot(of_positive, of_negative), np.abs(of_negative) - np.abs(of_positive)
    largest = float(np.nanmax(strength, initial=0))
    somewhere = ~np.isnan(value)
    still = _boundary(s, strength > 0, somewhere, lambda at: at.has_gradient, batch)
    even = half = np.empty((0, 2, 2))
    if (np.abs(balance) > FLAT * strength).any():
        with_gradient = somewhere & (strength > 0)
        even = _boundary(s, balance > FLAT * strength, with_gradient, lambda at: abs(at.negative) > abs(at.positive), batch)
    if largest and not len(still) and not len(even):
        most = float(np.nanmax(of_negative))
        half = _boundary(s, of_negative > most / 2, somewhere, lambda at: at.negative > most / 2, batch)
    along = _band(batch, s, of_positive, of_negative)
    return Plane(batch, s, value, of_positive, of_negative, still, even, half, _edge(batch), along)


@lru_cache(maxsize=512)
def cut(loss: Loss, s_p: float) -> Cut:
    """The cut through the plane of ``loss`` at similarity ``s_p`` of the positive."""
    batch = plane(loss).batch
    s_n = np.linspace(-1, NEAR, FINE)
    value, _, used = np.array([batch.gradients(s_p, s) for s in s_n]).T
    before, after = (np.array([batch.gradients(s_p, s + step).value for s in s_n]) for step in (-STEP, STEP))
    return Cut(s_p, s_n, value, used, (after - before) / (2 * STEP))


def _edge(batch: SmallBatch) -> np.ndarray:
    """The upper edge (E, 2) of the similarities that unit rows can have; empty for a loss that needs no rows."""
    if batch.is_computed_from_pairs:
        return np.empty((0, 2))
    s_p = 2 * np.linspace(0, 1, FINE) ** 2 - 1  # closer where it may be steep
    return np.column_stack((s_p, batch.largest_s_n(s_p)))


def _grid(loss: Loss) -> tuple[SmallBatch, np.ndarray, np.ndarray]:
    """The first batch with a push on negatives, else the first of all; similarities (G,), value and gradient (3, G, G)."""
    s = np.linspace(-1, 1, GRID)
    s[-1] = NEAR
    tried = []
    for labels in LABELS:
        batch = SmallBatch(loss, labels)
        tables = np.array([[batch.gradients(s_p, s_n) for s_p in s.tolist()] for s_n in s.tolist()]).transpose(2, 0, 1)
        tried.append((batch, s, tables))
        if np.nan_to_num(tables[2]).any():
            return tried[-1]
    return tried[0]


def _boundary(
    s: np.ndarray, inside: np.ndarray, with_gradient: np.ndarray, test: Callable[[PairGradients], bool], batch: SmallBatch
) -> np.ndarray:
    """Segments (K, 2, 2) of the border of ``inside`` (G, G); ``test`` finds their ends on the grid's edges.

    Only cells whose corners are all ``with_gradient`` (G, G) have segments.
    """

    @cache
    def crossing(within: tuple[int, int], beyond: tuple[int, int]) -> list[float]:
        near, far = (np.array([s[column], s[row]]) for row, column in (within, beyond))
        for _ in range(HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if test(batch.gradients(*middle.tolist())) else (near, middle)
        return list(((near + far) / 2).tolist())

    segments = []
    for row, column in np.ndindex(len(s) - 1, len(s) - 1):
        cell = inside[row : row + 2, column : column + 2]
        if cell.all() or not cell.any() or not with_gradient[row : row + 2, column : column + 2].all():
            continue
        edges = [sorted(((row + r, column + c) for r, c in edge), key=lambda at: not inside[at]) for edge in EDGES]
        crossed = [crossing(*edge) for edge in edges if inside[edge[0]] != inside[edge[1]]]
        segments += [crossed[k : k + 2] for k in range(0, len(crossed), 2)]
    return np.array(segments).reshape(-1, 2, 2)


def _band(batch: SmallBatch, s: np.ndarray, of_positive: np.ndarray, of_negative: np.ndarray) -> np.ndarray:
    """s_p, s_n, dL/ds_p and dL/ds_n (4, B) along the middle of a narrow band with a gradient, at places `APART` or more apart.

    The gradient is given on a grid of similarities s (G,), rows s_n and columns s_p, (G, G) each. Empty without a narrow band.
    """

    def has_gradient(point: np.ndarray) -> bool:
        return bool((point >= s[0]).all() and (point <= s[-1]).all()) and batch.gradients(*point.tolist()).has_gradient

    rows, columns = np.nonzero(np.nan_to_num(np.hypot(of_positive, of_negative)) > 0)
    crossed: list[tuple[np.ndarray, float]] = []
    if len(rows) <= FEW:
        for row, column in zip(rows, columns, strict=True):
            point = np.array([s[column], s[row]])
            way = -np.array([of_positive[row, column], of_negative[row, column]])
            way /= np.hypot(*way)
            gaps = [(point - middle, half) for middle, half in crossed]
            if all(abs(gap[0] * way[1] - gap[1] * way[0]) >= APART or abs(gap @ way) > half for gap, half in gaps):
                crossed.append(_middle(has_gradient, point, way))
    crossings = [(*point, *batch.gradients(*point.tolist())[1:]) for point, _ in crossed]
    return np.array([crossing for crossing in crossings if np.hypot(*crossing[2:]) > 0]).reshape(-1, 4).T


def _middle(moves: Callable[[np.ndarray], bool], point: np.ndarray, way: np.ndarray) -> tuple[np.ndarray, float]:
    """The middle and half the length of the line through ``point`` (2,) along unit ``way`` (2,), as far as it has a gradient.

    A line longer than `LONG` to one side has the place itself as its middle.
    """
    ends = []
    for sign in (1.0, -1.0):
        near, far = 0.0, APART
        while far < LONG and moves(point + sign * far * way):
            near, far = far, far + APART
        for _ in range(BAND_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if moves(point + sign * middle * way) else (near, middle)
        ends.append(near)
    ahead, behind = ends
    return (point if max(ends) > LONG - APART else point + (ahead - behind) / 2 * way), (ahead + behind) / 2
