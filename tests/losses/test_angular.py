"""The bound on the angle, and the differences between the forms of the loss."""

import math

import pytest
import torch
from pytorch_metric_learning import losses
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss, Pairs
from dml_viz.losses.angular import Angular
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def two_of_each(classes: int, dim: int, seed: int = 0) -> Batch:
    return drawn(2 * classes, dim, 1, seed)[0], torch.arange(2 * classes) % classes


@any_batch
@for_each("alpha", [25.0, 40.0, 60.0])
def test_pytorch_metric_learning_agrees(batch: Batch, alpha: float) -> None:
    # Of unit rows: it normalises anchors and positives, but not negatives.
    agree(Angular(alpha=alpha), batch, losses.AngularLoss(alpha=alpha))


def test_pytorch_metric_learning_agrees_on_one_pair_per_class() -> None:
    theirs = losses.AngularLoss(alpha=45)

    def value(z: Tensor, y: Tensor) -> Tensor:
        # Anchors as the batch and positives as its reference: every anchor has one positive, and the others for negatives.
        found: Tensor = theirs(z[:7], y[:7], ref_emb=z[7:], ref_labels=y[7:])
        return found

    agree(Angular(form="N-pair"), two_of_each(7, 5), value)


def test_rows_of_other_lengths_are_another_loss_there() -> None:
    z, y = drawn(12, 5, 3)
    theirs = losses.AngularLoss(alpha=40)
    assert float(theirs(3 * z, y)) != pytest.approx(float(theirs(z, y)), rel=0.1)


@pytest.mark.parametrize("alpha", [26.0, 36.0, 45.0])
def test_the_hinge_starts_where_the_negative_sees_half_the_pair_at_alpha(alpha: float) -> None:
    # Negatives on a circle around a pair at 2 * 20 degrees; the pair's middle is at cos 20 on the first axis.
    for angle in range(21, 340, 3):
        z = on_circle(20, -20, angle)
        beyond = z[2] - torch.tensor([math.cos(math.radians(20)), 0.0])
        seen = math.degrees(math.atan2(math.sin(math.radians(20)), float(beyond.norm())))
        value = float(Angular(alpha=alpha, form="hinge").value(z, labels(0, 0, 1)))
        assert (value > 0) == (seen > alpha)


def test_unsquared_distances_would_bound_another_angle() -> None:
    # |x_a - x_p| = 4 tan² |x_n - x_c| is tan = 2 tan² for the angle itself.
    for alpha, acts_at in ((45.0, 63.4), (40.0, 54.6), (36.0, 46.6)):
        assert math.degrees(math.atan(2 * math.tan(math.radians(alpha)) ** 2)) == pytest.approx(acts_at, abs=0.05)


def test_an_active_triplet_has_the_printed_gradients() -> None:
    z = normalise(torch.tensor([[1.0, 0.2, 0.0], [-0.2, 1.0, 0.3], [0.6, 0.7, 0.1]], dtype=torch.float64))
    a, p, n = z
    t = math.tan(math.radians(40)) ** 2
    s = a + p - 2 * n
    printed = torch.stack((2 * (a - p) - 2 * t * s, 2 * (p - a) - 2 * t * s, 4 * t * s))
    torch.testing.assert_close(printed.sum(0), torch.zeros_like(a), rtol=0, atol=1e-15)
    found = Angular(alpha=40.0, form="hinge").gradients(z, labels(0, 0, 1))
    assert float(found.value) > 0
    # Both orders of the pair are triplets with this gradient, and the mean is over both.
    torch.testing.assert_close(found.z, printed - (printed * z).sum(1, keepdim=True) * z, rtol=0, atol=1e-14)


def test_the_hinge_fades_with_dimension() -> None:
    values = [float(Angular(form="hinge").value(*drawn(64, dim, 8))) for dim in (2, 8, 32)]
    assert values[0] > values[1] > values[2] == 0
    assert float(Angular().value(*drawn(64, 32, 8))) > 1


def test_the_constant_is_zero_at_30_degrees_and_almost_removes_the_loss_at_45() -> None:
    z, y = drawn(24, 8, 4)
    for form in ("logistic", "N-pair"):
        at_30 = [float(Angular(alpha=30.0, form=form, constant_kept=constant).value(z, y)) for constant in (False, True)]
        assert at_30[0] == pytest.approx(at_30[1], rel=1e-12)
        dropped, with_constant = (Angular(form=form, constant_kept=choice).gradients(z, y) for choice in (False, True))
        assert float(with_constant.value) < float(dropped.value) / 4
        assert with_constant.z.norm() < dropped.z.norm() / 2


def test_with_the_constant_the_exponents_are_the_hinges() -> None:
    a, p, other_a, other_p = z = on_circle(10, 80, 200, 130)

    def hinge(x_a: Tensor, x_p: Tensor, x_n: Tensor) -> float:
        spread, away = (x_a - x_p).square().sum(), (x_n - (x_a + x_p) / 2).square().sum()
        return float(spread - 4 * math.tan(math.radians(40)) ** 2 * away)

    terms = [math.log1p(math.exp(hinge(*triplet))) for triplet in ((a, p, other_p), (other_a, other_p, p))]
    found = Angular(alpha=40.0, form="N-pair", constant_kept=True).value(z, labels(0, 0, 1, 1))
    assert float(found) == pytest.approx(sum(terms) / 2, rel=1e-12)


def test_three_times_as_long_rows_have_nine_times_the_hinge() -> None:
    z, y = drawn(8, 2, 2)
    loss = Angular(form="hinge")
    assert float(loss.by_hand(z, y)) > 0
    assert float(loss.by_hand(3 * z, y)) == pytest.approx(9 * float(loss.by_hand(z, y)), rel=1e-12)


def test_only_the_form_of_one_pair_per_class_depends_on_the_order_within_a_class() -> None:
    z, y = drawn(13, 4, 3, seed=1)
    order = torch.arange(12, -1, -1)
    for form in ("logistic", "N-pair", "hinge"):
        here, there = (float(Angular(form=form).value(*batch)) for batch in ((z, y), (z[order], y[order])))
        assert (here == pytest.approx(there, rel=1e-12)) == (form != "N-pair")


@for_each("sizes", [(40, 20), (31, 1, 16, 12), (2, 2, 3)])
@for_each("form", ["logistic", "N-pair", "hinge"])
def test_classes_of_any_size_have_the_plain_weights(form: str, sizes: tuple[int, ...]) -> None:
    y = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    y = y[torch.randperm(len(y), generator=torch.Generator().manual_seed(3))]
    loss, pairs = Angular(form=form, alpha=35.0), Pairs(drawn(len(y), 3, 1)[0], y)
    (value, weights), (plain, wanted) = loss.value_and_weights(pairs), Loss.value_and_weights(loss, pairs)
    assert float(value) == pytest.approx(float(plain), rel=1e-12)
    torch.testing.assert_close(weights, wanted, rtol=0, atol=1e-14)


@for_each("alpha", [1e-300, 0.01, 64.0, 66.0, 72.0, 80.0])
@for_each("form", ["logistic", "N-pair", "hinge"])
def test_float32_holds_at_the_ends_of_alpha(form: str, alpha: float) -> None:
    # Antipodal positives: a point far from an anchor is near its positive, and the terms of a sum differ most.
    z, y = drawn(8, 3, 1)[0], torch.arange(8) % 4
    z, y = normalise(torch.cat((z, -z)).float()), torch.cat((y, y))
    loss = Angular(form=form, alpha=alpha)
    near, exact = loss.gradients(z, y), loss.gradients(normalise(z.double()), y)
    assert float(near.value) == pytest.approx(float(exact.value), rel=1e-5)
    assert (near.z - exact.z).norm() <= 1e-5 * exact.z.norm() + 1e-6
