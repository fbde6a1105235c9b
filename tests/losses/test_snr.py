"""The effects of a distance in units of the anchor's variance."""

from collections.abc import Callable

import pytest
import torch
from pytorch_metric_learning import distances, losses, reducers, regularizers
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.snr import SNR
from tests.batches import Batch, drawn, labels
from tests.losses.agreement import agree, any_batch
from tests.samples import for_each

FORMS = ("contrastive", "triplet", "lifted", "N-pair")


def many_lengths(batch: Batch) -> Batch:
    z, y = batch
    return z * torch.linspace(0.3, 2.5, len(z), dtype=z.dtype)[:, None], y


def theirs(form: str, margin: float, weight: float = 0.0) -> Callable[[Tensor, Tensor], Tensor]:
    """The library's loss of that form on raw rows."""
    common = {
        "distance": distances.SNRDistance(normalize_embeddings=False),
        "embedding_regularizer": regularizers.ZeroMeanRegularizer() if weight else None,
        "embedding_reg_weight": weight,
    }
    found: Callable[[Tensor, Tensor], Tensor] = {
        "contrastive": lambda: losses.ContrastiveLoss(pos_margin=0, neg_margin=margin, **common),
        "triplet": lambda: losses.TripletMarginLoss(margin=margin, reducer=reducers.AvgNonZeroReducer(), **common),
        "lifted": lambda: losses.LiftedStructureLoss(neg_margin=margin, pos_margin=0, **common),
        "N-pair": lambda: losses.NPairsLoss(**common),
    }[form]()
    return found


@any_batch
@for_each("form", FORMS)
def test_pytorch_metric_learning_agrees(batch: Batch, form: str) -> None:
    agree(SNR(form=form, margin=0.6, zero_mean=0.0), many_lengths(batch), theirs(form, 0.6))


@pytest.mark.parametrize("form", FORMS)
def test_pytorch_metric_learning_agrees_on_the_regulariser(form: str) -> None:
    agree(SNR(form=form, zero_mean=0.3), many_lengths(drawn(20, 6, 4)), theirs(form, 0.2, 0.3))


def test_their_default_normalises_and_gives_another_value() -> None:
    z, y = many_lengths(drawn(20, 6, 4))
    default = losses.ContrastiveLoss(pos_margin=0, neg_margin=0.2, distance=distances.SNRDistance())
    raw, unit = (float(SNR(zero_mean=0.0).value(x, y)) for x in (z, normalise(z)))
    assert float(default(z, y)) == pytest.approx(unit, rel=1e-6)
    assert raw != pytest.approx(unit, rel=0.05)


def test_a_pair_has_the_gradients_in_print() -> None:
    z, y = many_lengths((drawn(3, 5, 1)[0], labels(0, 0, 1)))
    h = z - z.mean(1, keepdim=True)
    wanted = torch.zeros_like(z)
    # The only terms of contrastive with a small margin are the positive pairs, one each way.
    for i, j in ((0, 1), (1, 0)):
        u, q = h[j] - h[i], h[i].square().sum()
        wanted[j] += 2 * u / q / 2
        wanted[i] -= (2 * u + 2 * u.square().sum() / q * h[i]) / q / 2
    found = SNR(margin=0.05, zero_mean=0.0).gradients(z, y)
    torch.testing.assert_close(found.z, wanted, rtol=0, atol=1e-14)


def test_without_its_regulariser_snr_ignores_a_number_added_to_all_coordinates() -> None:
    z, y = many_lengths(drawn(16, 6, 3))
    moved = z + torch.linspace(-3, 3, len(z), dtype=z.dtype)[:, None]
    for form in FORMS:
        here, there = (float(SNR(form=form, zero_mean=0.0).value(x, y)) for x in (z, moved))
        assert here == pytest.approx(there, rel=1e-10)
        here, there = (float(SNR(form=form).value(x, y)) for x in (z, moved))
        assert here < there


def test_on_unit_rows_of_mean_zero_snr_is_squared_distance() -> None:
    z = drawn(12, 6, 1)[0]
    z, y = normalise(z - z.mean(1, keepdim=True)), torch.arange(12) % 2
    d2 = torch.cdist(z, z).square()
    same = y[:, None] == y
    terms = (1.5 - d2).relu()[~same]
    wanted = d2[same & ~torch.eye(12, dtype=torch.bool)].mean() + terms.sum() / (terms > 0).sum()
    assert float(SNR(margin=1.5).value(z, y)) == pytest.approx(float(wanted), rel=1e-12)


def test_two_dimensions_are_one() -> None:
    z = torch.tensor([[1.0, 0.0], [3.0, 2.0], [0.0, 0.0], [-1.0, 0.0]], dtype=torch.float64)
    # Both have a difference of 1 between their coordinates, so that they are at distance 0.
    assert float(SNR(form="contrastive", zero_mean=0.0).value(z[:2], labels(0, 0))) == 0
    # The third row has no variance, and is no anchor: what is left is d_S = 4 and, with the margin at 2, 2 - 1 = 1.
    found = SNR(form="contrastive", margin=2.0, zero_mean=0.0).gradients(z[[0, 3, 2]], labels(0, 0, 1))
    assert float(found.value) == pytest.approx(4 + 1)
    assert torch.isfinite(found.z).all()


@for_each("dtype", [torch.float32, torch.float64], ids=str)
@for_each("form", FORMS)
@for_each("dim", [1, 2, 3, 8])
def test_rows_without_variance_are_no_anchors(dim: int, form: str, dtype: torch.dtype) -> None:
    flat = torch.linspace(-2, 2, 8, dtype=dtype)[:, None].repeat(1, dim)
    found = SNR(form=form).gradients(flat, torch.arange(8) % 2)
    assert float(found.value) == 0
    assert not found.z.any()
    nearly = flat + torch.finfo(dtype).eps * torch.randn(8, dim, dtype=dtype, generator=torch.Generator().manual_seed(1))
    assert not SNR(form=form).gradients(nearly, torch.arange(8) % 2).z.any()
    mixed = torch.cat((flat, drawn(8, dim, 1)[0].to(dtype)))
    found = SNR(form=form).gradients(mixed, torch.arange(16) % 4)
    assert torch.isfinite(found.value)
    assert torch.isfinite(found.z).all()


@pytest.mark.parametrize("form", ["triplet", "lifted", "N-pair"])
def test_without_positives_or_without_negatives_the_loss_is_zero_even_its_regulariser(form: str) -> None:
    z, _ = many_lengths(drawn(6, 4, 1))
    for y in (torch.zeros(6, dtype=torch.int64), torch.arange(6)):
        found = SNR(form=form, zero_mean=0.1).gradients(z, y)
        assert float(found.value) == 0
        assert not found.z.any()


@pytest.mark.parametrize("margin", [0.05, 1.0])
def test_triplets_of_large_and_unequal_classes_are_the_plain_ones(margin: float) -> None:
    z, _ = many_lengths(drawn(40, 4, 1, seed=8))
    y = torch.repeat_interleave(torch.arange(4), torch.tensor([25, 1, 8, 6]))
    loss = SNR(form="triplet", margin=margin)
    points = z.clone().requires_grad_()
    value = loss.of_rows(points, y)
    (wanted,) = torch.autograd.grad(value, points)
    found = loss.gradients(z, y)
    assert float(found.value) == pytest.approx(float(value.detach()), rel=1e-12)
    torch.testing.assert_close(found.z, wanted, rtol=0, atol=1e-12 * float(wanted.abs().max()))


@pytest.mark.parametrize("form", FORMS)
def test_the_regulariser_remains_where_no_pair_is_active(form: str) -> None:
    """Rows without loss move only by the regulariser on their common offset, as in pytorch-metric-learning; d_S ignores it."""
    one, other = torch.tensor([[1.0, -1, 0, 0], [0, 0, 1, -1]], dtype=torch.float64)
    z, y = torch.stack((one, one, other, other)) + 5, labels(0, 0, 1, 1)
    main = float(SNR(form=form, margin=0.2, zero_mean=0.0).value(z, y))
    found = SNR(form=form, margin=0.2, zero_mean=0.3).gradients(z, y)
    assert float(found.value) == pytest.approx(main + 0.3 * 20, rel=1e-12)
    assert found.z.sum(1).gt(0).all()
    if form != "N-pair":
        assert main == 0
        assert float(theirs(form, 0.2, 0.3)(z, y)) == pytest.approx(float(found.value), rel=1e-6)
