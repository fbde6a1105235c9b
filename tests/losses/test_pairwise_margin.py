"""The hinge of the pairwise margin loss, and the effect of squaring it."""

import math

import pytest
import torch
from pytorch_metric_learning import losses, reducers

from dml_viz.losses.pairwise_margin import PairwiseMargin
from tests.batches import Batch, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def degrees(chord: float) -> float:
    """The angle between two points at a distance."""
    return 2 * math.degrees(math.asin(chord / 2))


def test_the_loss_of_a_pair_is_its_distance_to_its_bound() -> None:
    loss = PairwiseMargin(alpha=1.2, margin=0.4)
    for distance, positive, cost in ((0.5, True, 0), (1, True, 0.2), (1, False, 0.2), (1.5, False, 0), (1.5, True, 0.7)):
        z = on_circle(0, degrees(distance))
        assert float(loss.value(z, labels(0, 0 if positive else 1))) == pytest.approx(cost, abs=1e-12)


def test_every_active_pair_moves_its_ends_equally_far() -> None:
    # In the plane, before the part off the circle is removed, all arrows have the length 1 over the number of pairs.
    for distance in (0.9, 1.3, 1.9):
        z = on_circle(0, degrees(distance))
        weights = PairwiseMargin().weights(z, labels(0, 0)).pair
        assert weights is not None
        arrow = (weights + weights.T)[0, 1] * (z[1] - z[0])
        assert float(arrow.norm()) == pytest.approx(1, rel=1e-12)


def test_alpha_is_another_angle_where_distances_are_squared() -> None:
    z, y = on_circle(0, 70), labels(0, 1)
    assert degrees(1.2) == pytest.approx(73.7, abs=0.05)
    assert degrees(1.2**0.5) == pytest.approx(66.4, abs=0.05)
    assert float(PairwiseMargin(alpha=1.2).value(z, y)) > 0
    assert float(1.2 - (z[0] - z[1]).square().sum()) < 0


@any_batch
@for_each(("alpha", "m"), [(1.2, 0.4), (0.8, 0.0), (1.6, 1.0)])
def test_the_hinges_are_those_of_pytorch_metric_learnings_contrastive_loss(batch: Batch, alpha: float, m: float) -> None:
    # Its sum takes both orders of every pair, as does N (N - 1).
    theirs = losses.ContrastiveLoss(pos_margin=alpha - m, neg_margin=alpha, reducer=reducers.SumReducer())
    pairs = len(batch[1]) * (len(batch[1]) - 1)
    agree(PairwiseMargin(alpha=alpha, margin=m), batch, lambda z, y: torch.as_tensor(theirs(z, y)) / pairs)
