"""The claims of NT-Xent's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.nt_xent import NTXent
from dml_viz.losses.sup_con import SupCon
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def test_with_one_positive_per_anchor_it_is_supcon() -> None:
    z, _ = drawn(12, 5, 1, seed=4)
    y = torch.arange(12) // 2
    here, there = NTXent(tau=0.2).gradients(z, y), SupCon(tau=0.2).gradients(z, y)
    assert float(here.value) == pytest.approx(float(there.value), rel=1e-12)
    torch.testing.assert_close(here.z, there.z, rtol=0, atol=1e-13)


def test_positives_do_not_compete() -> None:
    for seed in range(5):
        z, y = drawn(20, 3, 3, seed=seed)
        found = NTXent(tau=0.1).weights(z, y).pair
        assert found is not None
        positive = (y[:, None] == y).fill_diagonal_(False)
        assert (found[positive] <= 0).all()
        assert (found[~positive] >= 0).all()


def test_the_mean_is_over_ordered_pairs() -> None:
    z, y = on_circle(*[0] * 10, *[90] * 2), torch.tensor([0] * 10 + [1] * 2)
    small, large = math.log(1 + 10 * math.exp(-1)), math.log(1 + 2 * math.exp(-1))
    assert float(NTXent(tau=1.0).value(z, y)) == pytest.approx((90 * large + 2 * small) / 92, rel=1e-12)


def test_the_pull_fades_where_all_negatives_are_far() -> None:
    found = NTXent(tau=0.05).weights(on_circle(0, 90, -135), labels(0, 0, 1)).pair
    assert found is not None
    assert 0 < -found[0, 1] * 0.05 < 1e-5


def test_without_negatives_or_positives_the_loss_is_zero() -> None:
    z, _ = drawn(6, 4, 1)
    for y in (torch.zeros(6, dtype=torch.int64), torch.arange(6)):
        found = NTXent().gradients(z, y)
        assert float(found.value) == 0
        assert not found.z.any()


def test_the_smallest_temperature_is_finite_in_float32() -> None:
    z, y = drawn(40, 8, 4)
    found = NTXent(tau=0.0001).gradients(normalise(z.float()), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@any_batch
@for_each("tau", [0.07, 0.1, 0.5])
def test_pytorch_metric_learning_agrees(batch: Batch, tau: float) -> None:
    agree(NTXent(tau=tau), batch, losses.NTXentLoss(temperature=tau))


@any_batch
@for_each("tau", [0.05, 0.2])
def test_a_learnt_temperature_has_the_fixed_ones_gradient_and_moves_by_its_own(batch: Batch, tau: float) -> None:
    z, y = batch
    log_scale = torch.tensor(-math.log(tau), dtype=z.dtype)
    found, fixed = NTXent(learn_tau=True).gradients(z, y, log_scale=log_scale), NTXent(tau=tau).gradients(z, y)
    assert float(found.value) == pytest.approx(float(fixed.value), rel=1e-12, abs=1e-12)
    torch.testing.assert_close(found.z, fixed.z, rtol=1e-11, atol=1e-11)
    ahead, behind = (float(NTXent(tau=tau * math.exp(-step)).value(z, y)) for step in (1e-6, -1e-6))
    assert float(found.learnt["log_scale"]) == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


def test_the_temperature_starts_and_is_clamped_as_in_clip() -> None:
    generator = torch.Generator()
    assert float(NTXent(learn_tau=True).initial_tensors(2, 2, generator)["log_scale"]) == pytest.approx(math.log(1 / 0.07))
    assert NTXent(learn_tau=True).learns["log_scale"].high == pytest.approx(math.log(100))
    assert float(NTXent(tau=0.0001, learn_tau=True).initial_tensors(2, 2, generator)["log_scale"]) == pytest.approx(math.log(100))
