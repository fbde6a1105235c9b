"""The claims of SigLIP's page."""

import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from dml_viz.embedding.sphere import tangent
from dml_viz.losses.siglip import SigLIP
from tests.batches import drawn, labels, on_circle


def learnt(scale: float = 10.0, bias: float = -10.0) -> dict[str, Tensor]:
    numbers = {"log_scale": math.log(scale), "bias": bias}
    return {name: torch.tensor(number, dtype=torch.float64) for name, number in numbers.items()}


def images_with_texts(x: Tensor, texts: Tensor, scale: Tensor, bias: Tensor) -> Tensor:
    """The paper's Algorithm 1, as big_vision and OpenCLIP have it: each image with its own text and all others."""
    signs = 2 * torch.eye(len(x), dtype=x.dtype) - 1
    return -logsigmoid(signs * (x @ texts.T * scale + bias)).sum() / len(x)


def test_two_views_of_images_have_the_papers_loss_and_the_negatives_within_each_view() -> None:
    (first, _), (second, _) = drawn(9, 6, 1, seed=1), drawn(9, 6, 1, seed=2)
    views = torch.cat((first, second)).requires_grad_()
    numbers = {name: number.requires_grad_() for name, number in learnt(7.0, -4.0).items()}
    scale, bias = numbers["log_scale"].exp(), numbers["bias"]
    x, texts = views[:9], views[9:]
    across = images_with_texts(x, texts, scale, bias)
    apart = ~torch.eye(9, dtype=torch.bool)
    within = -sum(logsigmoid(-(view @ view.T * scale + bias))[apart].sum() for view in (x, texts)) / 18
    slopes = torch.autograd.grad(across + within, [views, *numbers.values()])
    found = SigLIP().gradients(views.detach(), torch.arange(9).repeat(2), **{k: n.detach() for k, n in numbers.items()})
    assert float(found.value) == pytest.approx(float((across + within).detach()), rel=1e-12)
    torch.testing.assert_close(found.z, tangent(slopes[0], views.detach()), rtol=0, atol=1e-12)
    torch.testing.assert_close(tuple(found.learnt[name] for name in numbers), slopes[1:], rtol=1e-11, atol=1e-12)


def test_a_pairs_weight_depends_on_its_own_similarity_alone() -> None:
    y = labels(0, 0, 1, 1)
    near, far = (SigLIP(learn=False).weights(on_circle(0, 30, turn, turn + 10), y).pair for turn in (60, 170))
    assert near is not None
    assert far is not None
    assert float(near[0, 1]) == pytest.approx(float(far[0, 1]), rel=1e-12)
    assert float(near[0, 2]) != pytest.approx(float(far[0, 2]), rel=0.1)


def test_at_the_papers_bias_every_pair_starts_as_a_likely_negative() -> None:
    z, y = drawn(40, 16, 5)
    weights = {bias: SigLIP(bias=bias).weights(z, y, **learnt(bias=bias)).pair for bias in (-10.0, 0.0)}
    negative, positive = y[:, None] != y, (y[:, None] == y).fill_diagonal_(False)
    pull, push = (abs(float(weights[-10.0][which].sum())) for which in (positive, negative))  # type: ignore[index]
    assert push < 0.1 * pull
    pull, push = (abs(float(weights[0.0][which].sum())) for which in (positive, negative))  # type: ignore[index]
    assert push > 3 * pull


def test_fixed_numbers_give_the_loss_and_the_gradient_of_learnt_ones() -> None:
    z, y = drawn(16, 5, 3)
    fixed, moving = SigLIP(scale=7.0, bias=-3.0, learn=False).gradients(z, y), SigLIP().gradients(z, y, **learnt(7.0, -3.0))
    assert float(fixed.value) == pytest.approx(float(moving.value), rel=1e-14)
    torch.testing.assert_close(fixed.z, moving.z)
    assert not fixed.learnt


def test_a_large_scale_is_exact_where_softplus_is_not() -> None:
    z, y = on_circle(0, 5, 180), labels(0, 0, 1)
    value = float(SigLIP(scale=60.0, bias=-30.0, learn=False).value(z, y))
    logits = [60 * math.cos(math.radians(angle)) - 30 for angle in (5, 180, 175)]
    by_hand = 2 / 3 * (math.log1p(math.exp(-logits[0])) + sum(math.log1p(math.exp(logit)) for logit in logits[1:]))
    assert value == pytest.approx(by_hand, rel=1e-9)
