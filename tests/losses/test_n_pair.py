"""The rows that N-pair uses, and the effect of their norms."""

import math

import pytest
import torch
from pytorch_metric_learning import distances, losses, regularizers

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.n_pair import NPair
from tests.batches import Batch, drawn, labels
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each


def many_lengths(batch: Batch) -> Batch:
    z, y = batch
    return z * torch.linspace(0.3, 2.5, len(z), dtype=z.dtype)[:, None], y


@any_batch
@for_each("normalised", [False, True], ids=["raw", "unit"])
def test_pytorch_metric_learning_agrees(batch: Batch, normalised: bool) -> None:
    theirs = losses.NPairsLoss(distance=distances.DotProductSimilarity(normalize_embeddings=normalised))
    agree(NPair(l2=0.0, normalise=normalised), batch if normalised else many_lengths(batch), theirs)


def test_pytorch_metric_learning_agrees_on_the_l2_term_where_every_row_is_used() -> None:
    # Its regulariser is a mean over the whole batch, this one over the rows of the pairs: the same for two rows per class.
    theirs = losses.NPairsLoss(
        distance=distances.DotProductSimilarity(normalize_embeddings=False),
        embedding_regularizer=regularizers.LpRegularizer(p=2, power=2),
        embedding_reg_weight=0.07,
    )
    batch = many_lengths((drawn(14, 6, 1)[0], torch.arange(14) % 7))
    agree(NPair(l2=0.07), batch, theirs)


def test_it_is_cross_entropy_with_the_right_class_on_the_diagonal() -> None:
    z, y = many_lengths((drawn(10, 4, 1)[0], torch.arange(10) % 5))
    table = z[:5] @ z[5:].T / 0.3
    wanted = torch.nn.functional.cross_entropy(table, torch.arange(5))
    assert float(NPair(l2=0.0, temperature=0.3).value(z, y)) == pytest.approx(float(wanted), rel=1e-12)
    slopes = (table.softmax(1) - torch.eye(5)) / (5 * 0.3)
    found = NPair(l2=0.1, temperature=0.3).weights(z, y)
    assert found.pair is not None
    assert found.rest is not None
    torch.testing.assert_close(found.pair[:5, 5:], slopes, rtol=0, atol=1e-14)
    assert not found.pair[:, :5].any()
    assert not found.pair[5:].any()
    torch.testing.assert_close(found.rest, 0.1 / 5 * z, rtol=0, atol=1e-15)


def test_one_per_class_leaves_the_third_row_of_a_class_and_a_class_of_one_out() -> None:
    z, y = many_lengths((drawn(8, 3, 1)[0], labels(0, 1, 0, 0, 1, 2, 1, 0)))
    found = NPair().gradients(z, y)
    assert found.z.any(1).tolist() == [True, True, True, False, True, False, False, False]
    alone = NPair().gradients(z[[0, 1, 2, 4]], y[[0, 1, 2, 4]])
    assert float(found.value) == pytest.approx(float(alone.value), rel=1e-14)


def test_two_by_two_is_the_mean_over_the_pairs_of_several_batches() -> None:
    z, y = many_lengths((drawn(11, 3, 1)[0], labels(0, 1, 0, 0, 1, 2, 1, 0, 2, 1, 0)))
    rounds = ([0, 1, 2, 4, 5, 8], [3, 6, 7, 9])
    values = [float(NPair().value(z[rows], y[rows])) for rows in rounds]
    whole = NPair(pairing="two by two").gradients(z, y)
    assert float(whole.value) == pytest.approx((3 * values[0] + 2 * values[1]) / 5, rel=1e-14)
    assert not whole.z[10].any()


def test_unit_rows_cannot_fall_below_a_bound_but_raw_rows_fall_for_ever() -> None:
    # The best place relative to all other classes is opposite to them, which is possible only for two classes.
    z, y = torch.tensor([[1.0, 0.0], [-1.0, 0.0]] * 2, dtype=torch.float64), labels(0, 1, 0, 1)
    least = math.log(1 + math.exp(-2))
    assert float(NPair(l2=0.0, normalise=True).value(z, y)) == pytest.approx(least, rel=1e-14)
    assert float(NPair(l2=0.0, normalise=True, temperature=0.05).value(z, y)) < 1e-15
    for classes in (3, 8):
        batch = drawn(2 * classes, 16, 1)[0], torch.arange(2 * classes) % classes
        assert float(NPair(l2=0.0, normalise=True).value(*batch)) > math.log(1 + (classes - 1) * math.exp(-2))
    longer = [float(NPair(l2=0.0).value(scale * z, y)) for scale in (1, 2, 4)]
    assert longer == sorted(longer, reverse=True)
    assert (NPair(l2=0.0).gradients(z, y).z * z).sum() < 0


def test_the_l2_term_is_a_constant_of_unit_rows() -> None:
    z, y = drawn(12, 5, 3)
    without, with_it = (NPair(l2=weight, normalise=True).gradients(z, y) for weight in (0.0, 0.1))
    assert float(with_it.value - without.value) == pytest.approx(0.1, rel=1e-12)
    torch.testing.assert_close(with_it.z, without.z, rtol=0, atol=1e-15)


@pytest.mark.parametrize("dim", [2, 3, 8])
def test_long_rows_at_a_low_temperature_do_not_overflow(dim: int) -> None:
    z, y = drawn(12, dim, 3)
    found = NPair(temperature=0.001).gradients(100 * normalise(z.float()), y)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


def test_near_raw_rows_keep_their_gradient_in_float32() -> None:
    z = torch.tensor([1.7, -0.9, 0.4]) + 1e-4 * torch.randn(8, 3, generator=torch.Generator().manual_seed(1))
    y = torch.arange(8) % 4
    for loss in (NPair(l2=0.0), NPair(l2=0.0, temperature=0.05, pairing="two by two")):
        near, exact = loss.gradients(z, y).z, loss.gradients(z.double(), y).z
        assert (near - exact).norm() <= 1e-6 * exact.norm()
