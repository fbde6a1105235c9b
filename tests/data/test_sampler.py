"""The content of batches, which depends only on table, seed and step."""

import itertools
from collections import Counter

import pytest
import torch
from torch import Tensor

from dml_viz.data.samplers import SAMPLERS
from dml_viz.data.samplers._base import BATCH_CAP, BLOCK, ClassTable, Sampler
from dml_viz.data.samplers.by_category import ByCategory
from dml_viz.data.samplers.p_by_k import PByK
from tests.corners import corners

# Classes 2, 5, 7, 11 and 12 of 20, 14, 9, 3 and 1 samples, in no order.
SIZES = {2: 20, 5: 14, 7: 9, 11: 3, 12: 1}
Y = torch.tensor([label for label, size in SIZES.items() for _ in range(size)])[
    torch.randperm(47, generator=torch.Generator().manual_seed(0))
]
TABLE = ClassTable.of(Y)

every_sampler = pytest.mark.parametrize("sampler", [leaf() for leaf in SAMPLERS.values()], ids=list(SAMPLERS))


def batches_of(sampler: PByK, steps: int = 40) -> Tensor:
    """Positions (steps, P, K)."""
    return sampler.batch_indices(TABLE, 0, 0, steps).unflatten(1, (-1, sampler.samples))


def test_the_table_holds_each_sample_once() -> None:
    assert TABLE.labels.tolist() == list(SIZES)
    assert TABLE.sizes.tolist() == list(SIZES.values())
    listed = [row[:size] for row, size in zip(TABLE.members.tolist(), TABLE.sizes.tolist(), strict=True)]
    for label, row in zip(SIZES, listed, strict=True):
        assert (Y[row] == label).all()
    assert sorted(itertools.chain(*listed)) == list(range(len(Y)))


@every_sampler
def test_batches_are_the_same_however_steps_are_sliced(sampler: Sampler) -> None:
    whole = sampler.batch_indices(TABLE, 7, 0, 3 * BLOCK + 5)
    assert whole.dtype == torch.int64
    for size in (17, BLOCK, BLOCK + 1):
        starts = range(0, len(whole), size)
        slices = [sampler.batch_indices(TABLE, 7, start, min(size, len(whole) - start)) for start in starts]
        assert torch.equal(torch.cat(slices), whole)
    for step in (0, 1, BLOCK - 1, BLOCK, len(whole) - 1):
        assert torch.equal(sampler.batch_indices(TABLE, 7, step, 1), whole[step : step + 1])


@every_sampler
def test_seeds_and_blocks_draw_different_batches(sampler: Sampler) -> None:
    whole = sampler.batch_indices(TABLE, 7, 0, 2 * BLOCK)
    assert not torch.equal(whole[:BLOCK], whole[BLOCK:])
    # A seed and one that differs from it above the 32 bits that torch's generator keeps.
    for other in (8, 7 + 2**32):
        assert not torch.equal(whole, sampler.batch_indices(TABLE, other, 0, 2 * BLOCK))


@every_sampler
def test_the_global_generator_is_left_alone(sampler: Sampler) -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    sampler.batch_indices(TABLE, 0, 0, 10)
    assert torch.equal(torch.get_rng_state(), before)


@every_sampler
def test_every_corner_of_the_sliders_is_a_sampler(sampler: Sampler) -> None:
    for corner in corners(type(sampler)):
        drawn = type(sampler)(**corner).batch_indices(TABLE, 0, 0, 2)
        assert 1 <= drawn.shape[1] <= BATCH_CAP
        assert 0 <= drawn.min() <= drawn.max() < len(Y)


def test_a_batch_holds_p_classes_side_by_side_with_k_samples_each() -> None:
    for batch in batches_of(PByK(classes=3, samples=4)):
        labels = Y[batch]
        assert (labels == labels[:, :1]).all()
        assert len(set(labels[:, 0].tolist())) == 3


def test_samples_of_a_class_differ_where_there_are_enough() -> None:
    for batch in batches_of(PByK(classes=5, samples=9)):
        for members in batch.tolist():
            if SIZES[int(Y[members[0]])] >= 9:
                assert len(set(members)) == 9


@pytest.mark.parametrize("samples", [4, 9, 25])
def test_a_small_class_gives_its_samples_equally_often(samples: int) -> None:
    for batch in batches_of(PByK(classes=5, samples=samples)):
        for members in batch.tolist():
            size, times = SIZES[int(Y[members[0]])], Counter(members).values()
            assert len(times) == min(size, samples)
            assert max(times) - min(times) <= 1


def test_a_table_of_few_classes_gives_all_of_them() -> None:
    assert all(sorted(Y[batch[:, 0]].tolist()) == list(SIZES) for batch in batches_of(PByK(classes=8, samples=2)))


def test_classes_and_samples_are_drawn_evenly() -> None:
    steps = 3000
    drawn = PByK(classes=2, samples=3).batch_indices(TABLE, 1, 0, steps)
    counts = torch.bincount(drawn.flatten(), minlength=len(Y)).double()
    for label, size in SIZES.items():
        # A class is in 2 of 5 batches with 3 draws; five standard deviations of a count, were all draws independent.
        expected = steps * 2 / 5 * 3 / size
        assert ((counts[label == Y] - expected).abs() < 5 * (expected * 3) ** 0.5).all()


def test_a_batch_above_the_cap_is_refused_with_a_way_out() -> None:
    assert PByK(classes=64, samples=128).classes == 64
    with pytest.raises(ValueError, match=r"64 x 129 = 8256 is not allowed; choose a product up to 8192, .* samples = 128"):
        PByK(classes=64, samples=129)


def test_a_batch_is_of_few_categories_unless_they_have_too_few_classes() -> None:
    y, categories = torch.arange(12).repeat_interleave(6), torch.arange(6).repeat(12)
    table = ClassTable.of(y, categories)
    for batch in ByCategory(categories=2, classes=8, samples=2).batch_indices(table, 0, 0, 40):
        assert len(set(categories[batch].tolist())) == 2
        assert len(set(batch.tolist())) == 16
        assert y[batch].reshape(8, 2).diff(dim=1).eq(0).all()
        assert len(set(y[batch].tolist())) == 8
    # One category has one image of a class, so a second one is taken.
    for batch in ByCategory(categories=1, classes=8, samples=2).batch_indices(table, 0, 0, 10):
        assert len(set(categories[batch].tolist())) == 2


@pytest.mark.parametrize("wrong", [{"classes": 1}, {"samples": 1}, {"classes": 513}, {"samples": 2.5}])
def test_a_knob_outside_its_domain_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"PByK: {next(iter(wrong))} = .* is not allowed"):
        PByK(**wrong)  # type: ignore[arg-type]


def test_there_is_no_batch_before_the_first_and_no_table_of_nothing() -> None:
    for seed, first_step, steps in ((-1, 0, 1), (0, -1, 1), (0, 0, 0)):
        with pytest.raises(ValueError, match="choose at least 0, 0 and 1"):
            PByK().batch_indices(TABLE, seed, first_step, steps)
    with pytest.raises(ValueError, match=r"y has shape \(0,\)"):
        ClassTable.of(torch.zeros(0, dtype=torch.int64))
