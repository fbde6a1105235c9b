"""What a run trains on, ready on its device."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets._base import FULL, Dataset, split
from dml_viz.data.samplers._base import BLOCK, ClassTable, Sampler
from dml_viz.losses import Layout, common_layout


class Batches(NamedTuple):
    """The images of 64 batches, int64 (batch size,) each, on the device and on the host, and their labels on the host.

    ``layout`` is that of the labels of all of them, None where they are not of one structure.
    """

    images: tuple[Tensor, ...]
    on_host: tuple[Tensor, ...]
    labels: tuple[Tensor, ...]
    layout: Layout | None


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Images x (n, 1, side, side), float32 or uint8, and labels y (n,) on the device, and the table that batches are drawn from.

    The ``labels`` (n,) are the same on the host, where losses read them.

    Labels count the classes trained on, 0 to classes - 1, so that row c of a learnt tensor is the class y = c. Where there is
    an ``augmentation``, x are plain and a batch gets it anew at every step.
    """

    x: Tensor
    y: Tensor
    labels: Tensor
    table: ClassTable
    classes: int
    augmentation: Augmentation | None

    def batches(self, sampler: Sampler, seed: int, block: int) -> Batches:
        """The batches of the ``block``-th 64 steps."""
        return _batches(self, sampler, seed, block)

    def take(self, images: Tensor) -> Tensor:
        """The ``images`` (B,) of the set as a net takes them, (B, 1, side, side) float32 in [0, 1]."""
        x = self.x.index_select(0, images)
        return x if x.dtype == torch.float32 else x.to(torch.float32).div_(FULL)

    @property
    def side(self) -> int:
        """Height and width of an image in pixels."""
        return int(self.x.shape[-1])


@lru_cache(maxsize=4)
def training_set(dataset: Dataset, protocol: str, device: torch.device, noise: float = 0.0) -> TrainingSet:
    """The images that a run of ``dataset`` under ``protocol`` trains on; ValueError for images that are not square.

    A share ``noise`` of the labels is wrong, always the same ones.
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
    """Labels y (n,), a share ``noise`` of them moved to another class, each class as likely; every class keeps one of its own."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(y))
    first = np.unique(y.numpy()[order], return_index=True)[1]
    chosen = np.delete(order, first)[: round(noise * len(y))]
    wrong = y.clone()
    wrong[chosen] = (y[chosen] + torch.from_numpy(rng.integers(1, classes, len(chosen)))) % classes
    return wrong


def forget() -> None:
    """Let go of all training sets and batches; what is wanted again is made again."""
    training_set.cache_clear()
    _batches.cache_clear()


# A slice seldom ends where a block does; the next one, of this run or of one of thirty others, finds its block again.
@lru_cache(maxsize=64)
def _batches(data: TrainingSet, sampler: Sampler, seed: int, block: int) -> Batches:
    images = sampler.batch_indices(data.table, seed, block * BLOCK, BLOCK)
    labels, device = data.labels[images], data.x.device
    return Batches(images.to(device).unbind(), images.unbind(), labels.unbind(), common_layout(labels, device))
