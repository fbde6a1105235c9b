"""The ways of choosing triplets."""

import pytest
import torch
from pytorch_metric_learning import distances, losses, miners, reducers
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss, Pairs
from dml_viz.losses.triplet import Triplet
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each

# An anchor at 0, its positive at distance 1, negatives at 0.5, 1.1, 1.15 and 1.9; the positive's own triplets are easy.
DISTANCES = torch.tensor([[0, 1, 0.5, 1.1, 1.15, 1.9]], dtype=torch.float64)


def losses_of_anchor(**knobs: object) -> float:
    """The sum over one anchor's triplets, from a distance matrix in which no other anchor has a violation."""
    d = torch.full((6, 6), 5.0, dtype=torch.float64)
    d[0], d[1, 0] = DISTANCES[0], 1.0
    d.fill_diagonal_(0)
    y = labels(0, 0, 1, 2, 3, 4)
    pairs = Pairs(torch.empty(6, 1), y).at(d.square())
    value, _ = Triplet(squared=False, reduction="nonzero", **knobs).value_and_weights(pairs)  # type: ignore[arg-type]
    return float(value)


def test_all_takes_every_negative_nearer_than_the_margin() -> None:
    assert losses_of_anchor(mining="all", margin=0.2) == pytest.approx((0.7 + 0.1 + 0.05) / 3)


def test_semi_hard_takes_negatives_beyond_the_positive_and_within_the_margin() -> None:
    assert losses_of_anchor(mining="semi-hard", margin=0.2) == pytest.approx((0.1 + 0.05) / 2)


def test_batch_hard_takes_the_nearest_negative_alone() -> None:
    assert losses_of_anchor(mining="batch-hard", margin=0.2) == pytest.approx(0.7)


def test_the_first_of_equally_hard_points_gets_the_gradient() -> None:
    z = on_circle(0, 30, -30, 90, -90)
    found = Triplet(mining="batch-hard", margin=4.0).weights(z, labels(0, 0, 0, 1, 1)).pair
    assert found is not None
    assert found[0, 1] < 0
    assert found[0, 2] == 0
    assert found[0, 3] > 0
    assert found[0, 4] == 0


def test_the_loss_of_a_collapsed_batch_is_exactly_the_margin() -> None:
    z = on_circle(*[40] * 6)
    for squared in (True, False):
        found = Triplet(mining="batch-hard", squared=squared, margin=0.3).gradients(z, labels(0, 0, 0, 1, 1, 1))
        assert float(found.value) == pytest.approx(0.3)
        assert not found.z.any()


@pytest.mark.parametrize("mining", ["all", "semi-hard", "batch-hard"])
def test_without_positives_or_without_negatives_there_is_no_triplet(mining: str) -> None:
    z, _ = drawn(6, 4, 1)
    for y in (torch.zeros(6, dtype=torch.int64), torch.arange(6)):
        found = Triplet(mining=mining, margin=1.0).gradients(z, y)
        assert float(found.value) == 0
        assert not found.z.any()


def test_one_active_triplet_has_the_papers_arrows() -> None:
    z = on_circle(0, 60, 90)
    a, p, n = z
    # As the anchor, the positive has its own violation: d_pa = 1 against d_pn = 0.27. The anchor's, 1 against 2, is none.
    found = Triplet(mining="all", margin=0.1, reduction="nonzero").evaluate(Pairs(z, labels(0, 0, 1)), {}).z
    torch.testing.assert_close(found, torch.stack((2 * (a - p), 2 * (n - a), 2 * (p - n))))
    torch.testing.assert_close(found.sum(0), torch.zeros(2, dtype=z.dtype), rtol=0, atol=1e-15)


@pytest.mark.parametrize("mining", ["all", "semi-hard"])
def test_the_mean_over_many_positives_is_the_plain_one(mining: str) -> None:
    z, y = drawn(60, 4, 2, seed=8)
    pairs, loss = Pairs(z, y), Triplet(mining=mining)
    (value, weights), (plain, wanted) = loss.value_and_weights(pairs), Loss.value_and_weights(loss, pairs)
    assert float(value) == pytest.approx(float(plain), rel=1e-12)
    torch.testing.assert_close(weights, wanted, rtol=0, atol=1e-14)


@for_each("dtype", [torch.float32, torch.float64], ids=str)
@for_each("margin", [0.0, 1e-9, 0.5, 1.0])
@for_each("mining", ["all", "semi-hard"])
def test_equal_distances_are_counted_exactly(mining: str, margin: float, dtype: torch.dtype) -> None:
    z = torch.eye(4, dtype=dtype)[labels(0, 1, 2, 3, 0, 1, 2, 3, 0, 0)]
    pairs, loss = Pairs(z, labels(0, 1, 0, 1, 1, 0, 2, 2, 0, 2)), Triplet(mining=mining, margin=margin)
    (value, weights), (plain, wanted) = loss.value_and_weights(pairs), Loss.value_and_weights(loss, pairs)
    torch.testing.assert_close(value, plain)
    torch.testing.assert_close(weights, wanted)


@any_batch
@for_each("squared", [False, True], ids=["distances", "squared distances"])
@for_each("reduction", ["all", "nonzero"])
@for_each("mining", ["all", "semi-hard", "batch-hard"])
def test_pytorch_metric_learning_agrees(batch: Batch, mining: str, reduction: str, squared: bool) -> None:
    # PML's margin loss takes its triplets from a miner; its distance is squared by a power of 2.
    distance = distances.LpDistance(p=2, power=2 if squared else 1, normalize_embeddings=True)
    reducer = reducers.MeanReducer() if reduction == "all" else reducers.AvgNonZeroReducer()
    theirs = losses.TripletMarginLoss(margin=0.3, swap=False, distance=distance, reducer=reducer)
    miner = {
        "all": None,
        "semi-hard": miners.TripletMarginMiner(margin=0.3, type_of_triplets="semihard", distance=distance),
        "batch-hard": miners.BatchHardMiner(distance=distance),
    }[mining]

    def value(z: Tensor, y: Tensor) -> Tensor:
        return theirs(z, y, miner(z, y)) if miner else theirs(z, y)

    agree(Triplet(margin=0.3, mining=mining, squared=squared, reduction=reduction), batch, value)


def test_near_a_collapse_the_gradient_of_squared_distances_fades_and_that_of_plain_ones_does_not() -> None:
    y, noise = torch.arange(3).repeat_interleave(4), torch.Generator().manual_seed(1)
    middle, away = torch.tensor([1.0, 0, 0]).double(), torch.randn(12, 3, dtype=torch.float64, generator=noise)
    lengths = {
        squared: [
            float(Triplet(mining="batch-hard", squared=squared).gradient(normalise(middle + apart * away), y).norm())
            for apart in (1e-2, 1e-4)
        ]
        for squared in (True, False)
    }
    assert lengths[True][1] < lengths[True][0] / 50
    assert lengths[False][1] == pytest.approx(lengths[False][0], rel=0.1)
