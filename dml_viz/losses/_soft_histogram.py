"""The pairs of a batch in soft bins of squared distance, tile by tile.

The squared distance of two unit vectors is 2 - 2s; t in [0, bins] is this distance in units of the bin width 4 / bins. A pair
is shared by the two bins whose centres are the whole numbers next to t: floor(t) gets 1 - (t - floor t), the next bin the rest.
So the histogram up to and including bin l counts the pairs with floor(t) <= l, less the fractions t - floor t of the pairs in
bin l: two numbers per pair and query, whatever the number of bins.

`cumulative_histograms_and_indices` computes a usual batch as one table of all pairs, in few operations. For a larger batch
`PairBins` stores nothing of size N x N; pairs are symmetric, so a tile off the diagonal serves the queries of its rows and
columns. Column 0 of the tables is empty, and bin l is column l + 1: differences between neighbours then need no special case.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from dml_viz.embedding.matmul import inner_products
from dml_viz.embedding.sphere import DIFFERENCES_UP_TO, LARGEST_D2, has_float64, normalise
from dml_viz.losses._pairs import Pairs

# Rows of a tile. Smaller tiles take more time to launch than to compute, larger ones do not fit into the processor's caches.
SIDE = 256
SIDE_ON_AN_ACCELERATOR = 2048


class Tile(NamedTuple):
    """Pairs of the points ``rows`` with the points ``columns``, each (R, M).

    ``t`` is the squared distance in bins, from 1 on; ``column`` is that of its bin in the table of a query's positives or, behind
    that, of its negatives; ``added`` is the number that the pair adds in that column.
    """

    rows: slice
    columns: slice
    t: Tensor
    column: Tensor
    added: Tensor


class PairBins:
    """Pairs of unit rows z (N, d) with int32 labels y (N,) in ``bins`` + 1 soft bins; their tables have L = ``bins`` + 2 columns.

    For float32 rows, count and fraction are whole numbers packed into one int64, so that sums are exact in any order. For
    float64 rows, and for all rows on a device without float64 (mps), they are two sums of the rows' type. Up to three dimensions
    float32 rows are converted to float64 first, which tells near points apart.
    """

    def __init__(self, z: Tensor, y: Tensor, bins: int) -> None:
        self._given, n = z.dtype, len(z)
        self._packed = z.dtype == torch.float32 and has_float64(z.device)
        if self._packed and z.shape[1] <= DIFFERENCES_UP_TO:
            z = normalise(z.double())
        self._z, self._y, self._bins = z, y, bins
        # A power of two above every count and every place; and the binary digits for which int32 and float64 have room.
        self._radix = 1 << max(n, bins + 1).bit_length()
        self._digits = min(24, 30 - (bins + 1).bit_length(), 54 - 2 * self._radix.bit_length()) if self._packed else 0
        self._unit = bins / LARGEST_D2 * 2**self._digits
        self._side = math.ceil(n / math.ceil(n / _side(z)))
        # The tables of a tile share one piece of memory, a third larger than needed: glibc returns to the system what exceeds
        # twice the largest piece freed so far, and with smaller pieces it would do so at every call.
        self._room = torch.empty(4, self._side**2, dtype=torch.int64, device=z.device)
        self._only: Tile | None = None

    def cumulative(self) -> Tensor:
        """Cumulative histograms (N, 2, L) of each query's positives and of its negatives, without the query itself."""
        return self._packed_sums() if self._packed else self._plain_sums()

    def gradient_at_rows(self, slopes: Tensor) -> Tensor:
        """The gradient (N, d) at z from the slopes dL/ds (N, 2, L) of a query's positives and negatives in each bin."""
        z, table = self._z, slopes.to(self._z.dtype).flatten(1).contiguous()
        offsets = torch.arange(0, table.numel(), table.shape[1], dtype=torch.int32, device=z.device)
        gradient = torch.zeros_like(z)
        for tile in self._tiles():
            rows, columns, index = tile.rows, tile.columns, self._index(tile)
            weights = torch.gather(table[rows], 1, index, out=self._piece(1, tile.t))
            index.copy_(tile.column.add_(offsets[columns]))
            weights += torch.index_select(table.view(-1), 0, index.view(-1), out=tile.t.view(-1)).view_as(weights)
            if rows == columns:
                weights.fill_diagonal_(0)
            else:
                gradient[columns] += inner_products(weights.T, z[rows].T)
            gradient[rows] += inner_products(weights, z[columns].T)
        self._only = None  # its places were overwritten with columns of the one long table
        return gradient.to(self._given)

    def _packed_sums(self) -> Tensor:
        sums = torch.zeros(len(self._z), 2, self._bins + 2, dtype=torch.int64, device=self._z.device)
        for tile in self._tiles():
            self._scatter(sums, tile, tile.added)
        # Each pair added ``_radix`` + t; a bin's sum divided by ``_radix`` + t has the count as its whole part.
        left = sums.double()
        first, width = self._radix << self._digits, 1 << self._digits
        unit = torch.arange(first, first + sums.shape[2] * width, width, dtype=left.dtype, device=left.device)
        counts = (left / unit).floor_()
        fractions = left.addcmul_(counts, unit, value=-1)
        return counts.cumsum_(2).sub_(fractions, alpha=1 / width).float().clamp_(min=0)

    def _plain_sums(self) -> Tensor:
        counts, fractions = self._z.new_zeros(2, len(self._z), 2, self._bins + 2)
        for tile in self._tiles():
            self._scatter(fractions, tile, tile.added)
            ones = tile.t.fill_(1)
            self._scatter(counts, tile, ones.fill_diagonal_(0) if tile.rows == tile.columns else ones)
        return counts.cumsum_(2).sub_(fractions)

    def _tiles(self) -> Iterator[Tile]:
        """The tiles on and above the diagonal, one after the other; a single tile is computed once."""
        if self._side < len(self._z):
            parts = [slice(start, start + self._side) for start in range(0, len(self._z), self._side)]
            yield from (self._tile(rows, columns) for i, rows in enumerate(parts) for columns in parts[i:])
        else:
            self._only = self._only or self._tile(slice(None), slice(None))
            yield self._only

    def _tile(self, rows: slice, columns: slice) -> Tile:
        width = 1 << self._digits
        t = inner_products(self._z[rows], self._z[columns])
        t.mul_(-2 * self._unit).add_(2 * self._unit + width).clamp_(width, LARGEST_D2 * self._unit + width)
        column = self._piece(0, t, torch.int32).copy_(t)
        if self._packed:
            added = self._piece(1, t, torch.int64).copy_(column).bitwise_or_(self._radix << self._digits)
            column >>= self._digits
        else:
            added = torch.frac(t, out=self._piece(1, t))
        if rows == columns:
            added.fill_diagonal_(0)
        # The result is written as numbers, because a comparison into bool takes five times as long.
        negative = torch.ne(self._y[rows, None], self._y[columns], out=self._piece(2, t, torch.int32))
        return Tile(rows, columns, t, column.add_(negative, alpha=self._bins + 2), added)

    def _scatter(self, sums: Tensor, tile: Tile, values: Tensor) -> None:
        """Add a tile's values to the queries of its rows, and off the diagonal to those of its columns."""
        table, index = sums.flatten(1), self._index(tile)
        table[tile.rows].scatter_add_(1, index, values)
        if tile.rows != tile.columns:
            table[tile.columns].T.scatter_add_(0, index, values)

    def _index(self, tile: Tile) -> Tensor:
        """A tile's places in the type that torch indexes with."""
        return self._piece(2, tile.t, torch.int64).copy_(tile.column)

    def _piece(self, row: int, like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """A row of the shared memory in the shape of the table ``like``, and in its type unless ``dtype`` is given."""
        return self._room[row].view(dtype or like.dtype)[: like.numel()].view(like.shape)


class TableOffsets(NamedTuple):
    """The part of the pairs' indices into tables (N, 2, L), laid out as one row, that depends on labels alone.

    ``begins`` (N, 1) is where the tables of each query begin; ``near`` and ``right`` are the columns of distance 0 and of a right
    angle. A pair adds its column plus ``radix``, which is above every count, to a sum; ``unit`` (2 L,) is that number per column.
    """

    begins: Tensor
    near: Tensor
    right: Tensor
    radix: int
    unit: Tensor


def _table_offsets(y: Tensor, bins: int, dtype: torch.dtype) -> TableOffsets:
    columns, radix = bins + 2, 1 << max(len(y), bins + 2).bit_length()
    begins = torch.arange(0, 2 * columns * len(y), 2 * columns, dtype=torch.int32)[:, None]
    near, unit = torch.ones((), dtype=dtype), torch.arange(radix, radix + columns, dtype=torch.float64)
    return TableOffsets(begins, near, near + bins / 2, radix, unit.repeat(2))


def cumulative_histograms_and_indices(pairs: Pairs, bins: int) -> tuple[Tensor, Tensor]:
    """Cumulative histograms (2, L, N) of the queries' positives and of their negatives, and the pairs' indices (N, N).

    They are computed in few operations and without a graph; for float32 rows, sums are exact in any order. An index is that of a
    pair in the table (N, 2, L) of all queries, laid out as one row, in an integer as long as a number of the rows.
    """
    dtype, shape = pairs.z.dtype, (len(pairs.z), 2, bins + 2)
    offsets = pairs.layout.of(_table_offsets, bins, dtype)
    if "d2" in vars(pairs) or pairs.z.shape[1] <= DIFFERENCES_UP_TO:
        t = torch.add(offsets.near, pairs.d2, alpha=bins / LARGEST_D2)
    else:
        s = inner_products(pairs.z, pairs.z).clamp_(-1, 1)
        t = torch.add(offsets.right, s, alpha=-bins / 2, out=s)
    # Column 0 for a point with itself; the indices are in the memory of t.
    indices = t.fill_diagonal_(0).view(torch.int32 if dtype == torch.float32 else torch.int64)
    sums = torch.zeros(len(t), 2 * (bins + 2), dtype=torch.float64, device=t.device)
    counts = sums if dtype == torch.float32 else torch.zeros_like(sums)
    for some, at, negative, begins in _in_parts(t, indices, pairs.negative, offsets.begins):
        # In float32 each pair adds ``radix``, which is above every count, and t with its 23 binary digits.
        added = some.double().add_(offsets.radix) if counts is sums else some.frac()
        at.copy_(some).add_(negative, alpha=bins + 2).add_(begins)
        sums.view(-1).index_add_(0, at.view(-1), added.view(-1))
        if counts is not sums:
            counts.view(-1).index_add_(0, at.view(-1), added.fill_(1).view(-1))
    if counts is sums:
        counts = (sums / offsets.unit).floor_()
        sums.addcmul_(counts, offsets.unit, value=-1)
    counts[:, 0].zero_()  # where the points with themselves were counted
    up_to = counts.view(shape).cumsum(2).sub_(sums.view(shape)).permute(1, 2, 0)
    return up_to.to(dtype, memory_format=torch.contiguous_format), indices


def entries_at(table: Tensor, indices: Tensor) -> Tensor:
    """Look up entries of ``table`` by flat ``indices`` (N, N), whose memory the result may take."""
    table, values = table.view(-1), indices.view(table.dtype)
    if len(indices) <= _side(indices):
        return table.index_select(0, indices.view(-1)).view_as(indices)
    for some, at in _in_parts(values, indices):
        some.copy_(table.index_select(0, at.view(-1)).view_as(some))
    return values


def add_transpose_(table: Tensor) -> Tensor:
    """The sum of a ``table`` (N, N) and its transpose, written over the table."""
    side = _side(table)
    if len(table) <= side:
        return table.add_(table.T.clone(memory_format=torch.contiguous_format))
    tiles = [rows.split(side, 1) for rows in table.split(side)]
    for i, row in enumerate(tiles):
        add_transpose_(row[i])
        for j, tile in enumerate(row[i + 1 :], i + 1):
            tiles[j][i].copy_(tile.add_(tiles[j][i].T).T)
    return table


def _in_parts(*tables: Tensor) -> Iterable[tuple[Tensor, ...]]:
    """Tables of N rows; large ones in parts, so that what is computed from a part takes little memory."""
    rows, side = len(tables[0]), _side(tables[0])
    return [tables] if rows <= side else zip(*(table.split(max(1, side // 8)) for table in tables), strict=True)


def _side(table: Tensor) -> int:
    return SIDE if table.device.type == "cpu" else SIDE_ON_AN_ACCELERATOR


def cumulative_histograms_and_columns(d2: Tensor, y: Tensor, bins: int) -> tuple[Tensor, Tensor]:
    """Cumulative histograms (N, 2, L) of each query's positives and of its negatives, and each pair's column (N, N).

    The plain form of `PairBins.cumulative`, differentiable by the squared distances d2 (N, N).
    """
    columns = bins + 2
    t = d2 * (bins / LARGEST_D2)
    first = t.detach().floor().clamp(0, bins)
    # Pairs at the last centre have no fraction, because no centre follows.
    others = 1 - torch.eye(len(y), dtype=d2.dtype, device=d2.device)
    fraction = (t - first) * others * (first < bins)
    column = first.long() + 1 + columns * (y[:, None] != y)
    empty = d2.new_zeros(len(y), 2 * columns)
    counts, fractions = (empty.scatter_add(1, column, added).view(-1, 2, columns) for added in (others, fraction))
    return counts.cumsum(2) - fractions, column
