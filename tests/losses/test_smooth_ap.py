"""The claims of Smooth-AP's page."""

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.metrics import retrieval
from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss, Pairs
from dml_viz.losses.smooth_ap import SmoothAP
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree
from tests.samples import for_each


def listed(classes: int, each: int, generator: torch.Generator) -> Batch:
    """Random unit rows, class after class."""
    z = torch.randn(classes * each, 8, dtype=torch.float64, generator=generator)
    return normalise(z), torch.arange(classes).repeat_interleave(each)


def library(z: torch.Tensor, y: torch.Tensor) -> float:
    return float(losses.SmoothAPLoss(temperature=0.01)(z.clone().requires_grad_(), y).detach())


def test_a_small_temperature_gives_average_precision() -> None:
    z, y = drawn(40, 6, 5, seed=3)
    exact = 1 - float(retrieval(z, y).map)
    assert float(SmoothAP(tau=0.0001, itself=False).value(z, y)) == pytest.approx(exact, abs=1e-3)


def test_ranking_itself_makes_the_loss_smaller() -> None:
    for seed in range(5):
        z, y = drawn(20, 4, 4, seed=seed)
        assert float(SmoothAP().value(z, y)) < float(SmoothAP(itself=False).value(z, y))


def test_a_pair_far_out_of_order_is_moved_by_a_large_temperature_alone() -> None:
    z, y = on_circle(0, 120, 30), labels(0, 0, 1)
    small, large = (SmoothAP(tau=tau, itself=False).weights(z, y).pair for tau in (0.01, 0.1))
    assert small is not None
    assert large is not None
    assert 0 <= -small[0, 1] < 1e-50
    assert -large[0, 1] > 1e-7


def test_the_smallest_temperature_is_finite_in_float32() -> None:
    z, y = drawn(40, 8, 4)
    found = SmoothAP(tau=0.0001).gradients(normalise(z.float()), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@pytest.mark.parametrize("itself", [True, False])
def test_many_positives_one_at_a_time_are_the_plain_ones(itself: bool) -> None:
    z, y = drawn(60, 4, 2, seed=8)
    loss, pairs = SmoothAP(itself=itself), Pairs(z, y)
    (value, weights), (plain, wanted) = loss.value_and_weights(pairs), Loss.value_and_weights(loss, pairs)
    assert float(value) == pytest.approx(float(plain), rel=1e-12)
    torch.testing.assert_close(weights, wanted, rtol=0, atol=1e-13)


@for_each("many", [2, 3, 5])
@for_each("tau", [0.01, 0.1])
def test_pytorch_metric_learning_agrees_where_classes_are_as_many_as_their_samples(many: int, tau: float) -> None:
    batch = listed(many, many, torch.Generator().manual_seed(many))
    agree(SmoothAP(tau=tau), batch, losses.SmoothAPLoss(temperature=tau))


def test_pytorch_metric_learning_is_right_in_class_order_and_wrong_when_shuffled() -> None:
    generator = torch.Generator().manual_seed(0)
    z, y = listed(4, 4, generator)
    order = torch.randperm(16, generator=generator)
    assert float(SmoothAP().value(z, y)) == pytest.approx(0.409, abs=5e-4)
    assert float(SmoothAP().value(z[order], y[order])) == pytest.approx(0.409, abs=5e-4)
    assert library(z, y) == pytest.approx(0.409, abs=5e-4)
    assert library(z[order], y[order]) == pytest.approx(0.499, abs=5e-4)


@pytest.mark.parametrize(("classes", "each"), [(2, 6), (6, 2), (3, 4)])
def test_pytorch_metric_learning_takes_the_number_of_samples_for_that_of_classes(classes: int, each: int) -> None:
    z, y = listed(classes, each, torch.Generator().manual_seed(0))
    swapped = torch.arange(each).repeat_interleave(classes)
    assert library(z, y) == pytest.approx(float(SmoothAP().value(z, swapped)), rel=1e-6)
    assert library(z, y) != pytest.approx(float(SmoothAP().value(z, y)), rel=1e-2)
