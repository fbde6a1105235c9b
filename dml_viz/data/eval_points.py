"""The points that a run evaluates, chosen once for all runs on the same images."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dml_viz.data.datasets._base import Dataset, evaluation_sample, split
from dml_viz.data.images import FULL
from dml_viz.embedding.metrics import PairRanks, pixel_neighbours, pixel_ranks, raw_pixel_recall

GROUPS = ("seen", "unseen")
NEIGHBOURS = 8


@dataclass(frozen=True, eq=False)
class EvaluationSubset:
    """The constant part of a run's picture: W evaluated points, at most 500, each seen or unseen.

    ``y`` (W,) int64 indexes ``names`` and ``categories``; ``unseen`` (W,) bool; ``images`` (W, height, width) uint8;
    ``train_classes`` are the classes of the rows of a learnt tensor; ``baseline`` is R@1 of the raw pixels among the seen and
    among the unseen points, which an embedding should exceed, and ``near_pixels`` (W, 8) are the neighbours by raw pixels.
    ``sets`` (W,) is the icon set of each image, as an index into ``set_names``, where that is known.
    """

    y: NDArray[np.int64]
    unseen: NDArray[np.bool_]
    images: NDArray[np.uint8]
    names: tuple[str, ...]
    categories: tuple[int, ...]
    category_names: tuple[str, ...]
    train_classes: tuple[int, ...]
    baseline: dict[str, float]
    near_pixels: NDArray[np.uint16]
    sets: NDArray[np.int64] | None = None
    set_names: tuple[str, ...] = ()

    def members(self, group: str) -> NDArray[np.intp]:
        """The indices of the points of "seen" or "unseen"."""
        return np.flatnonzero(self.unseen == (group == "unseen"))


@lru_cache(maxsize=8)
def evaluation_subset(dataset: Dataset, protocol: str) -> EvaluationSubset:
    """Labels, images and raw-pixel baseline of the points that every run on ``dataset`` under ``protocol`` evaluates."""
    images = dataset.load()
    parts = split(images, protocol)
    rows, unseen = evaluation_sample(images, parts)
    members = {group: np.flatnonzero(unseen == (group == "unseen")) for group in GROUPS}
    near_pixels = np.zeros((len(rows), NEIGHBOURS), np.uint16)
    for places in members.values():
        near = pixel_neighbours(images.greys(rows[places]), NEIGHBOURS)
        near_pixels[places, : near.shape[1]] = places[near]
    baseline = {group: raw_pixel_recall(images.greys(rows[at]), images.y[rows[at]]) for group, at in members.items()}
    return EvaluationSubset(
        y=images.y[rows],
        unseen=unseen,
        images=np.round(images.greys(rows) * FULL).astype(np.uint8),
        names=images.names,
        categories=images.categories,
        category_names=images.category_names,
        train_classes=parts.train_classes,
        baseline=baseline,
        near_pixels=near_pixels,
        sets=None if images.sets is None else images.sets[rows],
        set_names=images.set_names,
    )


@lru_cache(maxsize=8)
def evaluation_images(dataset: Dataset, protocol: str, device: torch.device) -> Tensor:
    """The images (W, 1, side, side) float32 of the evaluated points, on the device."""
    images = dataset.load()
    rows, _ = evaluation_sample(images, split(images, protocol))
    return torch.from_numpy(images.greys(rows)).unsqueeze(1).to(device)


@lru_cache(maxsize=16)
def pixel_ranks_by_class(dataset: Dataset, protocol: str, group: str) -> tuple[PairRanks, ...]:
    """The `pixel_ranks` of the points of a group, "seen" or "unseen"; ends of pairs count within the group."""
    subset = evaluation_subset(dataset, protocol)
    members = subset.members(group)
    return pixel_ranks(subset.images[members].astype(np.float32), subset.y[members])
