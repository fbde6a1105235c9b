"""The claims of SoftTriple's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses, regularizers

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.soft_triple import SoftTriple
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import any_batch, as_the_library
from tests.samples import for_each


def centres_of(loss: SoftTriple, classes: int, dim: int) -> torch.Tensor:
    return loss.initial_tensors(classes, dim, torch.Generator().manual_seed(1))["proxies"].double()


def test_the_regulariser_is_the_mean_distance_of_a_classs_centres_halved() -> None:
    z, y = on_circle(10), labels(0)
    of_two_classes = on_circle(0, 60, 100, 280)
    plain, drawn_together = (float(SoftTriple(centres=2, tau=tau).value(z, y, proxies=of_two_classes)) for tau in (0.0, 0.2))
    assert drawn_together - plain == pytest.approx(0.2 * (1 + 2) / 2 / 2, rel=1e-12)


def test_similarity_to_a_class_nears_that_of_its_nearest_centre() -> None:
    z, y = on_circle(10), labels(0)
    proxies = on_circle(0, 90, 180, 270)
    value = SoftTriple(centres=2, gamma=0.01, scale=5.0, margin=0.1, tau=0.0).value(z, y, proxies=proxies)
    gap = math.cos(math.radians(100)) - (math.cos(math.radians(10)) - 0.1)
    assert float(value) == pytest.approx(math.log(1 + math.exp(5 * gap)), rel=1e-12)


def test_with_one_centre_per_class_softtriple_is_am_softmax() -> None:
    z, y = drawn(14, 5, 4)
    ours = SoftTriple(centres=1, scale=20.0, margin=0.01, tau=1.0)
    proxies = centres_of(ours, 5, 5)
    one, other = (loss.gradients(z, y, proxies=proxies) for loss in (ours, MarginSoftmax(scale=20.0, margin=0.01)))
    assert float(one.value) == pytest.approx(float(other.value), rel=1e-14)
    torch.testing.assert_close(one.z, other.z)
    torch.testing.assert_close(one.learnt["proxies"], other.learnt["proxies"])


def test_a_far_centre_of_the_own_class_is_pushed() -> None:
    weights = SoftTriple(centres=2, gamma=0.5).weights(on_circle(45), labels(0), proxies=on_circle(0, 180, 90, 270)).proxy
    assert weights is not None
    near, far = weights[0, :2]
    assert near < 0 < far


@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_equal_centres_stay_equal_without_a_gradient_of_their_own(dim: int, dtype: torch.dtype) -> None:
    z, y = drawn(8, dim, 2)
    ours = SoftTriple(centres=3, tau=1.0)
    one = torch.eye(3, dim, dtype=dtype)[torch.tensor([0, 0, 0, 1, 1, 1, 0, 0, 0])]
    points = normalise(z.to(dtype))
    with_it, without = (loss.gradients(points, y, proxies=one) for loss in (ours, SoftTriple(centres=3, tau=0.0)))
    torch.testing.assert_close(with_it.learnt["proxies"], without.learnt["proxies"])
    assert float(with_it.value) == pytest.approx(float(without.value), rel=1e-6)


@pytest.mark.parametrize("dim", [2, 8])
def test_float32_keeps_the_direction_between_near_centres(dim: int) -> None:
    generator = torch.Generator().manual_seed(5)
    single = normalise(torch.eye(1, dim) + 1e-3 * torch.randn(10, dim, generator=generator))
    z, y = drawn(4, dim, 1)
    ours = SoftTriple(tau=1.0)
    near = ours.gradients(normalise(z.float()), y, proxies=single).learnt["proxies"]
    exact = ours.gradients(normalise(z.float().double()), y, proxies=single.double()).learnt["proxies"]
    assert (near.double() - exact).norm() < 1e-3 * exact.norm()


def test_without_a_second_class_the_regulariser_is_left() -> None:
    z, y = drawn(5, 3, 1)
    ours = SoftTriple()
    proxies = centres_of(ours, 1, 3)
    found = ours.gradients(z, y, proxies=proxies)
    rows = normalise(proxies)
    apart = sum(float((rows[k] - rows[m]).norm()) for k in range(10) for m in range(k))
    assert float(found.value) == pytest.approx(0.2 * apart / (10 * 9), rel=1e-12)
    assert not found.z.any()
    assert found.learnt["proxies"].any()


@any_batch
@for_each(("centres", "tau"), [(10, 0.0), (10, 0.2), (2, 1.0), (1, 0.2)])
def test_pytorch_metric_learning_agrees(batch: Batch, centres: int, tau: float) -> None:
    z, y = batch
    classes, dim = int(y.max()) + 2, z.shape[1]
    ours = SoftTriple(centres=centres, tau=tau)
    # The library's regulariser is a separate object, and refuses a single centre, which has nothing to regularise.
    regulariser = regularizers.SparseCentersRegularizer(classes, centres) if centres > 1 else None
    theirs = losses.SoftTripleLoss(
        classes,
        dim,
        centers_per_class=centres,
        la=20,
        gamma=0.1,
        margin=0.01,
        weight_regularizer=regulariser,
        weight_reg_weight=tau,
    )
    proxies = centres_of(ours, classes, dim)
    as_the_library(theirs, "fc", ours, batch, proxies)
