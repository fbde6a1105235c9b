"""The claims of SupCon's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.sup_con import SupCon
from tests.batches import ORDINARY, Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def test_at_best_every_positive_gets_an_equal_share() -> None:
    z = on_circle(0, 0, 0, 0, 180, 180, 180, 180)
    y = labels(0, 0, 0, 0, 1, 1, 1, 1)
    assert float(SupCon(tau=0.05).value(z, y)) == pytest.approx(math.log(3), abs=1e-15)
    for z, y in ORDINARY.values():
        positives = (y[:, None] == y).sum(1) - 1
        floor = positives[positives > 0].double().log().mean()
        assert float(SupCon().value(z, y)) >= float(floor)


def test_a_positive_far_ahead_of_the_others_is_pushed() -> None:
    found = SupCon(tau=0.1).weights(on_circle(0, 5, 60, 180), labels(0, 0, 0, 1)).pair
    assert found is not None
    assert found[0, 1] > 0 > found[0, 2]


def test_weights_are_shares_less_wanted_shares() -> None:
    z, y = drawn(12, 4, 3, seed=2)
    s = (z @ z.T / 0.2).fill_diagonal_(-torch.inf)
    positive = (y[:, None] == y).double().fill_diagonal_(0)
    assert (positive.sum(1) > 0).all()
    wanted = (s.softmax(1) - positive / positive.sum(1, keepdim=True)) / (12 * 0.2)
    torch.testing.assert_close(SupCon(tau=0.2).weights(z, y).pair, wanted, rtol=0, atol=1e-14)


def test_anchors_without_a_positive_are_not_in_the_mean() -> None:
    z, y = drawn(7, 3, 1, seed=6)[0], labels(0, 0, 1, 1, 2, 0, 1)
    log_share = (z @ z.T / 0.1).fill_diagonal_(-torch.inf).log_softmax(1)
    terms = [-sum(float(log_share[i, j]) for j in range(7) if j != i and y[j] == y[i]) / 2 for i in (0, 1, 2, 3, 5, 6)]
    assert float(SupCon(tau=0.1).value(z, y)) == pytest.approx(sum(terms) / 6, rel=1e-12)


def test_the_smallest_temperature_is_finite_in_float32() -> None:
    z, y = drawn(40, 8, 4)
    found = SupCon(tau=0.0001).gradients(normalise(z.float()), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@any_batch
@for_each("tau", [0.05, 0.1, 0.5])
def test_pytorch_metric_learning_agrees(batch: Batch, tau: float) -> None:
    # Its mean over losses above 0 leaves out the anchors without a positive, whose loss it has as 0.
    agree(SupCon(tau=tau), batch, losses.SupConLoss(temperature=tau))


def test_pytorch_metric_learning_gives_zero_for_one_class() -> None:
    z, _ = drawn(6, 5, 1)
    y = labels(0, 0, 0, 0, 0, 0)
    assert float(losses.SupConLoss()(z.clone().requires_grad_(), y).detach()) == 0
    assert float(SupCon().value(z, y)) > math.log(5)
