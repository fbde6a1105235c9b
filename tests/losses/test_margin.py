"""The terms of the margin loss, and the gradients of its learnt boundaries."""

import math

import pytest
import torch
from pytorch_metric_learning import losses
from torch import Tensor

from dml_viz.losses.margin import Margin
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def test_pairs_and_triplets_count_the_same_terms_differently_often() -> None:
    # An anchor with a positive at chord 1 and three negatives at chord 1; everything else is inactive.
    sixty = (0, 60, -60, -60, -60)
    y = labels(0, 0, 1, 1, 1)
    near: dict[str, float] = {"beta": 0.9, "alpha": 0.2}
    # Hinges: positive 1 - 0.9 + 0.2, negatives 0.9 - 1 + 0.2; from the other positive the negatives are at chord 1.73.
    assert 2 * math.sin(math.radians(60)) > 0.9 + 0.2
    pairs = float(Margin(**near, over="pairs").value(on_circle(*sixty), y))
    assert pairs == pytest.approx((2 * 0.3 + 6 * 0.1) / 8, rel=1e-12)
    # In triplets a positive counts for its anchor's three negatives; a negative for the positives of its anchor: one for
    # the first point, two for each of the three others.
    triplets = float(Margin(**near, over="triplets").value(on_circle(*sixty), y))
    assert triplets == pytest.approx((6 * 0.3 + (3 + 6) * 0.1) / 15, rel=1e-12)


def test_without_active_terms_there_is_neither_loss_nor_gradient() -> None:
    z, y = on_circle(0, 1, 180, 181), labels(0, 0, 1, 1)
    loss = Margin(learn_beta=True)
    found = loss.gradients(z, y, beta=torch.full((2,), 1.2, dtype=z.dtype))
    assert float(found.value) == 0
    assert not found.z.any()
    assert not found.learnt["beta"].any()


@pytest.mark.parametrize("over", ["pairs", "triplets"])
def test_a_boundary_moves_by_its_classs_active_negatives_less_positives(over: str) -> None:
    z, y = drawn(20, 4, 3, seed=4)
    beta = torch.tensor([0.9, 1.2, 1.4, 1.0], dtype=z.dtype, requires_grad=True)
    loss = Margin(over=over, learn_beta=True)
    loss.value(z, y, beta=beta).backward()
    assert beta.grad is not None
    d, active = torch.cdist(z, z), torch.zeros(4, dtype=z.dtype)
    count = 0
    for a in range(20):
        positives = [p for p in range(20) if y[p] == y[a] and p != a]
        negatives = [n for n in range(20) if y[n] != y[a]]
        near, far = (1, 1) if over == "pairs" else (len(positives), len(negatives))
        pulls = far * sum(bool(d[a, p] > beta[y[a]] - 0.2) for p in positives)
        pushes = near * sum(bool(d[a, n] < beta[y[a]] + 0.2) for n in negatives)
        active[y[a]] += pushes - pulls
        count += pushes + pulls
    torch.testing.assert_close(beta.grad, active / count, rtol=1e-12, atol=1e-14)
    assert beta.grad[3] == 0


def test_a_pair_takes_the_boundary_of_its_anchors_class() -> None:
    z, y = on_circle(0, 60), labels(0, 1)
    loss = Margin(alpha=0.2, over="pairs", learn_beta=True)
    found = loss.gradients(z, y, beta=torch.tensor([1.1, 0.5], dtype=z.dtype))
    assert float(found.value) == pytest.approx(1.1 - 1 + 0.2, rel=1e-12)
    assert found.learnt["beta"].tolist() == [1, 0]


def test_learnt_boundaries_that_are_equal_give_the_fixed_loss() -> None:
    z, y = drawn(16, 5, 3)
    fixed, learnt = Margin(beta=1.1), Margin(beta=1.1, learn_beta=True)
    here, there = fixed.gradients(z, y), learnt.gradients(z, y, beta=torch.full((3,), 1.1, dtype=z.dtype))
    assert float(there.value) == pytest.approx(float(here.value), rel=1e-14)
    torch.testing.assert_close(there.z, here.z)


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32, torch.int64], ids=str)
def test_labels_may_have_any_integer_dtype(dtype: torch.dtype) -> None:
    z, y = drawn(16, 5, 3)
    loss, beta = Margin(learn_beta=True), torch.tensor([1.0, 1.1, 1.2], dtype=z.dtype)
    assert float(loss.value(z, y.to(dtype), beta=beta)) == float(loss.value(z, y, beta=beta))


@any_batch
@for_each(("beta", "alpha"), [(1.25, 0.25), (0.75, 0.5)])
def test_pytorch_metric_learning_agrees_over_triplets(batch: Batch, beta: float, alpha: float) -> None:
    # It keeps beta in float32, so these are numbers that float32 holds.
    agree(Margin(beta=beta, alpha=alpha, over="triplets"), batch, losses.MarginLoss(margin=alpha, beta=beta))


@any_batch
def test_pytorch_metric_learning_agrees_on_learnt_boundaries(batch: Batch) -> None:
    classes = int(batch[1].max()) + 1
    beta = torch.linspace(0.75, 1.5, classes, dtype=torch.float64)
    theirs = losses.MarginLoss(margin=0.25, learn_beta=True, num_classes=classes)
    theirs.beta = torch.nn.Parameter(beta.clone())
    ours = Margin(alpha=0.25, over="triplets", learn_beta=True)

    def value(z: Tensor, y: Tensor) -> Tensor:
        return theirs(z, y)

    agree(ours, batch, value, beta=beta)
    theirs.zero_grad()
    theirs(*batch).backward()
    found = ours.gradients(*batch, beta=beta).learnt["beta"]
    torch.testing.assert_close(found, theirs.beta.grad, rtol=0, atol=1e-6)
