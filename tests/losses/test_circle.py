"""The claims of Circle's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses
from torch import Tensor
from torch.nn.functional import softplus

from dml_viz.losses import Pairs
from dml_viz.losses.circle import Circle
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def of_one_anchor(loss: Circle, s_p: float, s_n: float) -> tuple[float, float, float]:
    """Value and the weights dL/ds_p and dL/ds_n of one anchor with a positive and a negative."""
    z = torch.ones(1, 1, dtype=torch.float64)
    pairs = Pairs(z, labels(0), z.repeat(2, 1), labels(0, 1)).at(z.new_tensor([[2 - 2 * s_p, 2 - 2 * s_n]]))
    value, weights = loss.value_and_weights(pairs)
    return float(value), float(weights[0, 0]), float(weights[0, 1])


@pytest.mark.parametrize(("s_n", "value"), [(0.25, 0.693), (0.0, 0.0067), (-0.2, 0.153), (-0.25, 0.693), (-0.6, 0.693)])
def test_the_value_rises_again_below_zero(s_n: float, value: float) -> None:
    assert of_one_anchor(Circle(margin=0.25, gamma=80.0), 0.75, s_n)[0] == pytest.approx(value, rel=5e-3)


def test_the_gradient_pushes_a_negative_down_to_minus_m_and_never_up() -> None:
    loss = Circle(margin=0.25, gamma=80.0)
    pushes = {s_n / 100: of_one_anchor(loss, 0.75, s_n / 100)[2] for s_n in range(-100, 101)}
    assert all(push > 0 for s_n, push in pushes.items() if s_n > -0.25)
    assert not any(push for s_n, push in pushes.items() if s_n < -0.25)


def test_pairs_of_equal_loss_lie_on_a_circle() -> None:
    loss = Circle(margin=0.4, gamma=80.0)
    around = [math.radians(degrees) for degrees in range(-30, 91, 10)]
    values = [of_one_anchor(loss, 1 - 0.5 * math.cos(angle), 0.5 * math.sin(angle))[0] for angle in around]
    assert values == pytest.approx([math.log(1 + math.exp(80 * (0.5**2 - 2 * 0.4**2)))] * len(around), rel=1e-9)


def test_alphas_are_held_constant_in_the_weights() -> None:
    loss, s_p, s_n = Circle(margin=0.25, gamma=2.0), 0.1, 0.6
    alpha_p, alpha_n = 1 + 0.25 - s_p, s_n + 0.25
    _, pull, push = of_one_anchor(loss, s_p, s_n)
    active = 1 / (1 + math.exp(-2 * (alpha_n * (s_n - 0.25) - alpha_p * (s_p - 0.75))))
    assert pull == pytest.approx(-active * 2 * alpha_p, rel=1e-12)
    assert push == pytest.approx(active * 2 * alpha_n, rel=1e-12)


@pytest.mark.parametrize("reduction", ["per anchor", "per batch"])
def test_without_positives_or_without_negatives_there_is_no_term(reduction: str) -> None:
    z, _ = drawn(6, 4, 1)
    for y in (torch.zeros(6, dtype=torch.int64), torch.arange(6)):
        found = Circle(reduction=reduction).gradients(z, y)
        assert float(found.value) == 0
        assert not found.z.any()


def test_the_mean_is_over_anchors_that_have_both_kinds() -> None:
    z, y = on_circle(0, 30, 100), labels(0, 0, 1)
    first, second = (
        of_one_anchor(Circle(), math.cos(math.radians(30)), math.cos(math.radians(degrees)))[0] for degrees in (100, 70)
    )
    assert float(Circle().value(z, y)) == pytest.approx((first + second) / 2, rel=1e-12)


def test_per_batch_every_pair_weighs_once_and_the_same_from_both_ends() -> None:
    z, y = drawn(12, 3, 3, seed=2)
    weights = Circle(reduction="per batch", gamma=4.0).weights(z, y).pair
    assert weights is not None
    torch.testing.assert_close(weights, weights.T)
    z, y = on_circle(0, 30, 100), labels(0, 0, 1)
    s = torch.cos(torch.deg2rad(torch.tensor([30.0, 100.0, 70.0], dtype=torch.float64)))
    # One positive pair and two negative ones.
    positive, negatives = -80 * (1.4 - s[0]) * (s[0] - 0.6), 80 * (s[1:] + 0.4) * (s[1:] - 0.4)
    wanted = softplus(positive + negatives.logsumexp(0))
    assert float(Circle(reduction="per batch").value(z, y)) == pytest.approx(float(wanted), rel=1e-10)


@pytest.mark.parametrize("reduction", ["per anchor", "per batch"])
def test_opposite_positives_at_the_largest_scale_do_not_overflow(reduction: str) -> None:
    z, y = on_circle(0, 180, 0, 90).float(), labels(0, 0, 1, 1)
    loss = Circle(gamma=1000.0, reduction=reduction)
    found = loss.gradients(z, y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()
    assert float(found.value) == pytest.approx(float(loss.by_hand(z.double(), y)), rel=1e-5)


SETTINGS = for_each(("margin", "gamma"), [(0.4, 80.0), (0.25, 256.0), (0.0, 1.0)])


@any_batch
@SETTINGS
def test_pytorch_metric_learning_agrees_per_anchor(batch: Batch, margin: float, gamma: float) -> None:
    agree(Circle(margin=margin, gamma=gamma), batch, losses.CircleLoss(m=margin, gamma=gamma))


@any_batch
@SETTINGS
def test_published_code_agrees_per_batch(batch: Batch, margin: float, gamma: float) -> None:
    def theirs(z: Tensor, y: Tensor) -> Tensor:
        # TinyZeaMays/CircleLoss: the upper triangle of the similarities, as two flat lists.
        similarity, same = z @ z.T, y[:, None] == y
        s_p, s_n = similarity[same.triu(1)], similarity[(~same).triu(1)]
        alpha_p, alpha_n = (1 + margin - s_p.detach()).clamp(min=0), (s_n.detach() + margin).clamp(min=0)
        logit_p, logit_n = -alpha_p * (s_p - 1 + margin) * gamma, alpha_n * (s_n - margin) * gamma
        return softplus(logit_n.logsumexp(0) + logit_p.logsumexp(0))

    agree(Circle(margin=margin, gamma=gamma, reduction="per batch"), batch, theirs)
