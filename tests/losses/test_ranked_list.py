"""The claims of the Ranked List Loss's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses.ranked_list import RankedList
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import any_batch
from tests.samples import for_each

GRADIENTS = ("query only", "both ends", "both ends and weights")


def chord(degrees: float) -> float:
    return 2 * math.sin(math.radians(degrees) / 2)


def test_positives_count_beyond_one_bound_and_negatives_within_the_other() -> None:
    # Of six pairs one is a positive too far away and two are negatives too near; the others have no loss.
    z, y = on_circle(0, 60, 110, 180), labels(0, 0, 1, 1)
    loss = RankedList(alpha=1.0, margin=0.2, temperature=0.0, lam=0.5)
    pulls = 2 * (chord(60) - 0.8) + 2 * (chord(70) - 0.8)
    pushes = 2 * (1.0 - chord(50))
    assert float(loss.value(z, y)) == pytest.approx((pulls + 0.5 * pushes) / 4, rel=1e-13)


def test_every_query_counts_in_the_mean_even_where_nothing_is_violated() -> None:
    z, y = on_circle(0, 60, 20, 80), labels(0, 0, 1, 1)
    few = RankedList().value(z, y)
    with_one_far_away = RankedList().value(torch.cat((z, on_circle(220))), torch.cat((y, labels(2))))
    assert float(with_one_far_away) == pytest.approx(float(few) * 4 / 5, rel=1e-13)


def test_what_is_differentiated_leaves_the_value_alone() -> None:
    batch = drawn(40, 6, 5, seed=1)
    values = {float(RankedList(differentiated=moving).value(*batch)) for moving in GRADIENTS}
    assert len(values) == 1


def test_the_authors_gradient_is_about_half_as_long_or_less_and_points_almost_the_same_way() -> None:
    z, y = drawn(64, 16, 8, seed=2)
    query, both, weights = (RankedList(differentiated=moving).gradient(z, y) for moving in GRADIENTS)
    for other in (both, weights):
        assert 1.5 < other.norm() / query.norm() < 3
        assert torch.nn.functional.cosine_similarity(other.flatten(), query.flatten(), dim=0) > 0.9


def test_a_pair_moves_its_query_by_the_unit_vector_between_the_two() -> None:
    z, y = on_circle(0, 90), labels(0, 0)
    alone = tangent((z - z.flip(0)) / chord(90) / 2, z)
    torch.testing.assert_close(RankedList().gradient(z, y), alone)
    # Each point is also the other's positive.
    torch.testing.assert_close(RankedList(differentiated="both ends").gradient(z, y), 2 * alone)


@pytest.mark.parametrize(("temperature", "nearest"), [(0.0, 1 / 3), (150.0, 1.0)])
def test_temperature_goes_from_all_negatives_to_the_nearest(temperature: float, nearest: float) -> None:
    z, y = on_circle(0, 20, 40, 60), labels(0, 1, 2, 3)
    weights = RankedList(temperature=temperature).weights(z, y).pair
    assert weights is not None
    slopes = weights[0] * torch.tensor([0, chord(20), chord(40), chord(60)], dtype=z.dtype)
    assert float(slopes[1] / slopes.sum()) == pytest.approx(nearest, rel=1e-6)


def test_a_class_of_diameter_alpha_less_m_has_no_loss() -> None:
    loss = RankedList(alpha=1.2, margin=0.4)
    half = math.degrees(math.asin(0.8 / 2))
    for widening, costs in ((-1e-6, False), (1e-6, True)):
        assert (float(loss.value(on_circle(0, half, 2 * half + widening), labels(0, 0, 0))) > 0) is costs


def test_alpha_is_an_angle_by_distances_not_by_squared_ones() -> None:
    z = on_circle(0, 70)
    assert 66.4 < 70 < 73.7
    assert float(RankedList(alpha=1.2).value(z, labels(0, 1))) == pytest.approx(1.2 - chord(70))


@pytest.mark.parametrize("moving", GRADIENTS)
def test_with_a_margin_above_alpha_every_positive_has_a_loss_and_one_at_no_distance_has_no_gradient(moving: str) -> None:
    found = RankedList(alpha=0.8, margin=1.2, differentiated=moving).gradients(on_circle(*[10] * 5), labels(*[0] * 5))
    assert float(found.value) == pytest.approx(1.2 - 0.8)
    assert not found.z.any()


@pytest.mark.parametrize("moving", GRADIENTS)
def test_high_temperatures_do_not_overflow(moving: str) -> None:
    z, y = drawn(30, 3, 3)
    z = z.float()
    z[0] = z[1]
    found = RankedList(alpha=4.0, temperature=150.0, differentiated=moving).gradients(normalise(z), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@any_batch
@for_each(("alpha", "margin", "temperature"), [(1.2, 0.4, 5.0), (1.4, 0.2, 0.0), (1.0, 0.6, 1.0)])
def test_twice_pytorch_metric_learning_agrees_but_for_what_it_adds(
    batch: Batch, alpha: float, margin: float, temperature: float
) -> None:
    # Imbalance 1/2 is lambda 1. Its denominators, which are at least 1, are larger by 1e-5 for every row of the batch.
    theirs = losses.RankedListLoss(margin=margin, Tn=temperature, imbalance=0.5, alpha=alpha)
    loss = RankedList(alpha=alpha, margin=margin, temperature=temperature, differentiated="both ends and weights")
    z, y = batch

    def twice(z: Tensor) -> Tensor:
        return 2 * theirs(z, y)

    points = z.clone().requires_grad_()
    value = twice(points)
    found = loss.gradients(z, y)
    tolerance = 1e-5 * len(z)
    assert (1 - tolerance) * float(found.value) - 1e-12 <= float(value.detach()) <= float(found.value) + 1e-12
    (gradient,) = torch.autograd.grad(value, points)
    assert (tangent(gradient, z) - found.z).norm() <= 2 * tolerance * found.z.norm()
