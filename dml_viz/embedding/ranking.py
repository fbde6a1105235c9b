"""The exact ranking of all other points by cosine, for every point: the retrieval metrics are computed from it.

In numpy alone: a process without torch ranks the rows of a visitor's file.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Array: TypeAlias = "Tensor | NDArray[np.generic]"

# Up to this dimension trained clusters are so tight that 2 - 2s cancels; differences of coordinates are exact, and cost little.
DIFFERENCES_UP_TO = 3
UNIT_ROUNDING = 1e-12
ROW_BLOCK = 128
ITSELF = np.float64(np.inf).view(np.int64)
MOST_NEIGHBOURS = np.iinfo(np.uint16).max
SAME = 1e-30  # a squared distance of two rows that differ by rounding alone
ABOVE = 16.0  # a float64 is a multiple of 3.6e-15 there
ROUNDED = 2**11  # the last bits of a float64, in which points that are equally near may differ by rounding


@dataclass(frozen=True, eq=False)
class PositiveRanks:
    """The ranks of each query's positives among all other points, R positives at most.

    ``ranks`` (N, R) is the rank, from 1, of the k-th positive, a tie going to the negative; ``precision`` (N, R) the
    precision at its distance, with everything as near retrieved; both are 0 past ``positives`` (N,). ``near``
    (N, neighbours) uint16 holds the nearest points, nearest first.
    """

    ranks: Integers
    precision: Floats
    positives: Integers
    near: NDArray[np.uint16]


@dataclass(frozen=True, eq=False)
class UnitRows:
    """Rows of unit length, ``points`` (N, d), with ``labels`` (N,) from 0 and, if several metrics share them, ``distances``."""

    points: Floats
    labels: Integers
    distances: tuple[tuple[slice, Floats], ...] = ()

    @cached_property
    def small_labels(self) -> NDArray[np.generic]:
        """The labels (N,) in the smallest type that can store them, which is compared several times faster."""
        return self.labels.astype(np.min_scalar_type(int(self.labels.max())))

    @property
    def scaled_d2_blocks(self) -> Iterable[tuple[slice, Floats]]:
        """Squared distances d^2 / 4 in [0, 1] of the rows from each other, in blocks (n, N) of some at a time.

        They are computed one after the other if they are not stored.
        """
        if self.distances:
            return self.distances
        shares, count = scaled_d2_function(self.points, self.points), len(self.points)
        blocks = (slice(start, min(start + ROW_BLOCK, count)) for start in range(0, count, ROW_BLOCK))
        return ((block, shares(block)) for block in blocks)

    def with_distances(self) -> "UnitRows":
        """The rows with all their distances, N * N numbers, computed once for all metrics."""
        return replace(self, distances=tuple(self.scaled_d2_blocks))


def ranking(rows: UnitRows, neighbours: int = 0) -> PositiveRanks:
    """The ranks of each row's positives among all other rows, the precision at each, and the row's nearest ``neighbours``.

    There are at most N - 1 neighbours. Rows are ranked by cosine similarity; up to d = 3 by differences, which also order the
    points of a tight cluster. Points with equal rows are equally near to every query; among equally near points negatives come
    first, then the order of rows decides. ValueError for neighbours of more than 65,535 points.
    """
    labels, n = rows.labels, len(rows.points)
    if neighbours < 0 or (neighbours and n > MOST_NEIGHBOURS):
        raise ValueError(f"neighbours = {neighbours} of {n} points; choose at least 0, of up to {MOST_NEIGHBOURS} points")
    positives = np.bincount(labels)[labels] - 1
    rank_table = np.zeros((n, int(positives.max())), np.int64)
    precision = np.zeros(rank_table.shape)
    near = np.zeros((n, min(neighbours, n - 1)), np.uint16)
    exists = np.arange(1, rank_table.shape[1] + 1) <= positives[:, None]
    ends = np.concatenate(([0], positives.cumsum()))
    ranks, precisions = np.empty(ends[-1], np.int64), np.empty(ends[-1])
    hits = np.arange(1, ends[-1] + 1) - np.repeat(ends[:-1], positives)
    for block, shares in rows.scaled_d2_blocks:
        # A float64 in [0, 1] read as an integer keeps its order and leaves the top two bits free: shifted by one it
        # holds distance and relevance, and one sort ranks by distance with negatives first among equals. Read as a
        # float64 again it has the same order still, and is sorted faster.
        keys = shares.view(np.int64) << 1
        keys |= rows.small_labels[block, None] == rows.small_labels
        keys[np.arange(len(keys)), np.arange(block.start, block.stop)] = ITSELF
        ranked = np.sort(keys.view(np.float64), axis=1).view(np.int64)  # (n, N), the query itself at the end
        relevant = _relevant(ranked)
        relevant[:, -1] = False
        hit_keys = np.flatnonzero(relevant)
        of_block = slice(ends[block.start], ends[block.stop])
        ranks[of_block] = hit_keys - np.repeat(n * np.arange(len(keys)) - 1, positives[block])
        np.divide(hits[of_block], ranks[of_block], out=precisions[of_block])
        keys_in_order = ranked.ravel()  # ties end with their positives
        if not ((keys_in_order[hit_keys + 1] ^ keys_in_order[hit_keys]) > 1).all():  # some positive is in a tie
            precisions[of_block] = _precision_of_ties(ranked, hit_keys)
        near[block] = _nearest(keys, ranked, near.shape[1])
    rank_table[exists], precision[exists] = ranks, precisions
    return PositiveRanks(rank_table, precision, positives, near)


def array_of(tensor: Any) -> NDArray[Any]:
    """The array of a ``tensor`` on any device; float32 for a dtype that NumPy does not have, such as bfloat16."""
    on_cpu = tensor.detach().cpu()
    try:
        return np.asarray(on_cpu)
    except TypeError:
        return np.asarray(on_cpu.float())


def unit_rows(z: Array, y: Array) -> UnitRows:
    """Rows of z (N, d), of any dtype, in float64 on the unit sphere, and y (N,) as classes counted from 0.

    ValueError for wrong shapes and for a value that is not finite.
    """
    given, labels = (each if isinstance(each, np.ndarray) else array_of(each) for each in (z, y))
    points = given.astype(np.float64)
    if points.ndim != 2 or 0 in points.shape:
        raise ValueError(f"z has shape {points.shape}; pass (N, d) with N and d at least 1")
    if labels.shape != points.shape[:1]:
        raise ValueError(f"y has shape {labels.shape} for z of shape {points.shape}; pass ({len(points)},)")
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(1))[0])
        raise ValueError(f"z has a value that is not finite in row {row}")
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    # Rows that are unit up to rounding stay as they are: a division could break ties.
    if np.abs(norms - 1).max() > UNIT_ROUNDING:
        points /= np.where(norms > 0, norms, 1)
    return UnitRows(points, np.unique(labels, return_inverse=True)[1])


def scaled_d2_function(points: Floats, queries: Floats) -> Callable[[slice], Floats]:
    """A function of a slice of unit rows ``queries`` (Q, d) that returns their squared distances d^2 / 4 from ``points`` (N, d).

    These are in [0, 1], and equal for equal points.
    """
    n, dim = points.shape
    if dim <= DIFFERENCES_UP_TO:
        halves = np.ascontiguousarray(points.T / 2)

        def differences(rows: slice) -> Floats:
            apart = (query[:, None] - column for query, column in zip(queries[rows].T / 2, halves, strict=True))
            shares = np.square(next(apart))
            for table in apart:
                shares += np.square(table, out=table)
            shares = round_distances(shares)
            shares *= shares > SAME  # rows of one direction
            return np.clip(shares, 0, 1, out=shares)

        return differences
    distinct, index = points, None
    # A matrix product may round equal columns differently, so each distinct point is multiplied once.
    if len(np.unique(points[:, 0])) < n:
        distinct, index = np.unique(points, axis=0, return_inverse=True)

    def products(rows: slice) -> Floats:
        shares = (-0.5 * queries[rows]) @ distinct.T
        shares += 0.5 + ABOVE  # rounds them to the last bits of a larger number
        shares -= ABOVE
        shares = shares if index is None else shares[:, index]
        return np.clip(shares, 0, 1, out=shares)

    return products


def round_distances(distances: Floats) -> Floats:
    """Distances, none below 0, rounded to their first 41 bits, so that those which differ by rounding alone are equal."""
    bits = distances.view(np.int64) + ROUNDED // 2
    bits &= -ROUNDED
    return bits.view(np.float64)


def _precision_of_ties(ranked: Integers, hits: Integers) -> Floats:
    """Precision at the positives ``hits`` in sorted keys (n, N), row after row; all points of a tie are retrieved at once."""
    columns = ranked.shape[1]
    farther = (ranked[:, 1:] ^ ranked[:, :-1]) > 1
    end = np.full(ranked.shape, columns - 1)
    end[:, :-1] = np.where(farther, np.arange(1, columns), columns - 1)
    end = np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1]  # (n, N)
    last = end.ravel()[hits]
    return np.cumsum(_relevant(ranked), axis=1)[hits // columns, last - 1] / last


def _relevant(keys: Integers) -> NDArray[np.bool_]:
    """The last bit of each key."""
    return (keys.astype(np.uint8) & 1).view(np.bool_)


def _nearest(keys: Integers, ranked: Integers, count: int) -> Integers:
    """The columns of the ``count`` smallest keys of each row, in order; equal keys in the order of their columns."""
    if count == 0:
        return np.zeros((len(keys), 0), np.int64)
    within = np.flatnonzero(keys <= ranked[:, count - 1, None])
    if len(within) == count * len(keys):
        by_row = within.reshape(len(keys), count)
        order = keys.ravel()[by_row].argsort(axis=1, kind="stable")
        return by_row[np.arange(len(keys))[:, None], order] % keys.shape[1]
    rows, columns = np.divmod(within, keys.shape[1])
    order = np.lexsort((keys.ravel()[within], rows))
    first = np.searchsorted(rows, np.arange(len(keys)))
    return columns[order[first[:, None] + np.arange(count)]]
