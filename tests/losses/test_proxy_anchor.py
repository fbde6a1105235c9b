"""The claims of Proxy-Anchor's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.proxy_anchor import ProxyAnchor
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import any_batch, as_the_library

ONE_PROXY = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)


def test_the_pull_is_averaged_over_the_classes_present() -> None:
    z = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    loss = ProxyAnchor(alpha=2.0, delta=0.1)
    pull = (math.log(1 + math.exp(-1.8)) + math.log(1 + math.exp(-1.8))) / 2
    push = (2 * math.log(1 + math.exp(0.2)) + math.log(1 + math.exp(-1.8) + math.exp(0.2))) / 3
    assert float(loss.value(z, labels(0, 1), proxies=ONE_PROXY)) == pytest.approx(pull + push, rel=1e-14)


def test_the_length_of_a_proxy_does_not_matter_and_its_gradient_is_tangent() -> None:
    z, y = drawn(10, 4, 3)
    proxies = torch.randn(4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    loss = ProxyAnchor()
    near, far = loss.gradients(z, y, proxies=proxies), loss.gradients(z, y, proxies=10 * proxies)
    assert float(near.value) == pytest.approx(float(far.value), rel=1e-12)
    torch.testing.assert_close(near.learnt["proxies"], 10 * far.learnt["proxies"])
    radial = (near.learnt["proxies"] * normalise(proxies)).sum(1)
    torch.testing.assert_close(radial, torch.zeros(4, dtype=z.dtype), rtol=0, atol=1e-12)


def test_the_hardest_sample_weighs_most() -> None:
    z = normalise(torch.tensor([[1.0, 0.1], [1.0, 0.5], [1.0, 1.5], [-1.0, 1.0], [-1.0, 0.2]], dtype=torch.float64))
    weights = ProxyAnchor(alpha=32.0).weights(z, labels(0, 0, 0, 2, 2), proxies=ONE_PROXY).proxy
    assert weights is not None
    own, others = -weights[:3, 0], weights[3:, 0]
    assert own.tolist() == sorted(own.tolist())
    assert others[0] > others[1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_large_alpha_does_not_overflow(dtype: torch.dtype) -> None:
    z, y = drawn(20, 8, 4)
    loss = ProxyAnchor(alpha=1000.0, delta=0.5)
    found = loss.gradients(
        normalise(z.to(dtype)), y, **{k: t.to(dtype) for k, t in loss.initial_tensors(4, 8, torch.Generator()).items()}
    )
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()
    assert torch.isfinite(found.learnt["proxies"]).all()


def test_two_classes_are_two_proxies() -> None:
    z, y = drawn(12, 3, 2)
    proxies = ONE_PROXY.new_tensor([[1, 0, 0], [0, 1, 0]])
    loss = ProxyAnchor()
    assert float(loss.value(z, y, proxies=proxies)) == pytest.approx(float(loss.by_hand(z, y, proxies=proxies)), rel=1e-12)


@any_batch
@pytest.mark.parametrize(("alpha", "delta"), [(32.0, 0.1), (4.0, 0.0), (64.0, 0.5)])
def test_pytorch_metric_learning_agrees(batch: Batch, alpha: float, delta: float) -> None:
    z, y = batch
    classes = int(y.max()) + 2
    theirs = losses.ProxyAnchorLoss(classes, z.shape[1], margin=delta, alpha=alpha)
    ours = ProxyAnchor(alpha=alpha, delta=delta)
    proxies = ours.initial_tensors(classes, z.shape[1], torch.Generator().manual_seed(1))["proxies"].double()
    as_the_library(theirs, "proxies", ours, batch, proxies)


def test_a_pull_is_half_of_its_most_at_cosine_delta_and_fades_beyond_it_the_sooner_the_larger_alpha() -> None:
    def pull(alpha: float, cosine: float) -> float:
        loss = ProxyAnchor(alpha=alpha, delta=0.1)
        weights = loss.weights(on_circle(math.degrees(math.acos(cosine))), labels(0), proxies=on_circle(0)).proxy
        assert weights is not None
        return -float(weights[0, 0]) / alpha

    assert pull(32, 0.1) == pytest.approx(0.5)
    assert pull(32, 0.2) < 0.04
    assert pull(1, 0.2) > 0.47
    assert pull(1, 1) > 0.28, "with a small alpha it does not end even on the proxy"
