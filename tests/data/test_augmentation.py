import math

import pytest
import torch

from dml_viz.data.augmentation import Augmentation
from tests.corners import corners
from tests.samples import for_each

IMAGES = torch.rand(6, 1, 8, 8, generator=torch.Generator().manual_seed(0))
DOT = torch.zeros(200, 1, 21, 21).index_fill_(2, torch.tensor([10]), 0)
DOT[:, :, 10, 16] = 1
NONE = Augmentation(turn=0, zoom=0, shift=0, noise=0)


def places(augmentation: Augmentation) -> torch.Tensor:
    """The places (200, 2) of the dot in views, in pixels right and down of the middle; it is six pixels right of it."""
    seen = augmentation.view(DOT, 0, 0)[:, 0]
    along = torch.arange(21.0) - 10
    mass = seen.sum((1, 2))
    return torch.stack(((seen.sum(1) * along).sum(1) / mass, (seen.sum(2) * along).sum(1) / mass), 1)


def test_views_depend_on_seed_and_step_and_on_nothing_else() -> None:
    before = torch.get_rng_state()
    view = Augmentation().view(IMAGES, 3, 70)
    assert torch.equal(view, Augmentation().view(IMAGES, 3, 70))
    assert not torch.equal(view, Augmentation().view(IMAGES, 3, 71))
    assert not torch.equal(view, Augmentation().view(IMAGES, 4, 70))
    assert torch.equal(torch.get_rng_state(), before)


def test_every_image_has_its_own_random_numbers() -> None:
    one, other = Augmentation().view(IMAGES[:1].repeat(2, 1, 1, 1), 0, 0)
    assert not torch.equal(one, other)


def test_without_any_change_a_view_is_the_image() -> None:
    torch.testing.assert_close(NONE.view(IMAGES, 0, 0), IMAGES, rtol=0, atol=1e-5)


@for_each("corner", list(corners(Augmentation)), ids=str)
def test_every_corner_gives_grey_images_and_leaves_the_given_ones_alone(corner: dict[str, float]) -> None:
    given = IMAGES.clone()
    view = Augmentation(**corner).view(given, 0, 0)
    assert view.shape == IMAGES.shape
    assert view.dtype == torch.float32
    assert 0 <= view.min() <= view.max() <= 1
    assert torch.equal(given, IMAGES)


def test_a_turn_keeps_the_distance_from_the_middle_and_stays_within_its_limit() -> None:
    at = places(Augmentation(turn=30, zoom=0, shift=0, noise=0))
    assert torch.allclose(at.norm(dim=1), torch.tensor(6.0), atol=0.2)
    angles = torch.atan2(at[:, 1], at[:, 0])
    assert math.radians(25) < angles.max() < math.radians(31)
    assert math.radians(25) < -angles.min() < math.radians(31)


def test_scaling_moves_points_off_the_middle_proportionally() -> None:
    away = places(Augmentation(turn=0, zoom=0.25, shift=0, noise=0))[:, 0]
    assert 7.2 < away.max() < 7.6
    assert 4.4 < away.min() < 4.8


def test_a_shift_is_a_share_of_the_side() -> None:
    moved = places(Augmentation(turn=0, zoom=0, shift=0.1, noise=0)) - torch.tensor([6.0, 0.0])
    assert 1.9 < moved.abs().max() < 2.2  # pixels of 21
    assert (moved.min(0).values < -1.5).all()


def test_noise_has_its_standard_deviation() -> None:
    grey = torch.full((50, 1, 20, 20), 0.5)
    noise = Augmentation(turn=0, zoom=0, shift=0, noise=0.1).view(grey, 0, 0) - 0.5
    assert float(noise.std()) == pytest.approx(0.1, rel=0.05)
