import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, squared_chords
from dml_viz.losses import _soft_histogram
from dml_viz.losses._pairs import BatchPairs
from dml_viz.losses._soft_histogram import (
    PairBins,
    add_transpose_,
    cumulative_histograms_and_columns,
    cumulative_histograms_and_indices,
    entries_at,
)
from tests.batches import ALL, drawn
from tests.samples import for_each

SHAPES = [(40, 2), (41, 64)]


def dense(z: Tensor, y: Tensor, bins: int) -> Tensor:
    z = normalise(z.double())
    return cumulative_histograms_and_columns(squared_chords(z, z), y, bins)[0]


# Each shape with each number of bins and each side.
TILES = [(*SHAPES[k % 2], (1, 10, 1000)[k % 3], side) for k, side in enumerate((1, 7, 20, 40, 256, 7, 20, 40, 256))]


@pytest.mark.parametrize(("n", "dim", "bins", "side"), TILES)
def test_histograms_and_pulls_do_not_depend_on_the_tiles(
    n: int, dim: int, bins: int, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_soft_histogram, "SIDE", side)
    z, y = drawn(n, dim, 6, seed=bins)
    pairs = PairBins(z, y, bins)
    found = pairs.cumulative()
    torch.testing.assert_close(found, dense(z, y, bins), rtol=0, atol=1e-11)
    slopes = torch.randn(found.shape, dtype=found.dtype, generator=torch.Generator().manual_seed(1))
    _, place = cumulative_histograms_and_columns(squared_chords(z, z), y, bins)
    weights = slopes.flatten(1).gather(1, place).fill_diagonal_(0)
    torch.testing.assert_close(pairs.gradient_at_rows(slopes), (weights + weights.T) @ z, rtol=0, atol=1e-11)
    assert torch.equal(pairs.gradient_at_rows(slopes), pairs.gradient_at_rows(slopes))
    assert torch.equal(pairs.cumulative(), found)


@pytest.mark.parametrize("side", [7, 256])
@pytest.mark.parametrize("bins", [1, 10, 1000])
@pytest.mark.parametrize(("n", "dim"), SHAPES)
def test_packed_histograms_are_as_exact_as_float32_distances(
    n: int, dim: int, bins: int, side: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_soft_histogram, "SIDE", side)
    z, y = drawn(n, dim, 6, seed=bins)
    single = normalise(z.float())
    found = PairBins(single, y, bins).cumulative()
    assert found.dtype == torch.float32
    of_distance = 1e-7 if dim <= 3 else 1e-6 * bins
    torch.testing.assert_close(found.double(), dense(single, y, bins), rtol=1e-6, atol=n * of_distance)
    up_to, place = cumulative_histograms_and_indices(BatchPairs(single, y), bins)
    torch.testing.assert_close(up_to.permute(2, 0, 1), found, rtol=1e-6, atol=n * 1e-6 * bins)
    table = torch.randn(found.shape, generator=torch.Generator().manual_seed(1))
    weights = table.take(place.long())
    assert torch.equal(entries_at(table, place), weights)
    assert torch.equal(add_transpose_(weights.clone()), weights + weights.T)


@pytest.mark.parametrize("side", [7, 256])
@pytest.mark.parametrize(("n", "dim"), SHAPES)
def test_a_device_without_float64_sums_in_float32(n: int, dim: int, side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_soft_histogram, "has_float64", lambda device: False)
    monkeypatch.setattr(_soft_histogram, "SIDE", side)
    z, y = drawn(n, dim, 6)
    pairs = PairBins(z.float(), y, 10)
    found = pairs.cumulative()
    assert found.dtype == torch.float32
    torch.testing.assert_close(found.double(), dense(z, y, 10), rtol=0, atol=1e-4)
    assert pairs.gradient_at_rows(found).dtype == torch.float32


@for_each("batch", list(ALL.values()), ids=list(ALL))
def test_every_pair_is_counted_once_and_a_query_never(batch: tuple[Tensor, Tensor]) -> None:
    z, y = batch
    for dtype in (torch.float32, torch.float64):
        last = PairBins(normalise(z.to(dtype)), y, 10).cumulative()[:, :, -1]
        same = (y[:, None] == y).sum(1)
        assert torch.equal(last, torch.stack((same - 1, len(y) - same), 1).to(last.dtype))


def test_sums_of_float32_batches_are_exact() -> None:
    z, y = drawn(300, 16, 4)
    bins = 50
    single = normalise(z.float())
    found = PairBins(single, y, bins).cumulative()
    order = torch.randperm(300, generator=torch.Generator().manual_seed(2))
    # Whole numbers added up in another order are the same number, where each pair has the same one.
    s = single @ single.T
    assert torch.equal(found, PairBins(single, y, bins).cumulative())
    if torch.equal(s, s.T) and torch.equal(s[order][:, order], single[order] @ single[order].T):
        assert torch.equal(PairBins(single[order], y[order], bins).cumulative(), found[order])


def test_histograms_grow_from_an_empty_column() -> None:
    z, y = drawn(30, 4, 3)
    found = PairBins(z, y, 12).cumulative()
    assert found.shape == (30, 2, 14)
    assert not found[:, :, 0].any()
    assert (found.diff(dim=2) >= -1e-12).all()
