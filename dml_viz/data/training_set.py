"""The images and labels that a run trains on, on its device."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets._base import Dataset, split
from dml_viz.data.images import FULL
from dml_viz.data.samplers._base import BLOCK, ClassTable, Sampler
from dml_viz.losses import Layout, common_layout


class BatchIndices(NamedTuple):
    """The indices of the images of 64 batches, int64 (batch size,) each, ``on_device`` and ``on_host``; ``labels`` on the host.

    ``layout`` is the layout that the labels of all batches share, None if they share none.
    """

    on_device: tuple[Tensor, ...]
    on_host: tuple[Tensor, ...]
    labels: tuple[Tensor, ...]
    layout: Layout | None


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Images x (n, 1, side, side), float32 or uint8, and labels y (n,) on the device, and the table that batches are drawn from.

    ``labels`` (n,) are the same labels on the host, where losses read them. They number the classes trained on from 0 to
    classes - 1, so that row c of a learnt tensor belongs to class y = c. With an ``augmentation``, x are the plain images, and
    every step augments its batch.
    """

    x: Tensor
    y: Tensor
    labels: Tensor
    table: ClassTable
    classes: int
    augmentation: Augmentation | None

    def batches(self, sampler: Sampler, seed: int, block: int) -> BatchIndices:
        """The batches of the ``block``-th 64 steps, counted from 0."""
        return _batches(self, sampler, seed, block)

    def images_at(self, images: Tensor) -> Tensor:
        """The images (B, 1, side, side) float32 in [0, 1] with indices ``images`` (B,)."""
        x = self.x.index_select(0, images)
        return x if x.dtype == torch.float32 else x.to(torch.float32).div_(FULL)

    @property
    def side(self) -> int:
        """Height and width of an image in pixels."""
        return int(self.x.shape[-1])


@lru_cache(maxsize=4)
def training_set(dataset: Dataset, protocol: str, device: torch.device, noise: float = 0.0) -> TrainingSet:
    """The images that a run of ``dataset`` under ``protocol`` trains on; ValueError for images that are not square.

    A share ``noise`` of the labels is wrong, the same labels in every run.
    """
    images = dataset.load()
    if images.x.shape[1] != images.x.shape[2]:
        raise ValueError(f"images are {images.x.shape[1]} x {images.x.shape[2]} pixels; give square ones")
    parts = split(images, protocol)
    y = torch.from_numpy(np.searchsorted(parts.train_classes, images.y[parts.train]))
    if noise:
        y = _with_wrong(y, len(parts.train_classes), noise)
    augmentation = dataset.augmentation
    source = images.x if augmentation is None or images.plain is None else images.plain
    x = torch.from_numpy(source[parts.train]).unsqueeze(1)
    categories = np.asarray(images.categories)[images.y] if images.sets is None else images.sets
    table = ClassTable.of(y, torch.from_numpy(categories[parts.train].astype(np.int64)))
    return TrainingSet(x.to(device), y.to(device), y, table, len(parts.train_classes), augmentation)


def _with_wrong(y: Tensor, classes: int, noise: float) -> Tensor:
    """Labels y (n,), a share ``noise`` of them changed to another class, all equally likely; each class keeps a right one."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    first = np.unique(y.numpy()[order], return_index=True)[1]
    rows = np.delete(order, first)[: round(noise * len(y))]
    wrong = y.clone()
    wrong[rows] = (y[rows] + torch.from_numpy(rng.integers(1, classes, len(rows)))) % classes
    return wrong


def clear_caches() -> None:
    """Clear the caches of training sets and batches."""
    training_set.cache_clear()
    _batches.cache_clear()


# A slice of a run seldom ends where a block does: the cache keeps the blocks of some thirty runs for their next slices.
@lru_cache(maxsize=64)
def _batches(data: TrainingSet, sampler: Sampler, seed: int, block: int) -> BatchIndices:
    images = sampler.batch_indices(data.table, seed, block * BLOCK, BLOCK)
    labels, device = data.labels[images], data.x.device
    return BatchIndices(images.to(device).unbind(), images.unbind(), labels.unbind(), common_layout(labels, device))
