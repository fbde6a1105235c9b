"""The hinge of a positive pair in the lifted structured loss, and the effect of its square."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.losses.lifted import LiftedStructured
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def test_one_pair_and_one_negative_have_the_loss_of_the_formula() -> None:
    z, y = on_circle(0, 60, 120), labels(0, 0, 1)
    hinge = 1 + math.log(math.exp(1 - 3**0.5) + math.exp(1 - 1))
    assert float(LiftedStructured().value(z, y)) == pytest.approx(hinge**2 / 2, rel=1e-12)
    assert float(LiftedStructured(squared=False).value(z, y)) == pytest.approx(hinge / 2, rel=1e-12)


def test_many_negatives_have_a_loss_even_where_all_are_as_far_as_possible() -> None:
    few, many = (
        float(LiftedStructured().value(on_circle(0, 0, *[180] * n), torch.tensor([0, 0, *range(1, n + 1)]))) for n in (1, 8)
    )
    assert few == 0
    assert many == pytest.approx((1 - 2 + math.log(16)) ** 2 / 2, rel=1e-12)


def test_without_the_square_the_gradient_is_ten_times_smaller_and_points_the_same_way() -> None:
    z, y = drawn(32, 16, 4, seed=1)
    squared, unsquared = (LiftedStructured(squared=squared).gradient(z, y) for squared in (True, False))
    assert 8 < squared.norm() / unsquared.norm() < 12
    assert torch.cosine_similarity(squared.flatten(), unsquared.flatten(), dim=0) > 0.99


def test_a_positive_pair_without_negatives_has_no_loss() -> None:
    z, _ = drawn(6, 4, 1)
    for squared in (True, False):
        found = LiftedStructured(squared=squared).gradients(z, torch.zeros(6, dtype=torch.int64))
        assert float(found.value) == 0
        assert not found.z.any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_large_margin_does_not_overflow(dtype: torch.dtype) -> None:
    z, y = drawn(20, 8, 4)
    found = LiftedStructured(alpha=1000.0).gradients(z.to(dtype), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@any_batch
@for_each("alpha", [0.0, 1.0, 2.0])
def test_pytorch_metric_learning_agrees(batch: Batch, alpha: float) -> None:
    agree(LiftedStructured(alpha=alpha), batch, losses.LiftedStructureLoss(neg_margin=alpha, pos_margin=0))
