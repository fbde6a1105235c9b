"""The claims of NCA's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.nca import NCA
from dml_viz.losses.sup_con import SupCon
from tests.batches import EDGES, Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def test_with_one_positive_per_anchor_nca_is_supcon_at_half_the_inverse_temperature() -> None:
    z, _ = drawn(12, 5, 1, seed=4)
    y = torch.arange(12) // 2
    here, there = NCA(scale=5.0).gradients(z, y), SupCon(tau=0.1).gradients(z, y)
    assert float(here.value) == pytest.approx(float(there.value), rel=1e-12)
    torch.testing.assert_close(here.z, there.z, rtol=0, atol=1e-13)


def test_one_near_positive_is_enough() -> None:
    found = NCA(scale=16.0).weights(on_circle(0, 2, 90, 120), labels(0, 0, 0, 1)).pair
    assert found is not None
    assert -found[0, 1] > 1e6 * -found[0, 2] > 0


def test_at_scale_1_the_sphere_is_too_small_for_a_loss_near_0() -> None:
    z = on_circle(*[0] * 8, *[180] * 8)
    y = torch.arange(16) // 8
    assert float(NCA().value(z, y)) == pytest.approx(math.log(1 + 8 / 7 * math.exp(-4)), rel=1e-12)


def test_a_small_chance_to_fail_keeps_its_digits_in_float32() -> None:
    z, y = on_circle(0, 20, 90), labels(0, 0, 1)
    near, exact = (NCA(scale=16.0).gradients(x, y) for x in (z.float(), z))
    assert 0 < float(exact.value) < 1e-8
    assert float(near.value) == pytest.approx(float(exact.value), rel=1e-5)
    assert (near.z - exact.z).norm() <= 1e-5 * exact.z.norm()


@any_batch
@for_each("scale", [1.0, 4.0, 16.0])
def test_pytorch_metric_learning_agrees(batch: Batch, scale: float) -> None:
    agree(NCA(scale=scale), batch, losses.NCALoss(softmax_scale=scale))


def test_pytorch_metric_learning_gives_nan_where_no_anchor_has_a_positive() -> None:
    z, y = EDGES["all singletons"]
    assert losses.NCALoss()(z.clone().requires_grad_(), y).isnan()
    assert float(NCA().value(z, y)) == 0


def test_pytorch_metric_learning_drops_the_hardest_anchors() -> None:
    # In float32 the probability of an opposite positive rounds to 0 with a negative near by: e^-256 to 1.
    z, y = normalise(on_circle(0, 180, 0, 90, -90).float()), labels(0, 0, 1, 1, 2)
    loss = losses.NCALoss(softmax_scale=64)(z.clone().requires_grad_(), y)
    assert float(NCA(scale=64.0).value(z, y)) > 256 / 4
    assert float(loss.detach()) < 256 / 4
    assert torch.isfinite(NCA(scale=10000.0).gradient(z, y)).all()
