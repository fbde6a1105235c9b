"""The claims of Multi-Similarity's page."""

import math

import pytest
import torch
from pytorch_metric_learning import losses, miners
from torch import Tensor

from dml_viz.losses.multi_similarity import MultiSimilarity
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each

# The first of three anchors has a negative nearer than its positive; the second is in order; the third has no positive.
ONE_ANCHOR, ITS_LABELS = on_circle(0, 40, -30), labels(0, 0, 1)


def s(degrees: float) -> float:
    return math.cos(math.radians(degrees))


def pull(similarity: float, alpha: float = 2.0, base: float = 0.5) -> float:
    return math.log(1 + math.exp(-alpha * (similarity - base))) / alpha


def push(similarity: float, beta: float = 50.0, base: float = 0.5) -> float:
    return math.log(1 + math.exp(beta * (similarity - base))) / beta


def test_anchors_that_keep_pairs_are_summed_and_divided_by_all() -> None:
    value = MultiSimilarity().value(ONE_ANCHOR, ITS_LABELS)
    assert float(value) == pytest.approx((pull(s(40)) + push(s(30))) / 3, rel=1e-13)


def test_without_mining_an_anchor_without_positives_still_pushes() -> None:
    value = MultiSimilarity(mining=False).value(ONE_ANCHOR, ITS_LABELS)
    second = pull(s(40)) + push(s(70))
    third = math.log(1 + math.exp(50 * (s(30) - 0.5)) + math.exp(50 * (s(70) - 0.5))) / 50
    assert float(value) == pytest.approx((pull(s(40)) + push(s(30)) + second + third) / 3, rel=1e-13)


def test_mining_keeps_what_the_other_kind_reaches_within_epsilon() -> None:
    # Seen from the first point: positives at 20 and 50 degrees, negatives at 45, 54 and 60.
    z, y = on_circle(0, 20, -50, 45, -54, 60), labels(0, 0, 0, 1, 2, 3)
    weights = MultiSimilarity(epsilon=0.1, alpha=0.1, beta=0.1).weights(z, y).pair
    assert weights is not None
    # cos 20 = 0.94 is more than 0.1 above cos 45 = 0.71; cos 60 = 0.5 is more than 0.1 below cos 50 = 0.64.
    assert weights[0].sign().tolist() == [0, 0, -1, 1, 1, 0]


@for_each("epsilon", [0.0, 0.1, 0.5])
@for_each("dtype", [torch.float32, torch.float64], ids=str)
def test_an_anchor_keeps_pairs_of_both_kinds_or_none(dtype: torch.dtype, epsilon: float) -> None:
    z, y = drawn(60, 3, 6, seed=4)
    weights = MultiSimilarity(epsilon=epsilon, alpha=0.1, beta=0.1).weights(z.to(dtype), y).pair
    assert weights is not None
    pulled, pushed = (weights < 0).any(1), (weights > 0).any(1)
    assert torch.equal(pulled, pushed)
    assert pulled.any()


def test_a_class_of_two_points_at_one_place_is_a_pair_like_any_other() -> None:
    z, y = on_circle(10, 10, 30, 200), labels(0, 0, 1, 2)
    found = MultiSimilarity(epsilon=0.2).gradients(z, y)
    assert float(found.value) == pytest.approx(2 * (pull(1.0) + push(s(20))) / 4, rel=1e-13)
    assert found.z[:3].abs().min(1).values.gt(0).all()


def test_mining_with_epsilon_at_its_end_keeps_every_pair_of_anchors_that_have_both_kinds() -> None:
    z, y = drawn(20, 4, 3, seed=6)
    mined, all_pairs = MultiSimilarity(epsilon=4.0), MultiSimilarity(mining=False)
    torch.testing.assert_close(mined.gradient(z, y), all_pairs.gradient(z, y))


SETTINGS = for_each(("alpha", "beta", "base"), [(2.0, 50.0, 0.5), (0.5, 80.0, 0.0), (10.0, 1.0, 1.0)])


@any_batch
@SETTINGS
def test_pytorch_metric_learning_without_its_miner_agrees(batch: Batch, alpha: float, beta: float, base: float) -> None:
    theirs = losses.MultiSimilarityLoss(alpha=alpha, beta=beta, base=base)
    agree(MultiSimilarity(alpha=alpha, beta=beta, base=base, mining=False), batch, theirs)


@any_batch
@SETTINGS
@for_each("epsilon", [0.0, 0.1, 0.5])
def test_pytorch_metric_learning_with_its_miner_agrees(
    batch: Batch, epsilon: float, alpha: float, beta: float, base: float
) -> None:
    theirs = losses.MultiSimilarityLoss(alpha=alpha, beta=beta, base=base)
    miner = miners.MultiSimilarityMiner(epsilon=epsilon)

    def value(z: Tensor, y: Tensor) -> Tensor:
        return theirs(z, y, miner(z, y))

    agree(MultiSimilarity(alpha=alpha, beta=beta, base=base, epsilon=epsilon), batch, value)


def test_pytorch_metric_learning_counts_one_kept_pair_of_each_kind_as_nothing() -> None:
    mined = miners.MultiSimilarityMiner(epsilon=0.1)(ONE_ANCHOR, ITS_LABELS)
    assert [len(indices) for indices in mined] == [1, 1, 1, 1]
    assert float(losses.MultiSimilarityLoss()(ONE_ANCHOR.clone().requires_grad_(), ITS_LABELS, mined).detach()) == 0
    assert float(MultiSimilarity().value(ONE_ANCHOR, ITS_LABELS)) > 0
