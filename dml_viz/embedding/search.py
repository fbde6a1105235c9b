"""The search for the nearest of many rows: distances of queries from a gallery, block by block, in threads and bounded memory.

In numpy and scipy alone: a process without torch searches the rows of a visitor's file.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dml_viz.embedding.ranking import DIFFERENCES_UP_TO, Integers, share_function, unit_rows
from dml_viz.embedding.rows_plane import unit_blocks

Shares = NDArray[np.floating[Any]]
Progress = Callable[[float], object]

FLOAT64_UP_TO = 8_192  # rows of a gallery; in a larger one, distances have the seven digits of a float32
QUERIES = 128  # in a block; of 65,536 rows it takes 34 MB, and twice that where it is sorted
SAMPLE = 1_000  # columns whose distances bound those of a query's nearest rows
NEAREST = 10  # rows that tables and colours look at


@dataclass(frozen=True, eq=False)
class Nearest:
    """The rows of a file that each of its rows ``queries`` (Q,) finds nearest, itself left out: ``near`` (Q, k), nearest first.

    ``cosine`` (Q, k) are their similarities.
    """

    queries: Integers
    near: NDArray[np.int32]
    cosine: NDArray[np.float32]

    def up_to(self, size: int) -> "Nearest":
        """The nearest ``size`` of each query alone."""
        return Nearest(self.queries, self.near[:, :size].copy(), self.cosine[:, :size].copy())

    def first_right(self, y: Integers) -> NDArray[np.float64]:
        """The rank (Q,) from 1 of the first row of the query's class, behind others that are as near; inf where none is."""
        right = y[self.near] == y[self.queries][:, None]
        found = right.argmax(1)[:, None]
        ahead = ~right & (self.cosine >= np.take_along_axis(self.cosine, found, 1))
        return np.where(right.any(1), 1.0 + ahead.sum(1), np.inf)


@dataclass(frozen=True, eq=False)
class Search:
    """The rows ``queries`` (Q,) of a file, which search its rows ``gallery`` (G,).

    ``shares`` returns the squared distances (n, G) of a block of queries, as shares of the largest that there can be, infinite
    for the query itself; a share s is a cosine of 1 - 2 * ``reach`` * s.
    """

    queries: Integers
    gallery: Integers
    shares: Callable[[slice], Shares]
    reach: float

    def each(self, work: Callable[[slice, Shares], object], progress: Progress, threads: int) -> None:
        """Call ``work`` with each block of queries and its shares, in ``threads``, and ``progress`` with the share done."""
        blocks = [slice(start, start + QUERIES) for start in range(0, len(self.queries), QUERIES)]
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(lambda block: work(block, self.shares(block)), block) for block in blocks]
            try:
                for done, future in enumerate(as_completed(futures), 1):
                    future.result()
                    progress(done / len(blocks))
            finally:
                pool.shutdown(cancel_futures=True)

    def nearest_of(self, shares: Shares, size: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The rows of the file (k,) with the ``size`` smallest ``shares`` (G,) of a query, in order, and their cosines (k,)."""
        sample = shares[:: max(1, len(shares) // SAMPLE)]
        bound = np.partition(sample, size - 1)[size - 1] if size < len(sample) else np.inf
        columns = np.flatnonzero(shares <= bound)
        if len(columns) > size:
            columns = columns[np.argpartition(shares[columns], size)[:size]]
        columns = columns[np.argsort(shares[columns], kind="stable")]
        return self.gallery[columns].astype(np.int32), (1 - 2 * self.reach * shares[columns]).astype(np.float32)


def search_of(z: NDArray[np.generic], query: NDArray[np.bool_] | None = None, gallery: NDArray[np.bool_] | None = None) -> Search:
    """The search of the rows ``query`` (N,) of embeddings z (N, d) among its rows ``gallery`` (N,); None is all.

    Distances are those of `ranking`, in float64; in a gallery of more than 8,192 rows in float32, of rows moved to their mean, so
    that rows of a collapsed net differ, too. ValueError as in `unit_rows`.
    """
    queries, searched = (np.arange(len(z)) if mask is None else np.flatnonzero(mask) for mask in (query, gallery))
    column = np.full(len(z), -1)  # of each row in the gallery
    column[searched] = np.arange(len(searched))
    distances: Callable[[slice], Shares]
    if len(searched) <= FLOAT64_UP_TO or z.shape[1] <= DIFFERENCES_UP_TO:
        points = unit_rows(z, np.zeros(len(z), np.int64)).points
        distances, reach = share_function(points[searched], points[queries]), 1.0
    else:
        distances, reach = _float32_shares(z, queries, searched)

    def shares(block: slice) -> Shares:
        table = distances(block)
        itself = column[queries[block]]
        rows = np.flatnonzero(itself >= 0)
        table[rows, itself[rows]] = np.inf
        return table

    return Search(queries, searched, shares, reach)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def nearest_rows(search: Search, size: int = NEAREST, progress: Progress = lambda _: None, threads: int = 1) -> Nearest:
    """The ``size`` nearest rows of each query of ``search``, or all where there are fewer."""
    size = min(size, max(0, len(search.gallery) - 1))
    near = np.zeros((len(search.queries), size), np.int32)
    cosine = np.zeros(near.shape, np.float32)

    def find(block: slice, table: Shares) -> None:
        for k, shares in enumerate(table, block.start):
            near[k], cosine[k] = search.nearest_of(shares, size)

    if size:
        search.each(find, progress, threads)
    return Nearest(search.queries, near, cosine)


def _float32_shares(z: NDArray[np.generic], queries: Integers, searched: Integers) -> tuple[Callable[[slice], Shares], float]:
    """A function of blocks of queries that returns their `Search.shares`, and the reach of these."""
    points = np.concatenate([rows.astype(np.float32) for rows in unit_blocks(z)])
    points -= points.mean(0, dtype=np.float64).astype(np.float32)
    reach = float(np.einsum("ij,ij->i", points, points).max()) or 1.0
    points /= np.float32(np.sqrt(reach))
    squares = np.einsum("ij,ij->i", points, points)[:, None] / 4
    # One product is the whole distance: |a|^2 / 4 - a b / 2 + |b|^2 / 4.
    seen, index = _distinct(np.hstack((points[searched] / -2, squares[searched], np.ones_like(squares[searched]))))

    def shares(block: slice) -> Shares:
        rows = queries[block]
        table = np.hstack((points[rows], np.ones((len(rows), 1), np.float32), squares[rows])) @ seen.T
        table = table if index is None else table[:, index]
        return np.maximum(table, 0, out=table)

    return shares, reach


def _distinct(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], Integers | None]:
    """The rows (M, d) that differ, and which of them each is, or None where all differ: a product may round equal ones apart."""
    known: dict[bytes, int] = {}
    index = np.array([known.setdefault(blake2b(row).digest(), len(known)) for row in rows])
    if len(known) == len(rows):
        return rows, None
    return rows[np.unique(index, return_index=True)[1]], index
