"""The data sets, their promises, and the purpose of glyphs."""

import dataclasses
import hashlib

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from dml_viz.data.datasets import DATASETS
from dml_viz.data.datasets._base import EVALUATED_PER_GROUP, PROTOCOLS, Dataset, balanced, evaluation_sample, split
from dml_viz.data.datasets.digits import Digits
from dml_viz.data.datasets.glyphs import Glyphs
from dml_viz.data.datasets.glyphs.drawing import SIDE, ink, moved_pixel_grid
from dml_viz.data.datasets.glyphs.shape import CATEGORIES
from dml_viz.data.images import LabelledImages
from dml_viz.data.samplers._base import ClassTable
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.embedding.metrics import raw_pixel_recall, retrieval
from dml_viz.training.nets.conv import Conv
from tests.corners import corners
from tests.samples import for_each

# Of 8 images a class as bytes, drawn by numpy 2.4; numpy 2.0 and a processor without vector units draw the same.
DIGEST = "e914826bc76a43106fdcc9155eba0f872b881ac7e8f4f2262c3162d0da1990a4"

OURS = {name: leaf for name, leaf in DATASETS.items() if not leaf.private}
every_dataset = pytest.mark.parametrize("dataset", [leaf() for leaf in OURS.values()], ids=list(OURS))
each_dataset = for_each("dataset", [leaf() for leaf in OURS.values()], ids=list(OURS))
every_protocol = for_each("protocol", PROTOCOLS)


def toy(labels: list[int], categories: tuple[int, ...]) -> LabelledImages:
    """Images of one pixel."""
    y = np.array(labels, np.int64)
    names = tuple(f"class {c}" for c in range(len(categories)))
    return LabelledImages(np.zeros((len(y), 1, 1), np.float32), y, names, categories, tuple(map(str, range(max(categories) + 1))))


@every_dataset
def test_images_are_grey_named_and_shared_read_only(dataset: Dataset) -> None:
    images = dataset.load()
    assert images.x.dtype == np.float32
    assert images.x.min() == 0
    assert images.x.max() == 1
    assert set(images.y.tolist()) == set(range(len(images.names)))
    assert len(set(images.names)) == len(images.names)
    assert set(images.categories) == set(range(len(images.category_names)))
    with pytest.raises(ValueError, match="read-only"):
        images.x[0, 0, 0] = 1


@every_dataset
def test_equal_declarations_share_their_images(dataset: Dataset) -> None:
    assert dataclasses.replace(dataset).load() is dataset.load()


@every_dataset
def test_every_corner_of_the_sliders_is_a_data_set(dataset: Dataset) -> None:
    for corner in corners(type(dataset)):
        type(dataset)(**corner)


@every_protocol
@each_dataset
def test_training_uses_no_image_that_is_scored_as_unseen(dataset: Dataset, protocol: str) -> None:
    images = dataset.load()
    parts = split(images, protocol)
    assert not set(parts.train) & set(parts.unseen)
    assert set(parts.train) | set(parts.unseen) == set(range(len(images.y)))
    assert tuple(np.unique(images.y[parts.train])) == parts.train_classes


@every_dataset
def test_unseen_classes_are_other_classes(dataset: Dataset) -> None:
    images = dataset.load()
    parts = split(images, "unseen classes")
    held_out = set(images.y[parts.unseen])
    assert not held_out & set(parts.train_classes)
    assert len(held_out) + len(parts.train_classes) == len(images.names)
    assert held_out == set(images.unseen) if images.unseen else len(held_out) == len(parts.train_classes)


def test_all_classes_holds_out_three_tenths_of_each() -> None:
    images = Glyphs(per_class=20).load()
    parts = split(images, "all classes")
    assert parts.train_classes == tuple(range(24))
    assert (np.bincount(images.y[parts.unseen]) == 6).all()
    assert (split(images, "all classes").unseen == parts.unseen).all()


def test_each_category_of_glyphs_is_in_both_parts_of_the_split() -> None:
    images = Glyphs(per_class=2).load()
    trained = split(images, "unseen classes").train_classes
    assert np.bincount([images.categories[c] for c in trained]).tolist() == [2] * 6


def test_digits_train_on_the_odd_and_retrieve_the_even() -> None:
    assert split(Digits().load(), "unseen classes").train_classes == (1, 3, 5, 7, 9)


def test_categories_of_one_class_still_give_two_parts_of_a_split() -> None:
    parts = split(toy([0, 0, 1, 1, 2, 2, 3, 3], (0, 1, 2, 3)), "unseen classes")
    assert parts.train_classes == (1, 3)


def test_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="protocol 'zero shot' is not known; choose one of unseen classes, all classes"):
        split(Digits().load(), "zero shot")


@every_protocol
@each_dataset
def test_evaluated_points_are_balanced_within_their_group(dataset: Dataset, protocol: str) -> None:
    images = dataset.load()
    parts = split(images, protocol)
    indices, unseen = evaluation_sample(images, parts)
    assert len(set(indices)) == len(indices) == 2 * EVALUATED_PER_GROUP
    for group, chosen in ((parts.train, indices[~unseen]), (parts.unseen, indices[unseen])):
        assert set(chosen) <= set(group)
        assert (np.diff(images.y[chosen]) >= 0).all()
        counts = np.bincount(images.y[chosen])
        assert np.ptp(counts[counts > 0]) <= 1
    again, _ = evaluation_sample(images, parts)
    assert (again == indices).all()


def test_a_small_class_leaves_its_places_to_the_others() -> None:
    images = toy([0] * 50 + [2] * 3 + [1] * 50 + [3] * 50, (0, 0, 0, 0))
    parts = split(images, "unseen classes")
    assert np.bincount(images.y[balanced(parts.unseen, images.y, 20)]).tolist() == [17, 0, 3]
    assert np.bincount(images.y[balanced(parts.train, images.y, 20)]).tolist() == [0, 10, 0, 10]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"x": np.zeros((3, 2, 2))}, "x is float64 of shape"),
        ({"y": np.zeros(2, np.int64)}, r"y is int64 of shape \(2,\)"),
        ({"y": np.array([0, 1, 2])}, "labels run from 0 to 2; classes are 0 to 1"),
        ({"names": ("a",)}, "1 class names for 2 categories"),
        ({"categories": (0, 4)}, "go beyond the 1 category names"),
    ],
)
def test_images_that_disagree_are_refused(change: dict[str, object], complaint: str) -> None:
    good = {
        "x": np.zeros((3, 2, 2), np.float32),
        "y": np.array([0, 1, 1]),
        "names": ("a", "b"),
        "categories": (0, 0),
        "category_names": ("all",),
    }
    with pytest.raises(ValueError, match=complaint):
        LabelledImages(**{**good, **change})  # type: ignore[arg-type]


def test_glyphs_are_24_shapes_in_6_categories_of_28_by_28() -> None:
    images = Glyphs().load()
    assert images.x.shape == (2400, SIDE, SIDE)
    assert np.bincount(images.categories).tolist() == [4] * 6


def test_a_seed_draws_the_same_pixels_on_every_machine() -> None:
    greys = np.rint(Glyphs(per_class=8).load().x * 255).astype(np.uint8)
    assert hashlib.sha256(greys.tobytes()).hexdigest() == DIGEST


def test_more_images_of_a_class_keep_the_first_and_smaller_ones_are_their_means() -> None:
    few, many = (Glyphs(per_class=n).load().x.reshape(24, n, SIDE, SIDE) for n in (3, 7))
    assert (many[:, :3] == few).all()
    small = Glyphs(per_class=3, side=7).load().x.reshape(24, 3, 7, 7)
    assert np.abs(small[5, 2, 3, 4] - few[5, 2, 12:16, 16:20].mean()) <= 0.5 / 255


def test_another_seed_draws_other_images() -> None:
    assert (Glyphs(per_class=2).load().x != Glyphs(per_class=2, seed=1).load().x).any(axis=(1, 2)).all()


def test_clean_glyphs_of_a_shape_are_all_alike() -> None:
    images = Glyphs(difficulty=0, per_class=3).load().x.reshape(24, 3, -1)
    assert (images == images[:, :1]).all()


def test_no_shape_is_another_one_turned() -> None:
    angles = np.arange(0, 360, 5, dtype=np.float32)[:, None]
    x, y = moved_pixel_grid(angles, np.zeros_like(angles), np.zeros_like(angles))
    unit, pen = np.full_like(angles, 9), np.full_like(angles, 2)
    shapes = [shape for category in CATEGORIES.values() for shape in category]
    drawn = np.stack([ink(x / unit, y / unit, shape.segments, unit, pen) for shape in shapes])  # (24, angles, 784)
    drawn /= np.linalg.norm(drawn, axis=2, keepdims=True)
    alike = np.einsum("ip,jap->ija", drawn[:, 0], drawn).max(2)
    np.fill_diagonal(alike, 0)
    first, second = np.unravel_index(alike.argmax(), alike.shape)
    assert alike.max() < 0.95, f"{shapes[first].name} and {shapes[second].name}"


def test_pixels_retrieve_clean_glyphs_and_miss_noisy_ones() -> None:
    for difficulty, low, high in ((0.0, 1, 1), (0.5, 0.2, 0.4), (1.0, 0, 0.2)):
        images = Glyphs(difficulty=difficulty).load()
        indices, unseen = evaluation_sample(images, split(images, "unseen classes"))
        for group in (indices[~unseen], indices[unseen]):
            assert low <= raw_pixel_recall(images.x[group], images.y[group]) <= high


def test_an_embedding_trained_on_some_shapes_finds_others_where_pixels_fail() -> None:
    images = Glyphs().load()
    parts = split(images, "unseen classes")
    indices, unseen = evaluation_sample(images, parts)
    x = torch.tensor(images.x[parts.train]).unsqueeze(1)
    y = torch.from_numpy(np.searchsorted(parts.train_classes, images.y[parts.train]))
    generator = torch.Generator().manual_seed(0)
    net = Conv().build(SIDE, 64, generator)
    centres = torch.randn(len(parts.train_classes), 64, generator=generator).requires_grad_()
    adam = torch.optim.Adam([{"params": net.parameters()}, {"params": [centres], "lr": 0.03}], lr=0.003)
    for batch in PByK().batch_indices(ClassTable.of(y), 0, 0, 100):
        adam.zero_grad()
        cross_entropy(10 * net(x[batch]) @ normalize(centres).T, y[batch]).backward()
        adam.step()
    held_out = indices[unseen]
    with torch.no_grad():
        z = net(torch.tensor(images.x[held_out]).unsqueeze(1))
    learnt = retrieval(z, images.y[held_out]).recall[1]
    assert learnt > raw_pixel_recall(images.x[held_out], images.y[held_out]) + 0.2
