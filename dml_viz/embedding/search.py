"""The search for the nearest of many rows: distances of queries from a gallery, block by block, in threads and bounded memory.

In numpy and scipy alone: a process without torch searches the rows of a visitor's file.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_viz.embedding.ranking import DIFFERENCES_UP_TO, Integers, scaled_d2_function, unit_rows
from dml_viz.embedding.rows_plane import unit_blocks

Shares = NDArray[np.floating[Any]]  # squared distances over the largest that there can be
Progress = Callable[[float], object]

FLOAT64_UP_TO = 8_192  # rows of a gallery; in a larger one, distances have the seven digits of a float32
BLOCK = 1 << 24  # distances in a block, about: 67 MB of float32, and twice that where they are sorted
QUERIES = 512  # in a block at most
SAMPLE = 1_000  # columns whose distances bound those of a query's nearest rows
UNBOUNDED = np.finfo(np.float32).max
NEAREST = 10  # rows that tables and colours look at


@dataclass(frozen=True, eq=False)
class Nearest:
    """The rows of a file that each of its rows ``queries`` (Q,) finds nearest, itself left out: ``near`` (Q, k), nearest first.

    ``shares`` (Q, k) and ``reach`` are those of the `Search`.
    """

    queries: Integers
    near: NDArray[np.int32]
    shares: Shares
    reach: float = 1.0

    @property
    def cosine(self) -> NDArray[np.float32]:
        """Similarities (Q, k), which may be equal where ``shares`` are not."""
        return (1 - 2 * self.reach * self.shares).astype(np.float32)

    def up_to(self, size: int) -> "Nearest":
        """The nearest ``size`` of each query alone."""
        return Nearest(self.queries, self.near[:, :size].copy(), self.shares[:, :size].copy(), self.reach)

    def first_right(self, y: Integers) -> NDArray[np.float64]:
        """The rank (Q,) from 1 of the first row of the query's class, behind others that are as near; inf without such a row.

        It is NaN where the last of these rows is as near, too: there may be more.
        """
        right = y[self.near] == y[self.queries][:, None]
        found, last = right.argmax(1)[:, None], self.near.shape[1] - 1
        share = np.take_along_axis(self.shares, found, 1)
        ahead = ~right & (self.shares <= share)
        known = ((self.shares[:, last:] > share) | (found == last))[:, 0]
        return np.where(right.any(1), np.where(known, 1.0 + ahead.sum(1), np.nan), np.inf)


@dataclass(frozen=True, eq=False)
class Search:
    """The rows ``queries`` (Q,) of a file, which search its rows ``gallery`` (G,).

    A *share* is a squared distance over the largest that there can be: a share s is a cosine of 1 - 2 * ``reach`` * s. ``shares``
    returns those (n, G) of a block of queries, infinite for the query itself. Where each row is a query in the gallery of all
    rows, ``later`` returns the shares (n, G - start) of a block from its own and all later rows: the other half is the same.
    """

    queries: Integers
    gallery: Integers
    shares: Callable[[slice], Shares]
    reach: float
    later: Callable[[slice], Shares] | None = None

    def each(self, work: Callable[[slice, Shares], object], progress: Progress, threads: int) -> None:
        """Call ``work`` with each block and its `shares`, in ``threads`` threads, and ``progress`` with the part that is done."""
        _in_threads(lambda block: work(block, self.shares(block)), self.blocks(), progress, threads)

    def blocks(self) -> list[slice]:
        """The queries, in blocks."""
        size = max(1, min(QUERIES, BLOCK // max(1, len(self.gallery))))
        return [slice(start, min(start + size, len(self.queries))) for start in range(0, len(self.queries), size)]

    def nearest_of(self, shares: Shares, size: int) -> tuple[NDArray[np.int32], Shares]:
        """The rows of the file (k,) with the ``size`` smallest ``shares`` (G,) of a query, in order, and their shares (k,)."""
        sample = shares[:: max(1, len(shares) // SAMPLE)]
        bound = np.partition(sample, size - 1)[size - 1] if size < len(sample) else np.inf
        columns = np.flatnonzero(shares <= bound)
        if len(columns) > size:
            columns = columns[np.argpartition(shares[columns], size)[:size]]
        columns = columns[np.argsort(shares[columns], kind="stable")]
        return self.gallery[columns].astype(np.int32), shares[columns]


def search_of(z: NDArray[np.generic], query: NDArray[np.bool_] | None = None, gallery: NDArray[np.bool_] | None = None) -> Search:
    """The search of the rows ``query`` (N,) of embeddings z (N, d) among its rows ``gallery`` (N,); None is all.

    Distances are those of `ranking`, in float64; in a gallery of more than 8,192 rows in float32, of rows moved to their mean, so
    that rows of a collapsed net differ, too. ValueError as in `unit_rows`.
    """
    queries, searched = (np.arange(len(z)) if mask is None else np.flatnonzero(mask) for mask in (query, gallery))
    column = np.full(len(z), -1)  # of each row in the gallery
    column[searched] = np.arange(len(searched))
    distances: Callable[[slice], Shares]
    later: Callable[[slice], Shares] | None = None
    if len(searched) <= FLOAT64_UP_TO or z.shape[1] <= DIFFERENCES_UP_TO:
        points = unit_rows(z, np.zeros(len(z), np.int64)).points
        distances, reach = scaled_d2_function(points[searched], points[queries]), 1.0
    else:
        distances, later, reach = _float32_shares(z, queries, searched)

    def shares(block: slice) -> Shares:
        table = distances(block)
        itself = column[queries[block]]
        rows = np.flatnonzero(itself >= 0)
        table[rows, itself[rows]] = np.inf
        return table

    return Search(queries, searched, shares, reach, later if query is None and gallery is None else None)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def nearest_rows(search: Search, size: int = NEAREST, progress: Progress = lambda _: None, threads: int = 1) -> Nearest:
    """The ``size`` nearest rows of each query of ``search``, or all where there are fewer."""
    size = min(size, max(0, len(search.gallery) - 1))
    if search.later is not None and size:
        return _nearest_by_symmetry(search, search.later, size, progress, threads)
    near = np.zeros((len(search.queries), size), np.int32)
    nearest = np.zeros(near.shape)

    def find(block: slice, table: Shares) -> None:
        for k, shares in enumerate(table, block.start):
            near[k], nearest[k] = search.nearest_of(shares, size)

    if size:
        search.each(find, progress, threads)
    return Nearest(search.queries, near, nearest, search.reach)


class _Best:
    """The ``size`` smallest shares of each of ``rows`` rows, of those added so far, and a bound (rows,) of those to come."""

    def __init__(self, rows: int, size: int) -> None:
        self.bound = np.full(rows, UNBOUNDED)
        self._rows, self._size, self._lock = np.arange(rows) << 32, size, Lock()
        # A row in the high bits, a share in the low ones: a float32 that is not negative keeps its order as an integer.
        self._keys: list[Integers] = []
        self._columns: list[NDArray[np.int32]] = []

    def add(self, table: Shares, bound: Shares, row: int, column: int, turned: bool = False) -> None:
        """Add the shares up to ``bound`` of a ``table`` of rows from ``row`` and columns from ``column``, or ``turned``."""
        rows, columns = np.divmod(np.flatnonzero(table <= bound), table.shape[1])
        shares = np.abs(table[rows, columns]).view(np.int32)
        rows, columns = (columns + row, rows + column) if turned else (rows + row, columns + column)
        with self._lock:
            self._keys.append(rows << 32 | shares)
            self._columns.append(columns.astype(np.int32))
            if sum(map(len, self._keys)) > 2 * len(self.bound) * self._size:
                self._tighten()

    def sorted(self) -> tuple[NDArray[np.int32], Shares]:
        """The columns (rows, size) and the shares (rows, size), nearest first; of equal shares the earlier column is first."""
        self._tighten()
        (keys,), (columns,) = self._keys, self._columns
        order = np.lexsort((columns, keys))
        keys, columns = keys[order], columns[order]
        best = np.searchsorted(keys, self._rows)[:, None] + np.arange(self._size)
        return columns[best], keys[best].astype(np.int32).view(np.float32)

    def _tighten(self) -> None:
        keys, columns = np.concatenate(self._keys), np.concatenate(self._columns)
        in_order = np.sort(keys)
        last = in_order[np.minimum(np.searchsorted(in_order, self._rows) + self._size, len(keys)) - 1]
        full = last >> 32 == self._rows >> 32
        last[~full] = self._rows[~full] | UNBOUNDED.view(np.int32)
        self.bound[:] = last.astype(np.int32).view(np.float32)
        kept = keys <= last[keys >> 32]
        self._keys, self._columns = [keys[kept]], [columns[kept]]


def _nearest_by_symmetry(
    search: Search, later: Callable[[slice], Shares], size: int, progress: Progress, threads: int
) -> Nearest:
    """The nearest rows, where each row searches all others: each distance is computed once, for both of its rows."""
    best = _Best(len(search.gallery), size)

    def find(block: slice) -> None:
        table = later(block)
        own, others = best.bound[block], table[:, block.stop - block.start :]
        sample = table[:, :: max(1, table.shape[1] // SAMPLE)]
        if (own == UNBOUNDED).any() and sample.shape[1] > size:
            own[:] = np.partition(sample, size - 1)[:, size - 1]
        if block.start == 0 and len(table) > size and others.size:
            best.bound[block.stop :] = np.partition(others, size - 1, axis=0)[size - 1]
        best.add(table, own[:, None], block.start, block.start)
        best.add(others, best.bound[block.stop :], block.stop, block.start, turned=True)

    first, *blocks = search.blocks()
    find(first)  # bounds what the others look for
    _in_threads(find, blocks, progress, threads)
    near, shares = best.sorted()
    progress(1.0)
    return Nearest(search.queries, near, shares, search.reach)


def _in_threads(work: Callable[[slice], object], blocks: list[slice], progress: Progress, threads: int) -> None:
    """Call ``work`` with each of the ``blocks``, in ``threads`` threads, and ``progress`` with the part that is done."""
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, block) for block in blocks]
        try:
            for done, future in enumerate(as_completed(futures), 1):
                future.result()
                progress(done / len(blocks))
        finally:
            pool.shutdown(cancel_futures=True)


def _float32_shares(
    z: NDArray[np.generic], queries: Integers, searched: Integers
) -> tuple[Callable[[slice], Shares], Callable[[slice], Shares] | None, float]:
    """Functions of a block that return its `Search.shares` and, if no two rows are equal, `Search.later`, and their reach."""
    points = np.concatenate([rows.astype(np.float32) for rows in unit_blocks(z)])
    points -= points.mean(0, dtype=np.float64).astype(np.float32)
    reach = float(np.einsum("ij,ij->i", points, points).max()) or 1.0
    points /= np.float32(np.sqrt(reach))
    squares = np.einsum("ij,ij->i", points, points)[:, None] / 4
    # One product is the whole distance: |a|^2 / 4 - a b / 2 + |b|^2 / 4.
    seen, index = _distinct(np.hstack((points[searched] / -2, squares[searched], np.ones_like(squares[searched]))))

    def products(rows: Integers, seen: NDArray[np.float32]) -> Shares:
        return np.hstack((points[rows], np.ones((len(rows), 1), np.float32), squares[rows])) @ seen.T

    def shares(block: slice) -> Shares:
        table = products(queries[block], seen)
        table = table if index is None else table[:, index]
        return np.maximum(table, 0, out=table)

    def later(block: slice) -> Shares:
        table = products(queries[block], seen[block.start :])
        np.fill_diagonal(table, np.inf)
        return np.maximum(table, 0, out=table)

    return shares, later if index is None else None, reach


def _distinct(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], Integers | None]:
    """The rows (M, d) that differ, and which of them each is, or None where all differ: a product may round equal ones apart."""
    known: dict[bytes, int] = {}
    index = np.array([known.setdefault(blake2b(row).digest(), len(known)) for row in rows])
    if len(known) == len(rows):
        return rows, None
    return rows[np.unique(index, return_index=True)[1]], index
