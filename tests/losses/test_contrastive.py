"""The differences between common forms of the contrastive loss."""

import math

import pytest
from pytorch_metric_learning import losses

from dml_viz.losses.contrastive import Contrastive
from tests.batches import Batch, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each

FORMS = ("halved squares", "squares", "distances")


def values(*degrees: float, y: tuple[int, ...]) -> list[float]:
    """The value in each form of points at these angles, with margin 1."""
    return [float(Contrastive(form=form).value(on_circle(*degrees), labels(*y))) for form in FORMS]


def test_three_points_have_the_loss_of_the_formulas() -> None:
    # Chords 1, 2 sin 7.5° and 2 sin 37.5°, the last beyond the margin.
    near = 2 * math.sin(math.radians(7.5))
    halved, whole, unsquared = values(0, 60, -15, y=(0, 0, 1))
    assert whole == pytest.approx((1 + (1 - near) ** 2) / 3, rel=1e-12)
    assert halved == pytest.approx(whole / 2, rel=1e-12)
    assert unsquared == pytest.approx(1 + (1 - near), rel=1e-12)


def test_a_mean_over_terms_above_zero_rises_when_an_easy_pair_drops_out() -> None:
    # Three negatives; the last moves across the margin, at 60°, away from both others.
    within, beyond = values(0, 29, -59, y=(0, 1, 2)), values(0, 29, -61, y=(0, 1, 2))
    assert beyond[0] < within[0]
    assert beyond[1] < within[1]
    assert beyond[2] > 1.9 * within[2]


def test_positives_pull_at_every_distance_and_negatives_push_up_to_the_margin() -> None:
    z, y = on_circle(0, 50, 180, 100), labels(0, 0, 0, 1)
    weights = Contrastive(margin=1.0).weights(z, y).pair
    assert weights is not None
    assert weights[0, 1] == weights[0, 2] == pytest.approx(-1 / 12)
    assert weights[1, 3] > 0
    assert weights[0, 3] == 0


@any_batch
@for_each("margin", [0.5, 1.0, 1.5])
def test_pytorch_metric_learning_agrees_in_its_form(batch: Batch, margin: float) -> None:
    agree(Contrastive(margin=margin, form="distances"), batch, losses.ContrastiveLoss(pos_margin=0, neg_margin=margin))
