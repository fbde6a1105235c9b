"""The claims of the page of NormFace, AM-softmax and ArcFace."""

import math
from collections.abc import Callable

import pytest
import torch
from pytorch_metric_learning import losses

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.margin_softmax import MarginSoftmax
from dml_viz.losses.proxy_anchor import ProxyAnchor
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import any_batch, as_the_library

FORMS = ("NormFace", "AM-softmax", "ArcFace")
every_form = pytest.mark.parametrize("form", FORMS)
MARGIN = math.radians(28.6)


def drawn_proxies(classes: int, dim: int) -> torch.Tensor:
    return torch.randn(classes, dim, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    ("form", "psi"),
    [
        ("NormFace", math.cos),
        ("AM-softmax", lambda theta: math.cos(theta) - 0.35),
        ("ArcFace", lambda theta: math.cos(theta + MARGIN)),
    ],
)
def test_the_margin_changes_the_own_cosine_alone(form: str, psi: Callable[[float], float]) -> None:
    own, other = math.radians(40), math.radians(100)
    value = MarginSoftmax(form=form, scale=10.0).value(on_circle(40), labels(0), proxies=on_circle(0, 140))
    wanted = math.log(1 + math.exp(10 * (math.cos(other) - psi(own))))
    assert float(value) == pytest.approx(wanted, rel=1e-12)


def test_arcfaces_own_weight_grows_towards_its_proxy_and_its_pull_does_not() -> None:
    z, y = on_circle(60, 20, 1), labels(0, 0, 0)
    proxies = on_circle(0, 80)
    of_arcface, of_normface = (
        MarginSoftmax(form=form, scale=1.0).weights(z, y, proxies=proxies).proxy for form in ("ArcFace", "NormFace")
    )
    assert of_arcface is not None
    assert of_normface is not None
    for theta, own, others in zip((60, 20, 1), of_arcface[:, 0], of_arcface[:, 1], strict=True):
        ratio = math.sin(math.radians(theta) + MARGIN) / math.sin(math.radians(theta))
        assert float(own) == pytest.approx(-ratio * float(others), rel=1e-12)
    assert of_arcface[2, 0] < 20 * of_normface[2, 0]
    gradient = MarginSoftmax(form="ArcFace", scale=1.0).gradient(z, y, proxies=proxies)
    assert gradient[2].norm() < 1


def test_arcface_falls_on_beyond_180_degrees_less_the_margin() -> None:
    theta = math.radians(170)
    loss = MarginSoftmax(form="ArcFace", scale=10.0)
    value = loss.value(on_circle(170), labels(0), proxies=on_circle(0, 90))
    psi = math.cos(theta) - MARGIN * math.sin(MARGIN)
    wanted = math.log(1 + math.exp(10 * (math.cos(math.radians(80)) - psi)))
    assert float(value) == pytest.approx(wanted, rel=1e-12)
    angles = torch.arange(0, 181, dtype=torch.float64)
    values = [float(loss.value(on_circle(a), labels(0), proxies=on_circle(0, 90, 300)[:1])) for a in angles]
    assert values == [0] * 181, "one class costs nothing, wherever the sample is"
    own, _ = loss._target_cosine(2 - 2 * torch.deg2rad(angles).cos())
    assert (own.diff() < 0).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("sign", [1, -1])
def test_a_sample_on_its_proxy_or_opposite_has_a_gradient(dtype: torch.dtype, sign: int) -> None:
    proxies = torch.eye(3, dtype=dtype)
    found = MarginSoftmax(form="ArcFace").gradients(sign * proxies, labels(0, 1, 2), proxies=proxies)
    assert torch.isfinite(found.z).all()
    assert torch.isfinite(found.learnt["proxies"]).all()
    theirs = losses.ArcFaceLoss(3, 3)
    theirs.W = torch.nn.Parameter(proxies.clone())
    points = (sign * proxies).requires_grad_()
    theirs(points, labels(0, 1, 2)).backward()
    assert points.grad is not None
    assert not torch.isfinite(points.grad).all(), "pytorch-metric-learning has become finite: say so in `elsewhere`"


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("scale", [1.0, 4.0, 16.0])
def test_the_scale_sets_a_floor_which_the_corners_of_a_simplex_reach(classes: int, scale: float) -> None:
    corners = torch.eye(classes, dtype=torch.float64)
    simplex = normalise(corners - corners.mean(0))
    floor = math.log(1 + (classes - 1) * math.exp(-scale * classes / (classes - 1)))
    loss = MarginSoftmax(form="NormFace", scale=scale)
    y = torch.arange(classes)
    assert float(loss.value(simplex, y, proxies=simplex)) == pytest.approx(floor, rel=1e-9)
    assert float(loss.value(corners, y, proxies=drawn_proxies(classes, classes))) > floor


def test_a_margin_on_both_sides_of_a_softmax_is_one_of_twice_the_size() -> None:
    z, y = drawn(12, 4, 3)
    proxies = normalise(drawn_proxies(3, 4))
    own = torch.nn.functional.one_hot(y, 3).double()
    logits = 30 * (z @ proxies.T - 0.2 * own + 0.2 * (1 - own))
    wanted = torch.nn.functional.cross_entropy(logits, y)
    assert float(MarginSoftmax(margin=0.4).value(z, y, proxies=proxies)) == pytest.approx(float(wanted), rel=1e-12)


def test_proxies_compete_for_a_sample_where_in_proxy_anchor_samples_compete_for_a_proxy() -> None:
    z, y = drawn(12, 4, 3)
    proxies = drawn_proxies(4, 4)
    sums = {}
    for form in FORMS:
        weights = MarginSoftmax(form=form).weights(z, y, proxies=proxies).proxy
        assert weights is not None
        sums[form] = float(weights.sum(1).abs().max())
    anchor = ProxyAnchor().weights(z, y, proxies=proxies).proxy
    assert anchor is not None
    assert max(sums["NormFace"], sums["AM-softmax"]) < 1e-12
    assert min(sums["ArcFace"], float(anchor.sum(1).abs().max())) > 0.1


@every_form
def test_float32_keeps_the_gradient_of_samples_that_win_by_far(form: str) -> None:
    y = torch.arange(12) % 4
    noise = torch.randn(12, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    single = normalise(torch.eye(4, 8, dtype=torch.float64)[y] + 0.05 * noise).float()
    loss = MarginSoftmax(form=form, scale=30.0, margin=0.2)
    exact = loss.gradient(normalise(single.double()), y, proxies=torch.eye(4, 8, dtype=torch.float64))
    near = loss.gradient(single, y, proxies=torch.eye(4, 8))
    assert 0 < exact.norm() < 1e-3
    assert (near.double() - exact).norm() < 1e-4 * exact.norm()


@any_batch
@every_form
@pytest.mark.parametrize("scale", [20.0, 64.0])
def test_pytorch_metric_learning_agrees(batch: Batch, form: str, scale: float) -> None:
    z, y = batch
    classes, dim = int(y.max()) + 2, z.shape[1]
    theirs = {
        "NormFace": lambda: losses.NormalizedSoftmaxLoss(classes, dim, temperature=1 / scale),
        "AM-softmax": lambda: losses.CosFaceLoss(classes, dim, margin=0.35, scale=scale),
        "ArcFace": lambda: losses.ArcFaceLoss(classes, dim, margin=28.6, scale=scale),
    }[form]()
    proxies = drawn_proxies(classes, dim)
    as_the_library(theirs, "W", MarginSoftmax(form=form, scale=scale), batch, proxies)


def test_its_floor_is_of_the_mean_over_equally_many_samples_of_each_class() -> None:
    scale, classes, generator = 5.0, 3, torch.Generator().manual_seed(0)
    loss = MarginSoftmax(form="NormFace", scale=scale)
    floor = math.log(1 + (classes - 1) * math.exp(-scale * classes / (classes - 1)))
    y = torch.arange(classes)
    corners = on_circle(0, 120, 240)
    assert float(loss.value(corners, y, proxies=corners)) == pytest.approx(floor, rel=1e-12), "it is reached"
    for _ in range(50):
        z, proxies = (normalise(torch.randn(classes, 3, dtype=torch.float64, generator=generator)) for _ in range(2))
        assert float(loss.value(z, y, proxies=proxies)) >= floor
    alone = loss.value(on_circle(0), y[:1], proxies=on_circle(0, 180, 180))
    assert float(alone) < floor / 10, "one sample alone, all other proxies opposite, is below it"
    assert float(MarginSoftmax(form="AM-softmax", scale=scale).value(corners, y, proxies=corners)) > floor
