"""What the ways of choosing triplets mean."""

from __future__ import annotations

import pytest
import torch

from dml_viz.losses.triplet import Triplet
from tests.batches import drawn, labels, on_circle

# An anchor at 0, its positive at distance 1, negatives at 0.5, 1.1, 1.15 and 1.9; the positive's own triplets are easy.
DISTANCES = torch.tensor([[0, 1, 0.5, 1.1, 1.15, 1.9]], dtype=torch.float64)


def losses_of_anchor(**knobs: object) -> float:
    """The sum over one anchor's triplets, read off a distance matrix in which no other anchor has a violation."""
    d = torch.full((6, 6), 5.0, dtype=torch.float64)
    d[0], d[1, 0] = DISTANCES[0], 1.0
    d.fill_diagonal_(0)
    y = labels(0, 0, 1, 2, 3, 4)
    value, _ = Triplet(squared=False, reduction="nonzero", **knobs).slopes(d.square(), y)  # type: ignore[arg-type]
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


def test_collapse_costs_exactly_the_margin() -> None:
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
    found = Triplet(mining="all", margin=0.1, reduction="nonzero").evaluate(z, labels(0, 0, 1), {}).z
    torch.testing.assert_close(found, torch.stack((2 * (a - p), 2 * (n - a), 2 * (p - n))))
    torch.testing.assert_close(found.sum(0), torch.zeros(2, dtype=z.dtype), rtol=0, atol=1e-15)


@pytest.mark.parametrize("mining", ["all", "semi-hard"])
def test_the_mean_over_many_positives_is_the_plain_one(mining: str) -> None:
    z, y = drawn(60, 4, 2, seed=8)
    d2 = (2 - 2 * z @ z.T).clamp(0, 4).fill_diagonal_(0)
    loss = Triplet(mining=mining)
    value, slopes = loss.slopes(d2, y)
    d2.requires_grad_()
    plain = loss.of_pairs(d2, y)
    (wanted,) = torch.autograd.grad(plain, d2)
    assert float(value) == pytest.approx(float(plain.detach()), rel=1e-12)
    torch.testing.assert_close(slopes, wanted, rtol=0, atol=1e-14)
