"""The claims of ISIF's page."""

import math

import pytest
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise
from dml_viz.losses.isif import ISIF
from dml_viz.losses.sup_con import SupCon
from tests.batches import Batch, drawn, labels, on_circle
from tests.losses.agreement import agree
from tests.samples import for_each


def two_views(images: int, dim: int, noise: float, seed: int) -> Batch:
    """The first views of all images and then the second ones."""
    generator = torch.Generator().manual_seed(seed)
    image = torch.randn(images, dim, dtype=torch.float64, generator=generator).repeat(2, 1)
    views = image + noise * torch.randn(image.shape, dtype=torch.float64, generator=generator)
    return normalise(views), torch.arange(images).repeat(2)


def official(z: Tensor, tau: float) -> Tensor:
    """The official code's loss: views in two halves, the right factor detached, the diagonal removed, the mean over all."""
    half = len(z) // 2
    other = torch.cat((z[half:], z[:half])).detach()
    of_other = ((z * other).sum(1) / tau).exp()
    of_all = (z @ z.T.detach() / tau).exp() * (1 - torch.eye(len(z), dtype=z.dtype))
    share = of_other / of_all.sum(1)
    of_none = (1 - of_all / of_all.sum(1, keepdim=True)).log().sum(1) - (1 - share).log()
    return -(share.log() + of_none).mean()


@for_each("tau", [0.1, 0.3])
@for_each(("images", "dim", "noise"), [(2, 3, 0.3), (6, 2, 0.5), (12, 8, 0.3), (20, 16, 1.0)])
def test_the_official_code_agrees_for_two_views_per_image(images: int, dim: int, noise: float, tau: float) -> None:
    batch = two_views(images, dim, noise, seed=images)
    agree(ISIF(tau=tau), batch, lambda z, y: official(z, tau))


def test_only_the_reading_view_moves() -> None:
    # A lone row reads nothing, so it does not move; to the others it is a negative.
    z, y = on_circle(0, 20, 45), labels(0, 0, 1)
    found = ISIF().gradients(z, y)
    assert not found.z[2].any()
    assert found.z[:2].abs().max() > 0.1
    assert float(found.value) > float(ISIF().value(z[:2], y[:2]))


def test_without_its_second_sum_isif_is_supcon_on_images() -> None:
    z, y = two_views(10, 6, 0.5, seed=1)
    share = (z @ z.T / 0.1).fill_diagonal_(-torch.inf).softmax(1)
    spread = -torch.log1p(-share)[y[:, None] != y].sum() / len(y)
    assert float(ISIF(tau=0.1).value(z, y) - spread) == pytest.approx(float(SupCon(tau=0.1).value(z, y)), rel=1e-12)


def test_an_image_behind_a_nearer_one_is_pulled() -> None:
    found = ISIF(tau=0.1).weights(on_circle(0, 90, 10, -30), labels(0, 0, 1, 2)).pair
    assert found is not None
    assert found[0, 2] > 0 > found[0, 3]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_an_image_with_the_whole_share_of_a_view_costs_the_lead_over_the_others(dtype: torch.dtype) -> None:
    z, y = normalise(on_circle(0, 90, 0, 180).to(dtype)), labels(0, 0, 1, 2)
    tau = 0.001
    found = ISIF(tau=tau).gradients(z, y)
    # The first view: its own is 1 behind the copy at its place, which in turn leaves that much to all others: 2 / tau. The
    # second: the three others are at 0, the copies alike, and none is taken for sure; its second sum is that of halves.
    first, second = 2 / tau, math.log(2) + math.log(2)
    assert float(found.value) == pytest.approx((first + second) / 2, rel=1e-3)
    assert torch.isfinite(found.z).all()
    assert torch.isfinite(ISIF(tau=0.0001).gradient(z, y)).all()


def test_a_view_without_other_images_has_no_loss() -> None:
    z, _ = drawn(2, 3, 1)
    found = ISIF().gradients(z, labels(0, 0))
    assert float(found.value) == 0
    assert not found.z.any()
