"""The claims of Proxy-NCA's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise, squared_chords, tangent
from dml_viz.losses.proxy_nca import ProxyNCA
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import any_batch, as_the_library
from tests.samples import for_each

BOTH = pytest.mark.parametrize("positive_in_denominator", [False, True])


def trained(n: int = 40, classes: int = 10) -> tuple[Batch, torch.Tensor]:
    """A batch whose points lie about their proxies, which are at right angles."""
    proxies = torch.eye(classes, dtype=torch.float64)
    noise = torch.randn(n, classes, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    y = torch.arange(n) % classes
    return (normalise(proxies[y] + 0.1 * noise), y), proxies


def test_by_default_proxy_nca_is_the_papers_formula_at_unit_norm() -> None:
    proxies = on_circle(0, 90, 180)
    value = ProxyNCA().value(on_circle(0), labels(0), proxies=proxies)
    assert float(value) == pytest.approx(math.log(math.exp(-2) + math.exp(-4)), rel=1e-14)
    value = ProxyNCA(positive_in_denominator=True).value(on_circle(0), labels(0), proxies=proxies)
    assert float(value) == pytest.approx(math.log(1 + math.exp(-2) + math.exp(-4)), rel=1e-14)


def test_the_pull_fades_only_with_the_positive_in_the_denominator() -> None:
    (z, y), proxies = trained()
    of_paper = ProxyNCA(scale=3.0).gradients(z, y, proxies=proxies)
    of_libraries = ProxyNCA(scale=3.0, positive_in_denominator=True).gradients(z, y, proxies=proxies)
    assert float(of_paper.value) < -10
    assert 0 < float(of_libraries.value) < 0.01
    assert of_paper.z.norm() > 100 * of_libraries.z.norm()
    weights = ProxyNCA(scale=3.0).weights(z, y, proxies=proxies).proxy
    assert weights is not None
    torch.testing.assert_close(weights.gather(1, y[:, None]), torch.full((40, 1), -2 * 3**2 / 40, dtype=z.dtype))


@BOTH
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_the_weights_of_a_sample_sum_to_0(positive_in_denominator: bool, smoothing: float) -> None:
    z, y = drawn(12, 4, 3)
    loss = ProxyNCA(smoothing=smoothing, positive_in_denominator=positive_in_denominator)
    proxies = loss.initial_tensors(4, 4, torch.Generator().manual_seed(1))["proxies"].double()
    weights = loss.weights(z, y, proxies=proxies).proxy
    assert weights is not None
    torch.testing.assert_close(weights.sum(1), torch.zeros_like(weights[:, 0]), rtol=0, atol=1e-15)


def test_the_widespread_code_with_its_two_scales_and_smoothed_targets_is_one_scale() -> None:
    z, y = drawn(20, 8, 5)
    classes, of_samples, of_proxies, smoothing = 5, 1.0, 3.0, 0.1
    proxies = normalise(torch.randn(classes, 8, dtype=z.dtype, generator=torch.Generator().manual_seed(2)))
    targets = torch.full((20, classes), smoothing / (classes - 1), dtype=z.dtype).scatter_(1, y[:, None], 1 - smoothing)
    points = z.clone().requires_grad_()
    squares = (of_samples * points[:, None] - of_proxies * proxies).square().sum(2)
    wanted = -(targets * (-squares).log_softmax(1)).sum(1).mean()
    (gradient,) = torch.autograd.grad(wanted, points)
    loss = ProxyNCA(scale=math.sqrt(of_samples * of_proxies), smoothing=smoothing, positive_in_denominator=True)
    found = loss.gradients(z, y, proxies=proxies)
    assert float(found.value) == pytest.approx(float(wanted.detach()), rel=1e-12)
    torch.testing.assert_close(found.z, tangent(gradient, z), rtol=0, atol=1e-12)


def test_no_sample_is_lost_where_its_share_underflows() -> None:
    z, y = drawn(40, 8, 10)
    loss = ProxyNCA(scale=32.0, positive_in_denominator=True)
    proxies = loss.initial_tensors(10, 8, torch.Generator().manual_seed(1))["proxies"]
    single = normalise(z.float())
    shares = (-(32**2) * squared_chords(single, normalise(proxies))).softmax(1)
    assert (shares.gather(1, y[:, None]) == 0).any()
    exact = loss.value(normalise(single.double()), y, proxies=proxies.double())
    assert float(loss.value(single, y, proxies=proxies)) == pytest.approx(float(exact), rel=1e-5)
    # pytorch-metric-learning drops those samples, which have the largest loss.
    theirs = losses.ProxyNCALoss(10, 8, softmax_scale=32**2)
    theirs.proxies = torch.nn.Parameter(proxies.clone())
    assert float(theirs(single, y).detach()) < 0.1 * float(exact)


@BOTH
def test_without_a_second_class_there_is_no_loss(positive_in_denominator: bool) -> None:
    z, y = drawn(5, 3, 1)
    loss = ProxyNCA(smoothing=0.1, positive_in_denominator=positive_in_denominator)
    learnt = {name: tensor.double() for name, tensor in loss.initial_tensors(1, 3, torch.Generator().manual_seed(1)).items()}
    found = loss.gradients(z, y, **learnt)
    assert float(found.value) == float(loss.by_hand(z, y, **learnt)) == float(loss.of_rows(z, y, **learnt)) == 0
    assert not found.z.any()
    assert not found.learnt["proxies"].any()


@any_batch
@for_each("scale", [1.0, 3.0, 4.0])
def test_pytorch_metric_learning_agrees_with_the_positive_in_the_denominator(batch: Batch, scale: float) -> None:
    z, y = batch
    classes = int(y.max()) + 2
    theirs = losses.ProxyNCALoss(classes, z.shape[1], softmax_scale=scale**2)
    ours = ProxyNCA(scale=scale, positive_in_denominator=True)
    proxies = ours.initial_tensors(classes, z.shape[1], torch.Generator().manual_seed(1))["proxies"].double()
    as_the_library(theirs, "proxies", ours, batch, proxies)


def test_without_its_positive_it_still_has_a_floor_below_zero() -> None:
    classes, generator, y = 3, torch.Generator().manual_seed(0), torch.arange(3)
    for scale in (1.0, 3.0, 8.0):
        loss = ProxyNCA(scale=scale, positive_in_denominator=False)
        floor = math.log(classes - 1) - 2 * scale**2 * classes / (classes - 1)
        corners = on_circle(0, 120, 240)
        assert float(loss.value(corners, y, proxies=corners)) == pytest.approx(floor, rel=1e-12)
        for _ in range(20):
            z, proxies = (normalise(torch.randn(classes, 3, dtype=torch.float64, generator=generator)) for _ in range(2))
            assert float(loss.value(z, y, proxies=proxies)) >= floor
