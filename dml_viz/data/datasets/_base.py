"""The base class of data sets, their split into seen and unseen, and the points that a run evaluates."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.images import Indices, LabelledImages
from dml_viz.params import Declared

UNSEEN_CLASSES = "unseen classes"
PROTOCOLS = (UNSEEN_CLASSES, "all classes")
HELD_OUT_SHARE = 0.3
EVALUATED_PER_GROUP = 250
EVALUATED_PER_CLASS = 5  # at least, if the class has so many


@dataclass(frozen=True)
class Dataset(Declared, ABC):
    """A declared data set: equal declarations load equal images, in every process."""

    title: ClassVar[str]
    sentence: ClassVar[str]
    credits: ClassVar[tuple[str, ...]] = ()
    """The authors of the pictures, each with the licence."""
    private: ClassVar[bool] = False
    """Whether the images are a visitor's own: used by one session alone, never stored, and deleted with it."""

    @abstractmethod
    def load(self) -> LabelledImages:
        """The images, drawn or read once per process and declaration."""

    @property
    def augmentation(self) -> Augmentation | None:
        """The changes that training makes to the plain images anew at every step; None for images as they are."""
        return None


@dataclass(frozen=True, eq=False)
class Split:
    """The indices (int64, ascending) of the images trained on, of classes ``train_classes``, and of the unseen ones.

    Both are evaluated, each within itself; none is for validation.
    """

    train: Indices
    unseen: Indices
    train_classes: tuple[int, ...]


def split(images: LabelledImages, protocol: str) -> Split:
    """The images trained on and the unseen ones.

    "unseen classes", the protocol of the field: training has all images of some classes; the other classes are only retrieved.
    These are ``images.unseen`` or else every second class, counted from the last, category by category, so that a category of
    several classes has seen and unseen ones. "all classes": 30 % of each class's images, always the same, are unseen.
    Raises ValueError for another protocol.
    """
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r} is not known; choose one of {', '.join(PROTOCOLS)}")
    present = np.unique(images.y)
    if protocol == UNSEEN_CLASSES:
        by_category = present[np.argsort(np.asarray(images.categories)[present], kind="stable")]
        # From the last, so that the odd digits are trained on: they generalise to the even ones far better than the reverse.
        trained = np.setdiff1d(present, images.unseen) if images.unseen else np.sort(by_category[::-2])
        held_out = ~np.isin(images.y, trained)
    else:
        trained = present
        rank, size = _random_rank(images.y), np.bincount(images.y)[images.y]
        held_out = rank < np.floor(HELD_OUT_SHARE * size)
    return Split(np.flatnonzero(~held_out), np.flatnonzero(held_out), tuple(map(int, trained)))


def evaluation_sample(images: LabelledImages, split: Split) -> tuple[Indices, NDArray[np.bool_]]:
    """The fixed points that a run evaluates: indices (W,) and whether each is unseen (W,), those trained on first, then by class.

    Each group has at most `EVALUATED_PER_GROUP` points, equally many of each class (to within one) as far as the class has them.
    Where there are too many classes for five points of each, the last classes have none, because fewer would have too few
    neighbours.
    """
    groups = [balanced(group, images.y, EVALUATED_PER_GROUP) for group in (split.train, split.unseen)]
    return np.concatenate(groups), np.repeat([False, True], [len(group) for group in groups])


def balanced(group: Indices, y: Indices, count: int) -> Indices:
    """At most ``count`` of the indices ``group`` (n,), equally many of each class as far as it has them, ascending by class."""
    classes, sizes = np.unique(y[group], return_counts=True)
    each = min(EVALUATED_PER_CLASS, int(np.median(sizes)))
    largest = classes[np.argsort(-np.minimum(sizes, each), kind="stable")][: max(1, count // each)]
    group = group[np.isin(y[group], largest)]
    rows = group[np.lexsort((y[group], _random_rank(y[group])))[:count]]
    return rows[np.lexsort((rows, y[rows]))]


def _random_rank(y: Indices) -> Indices:
    """The place of each image in a shuffle of its class, from 0; the same for the same ``y``."""
    order = np.lexsort((np.random.Generator(np.random.PCG64(0)).random(len(y)), y))
    first = np.searchsorted(y[order], y[order], side="left")
    rank = np.empty(len(y), np.int64)
    rank[order] = np.arange(len(y)) - first
    return rank
