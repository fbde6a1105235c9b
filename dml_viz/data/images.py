"""Labelled images in memory, and their names in a run; no torch here, so that a process that reads files starts quickly."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]

FULL = 255  # white as a byte
LETTERS = 24  # of the SHA-256 that names a file's images: so many that no other file can be made to have the same


@dataclass(frozen=True, eq=False)
class LabelledImages:
    """Grey images x (N, H, W), float32 in [0, 1] or uint8, with classes y (N,) int64, read-only because visitors share them.

    ``names`` (C) are those of the classes, ``categories`` (C) the category of each class as an index into ``category_names``.
    ``unseen`` are the classes that training never sees; if empty, every second class. ``plain`` are the same images before
    they were disturbed. ``sets`` (N,) is the icon set of each image, as an index into ``set_names``. Raises ValueError where
    shapes, dtypes or labels disagree.
    """

    x: NDArray[np.float32] | NDArray[np.uint8]
    y: NDArray[np.int64]
    names: tuple[str, ...]
    categories: tuple[int, ...]
    category_names: tuple[str, ...]
    unseen: tuple[int, ...] = ()
    plain: NDArray[np.float32] | None = None
    sets: NDArray[np.int64] | None = None
    set_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.x.ndim != 3 or self.x.dtype not in (np.float32, np.uint8):
            raise ValueError(f"x is {self.x.dtype} of shape {self.x.shape}; pass float32 or uint8 images (N, H, W)")
        if self.y.shape != self.x.shape[:1] or self.y.dtype != np.int64:
            raise ValueError(f"y is {self.y.dtype} of shape {self.y.shape}; pass int64 labels ({len(self.x)},)")
        if len(self.names) != len(self.categories):
            raise ValueError(f"{len(self.names)} class names for {len(self.categories)} categories of classes; pass one each")
        if len(self.y) and not 0 <= self.y.min() <= self.y.max() < len(self.names):
            raise ValueError(f"labels run from {self.y.min()} to {self.y.max()}; classes are 0 to {len(self.names) - 1}")
        if any(not 0 <= category < len(self.category_names) for category in self.categories):
            raise ValueError(f"categories {self.categories} go beyond the {len(self.category_names)} category names")
        for array in (self.x, self.y, self.plain, self.sets):
            if array is not None:
                array.setflags(write=False)

    def greys(self, rows: Indices) -> NDArray[np.float32]:
        """The images ``rows`` (n,) as float32 (n, H, W) in [0, 1]."""
        pixels = self.x[rows].astype(np.float32)
        return pixels if self.x.dtype == np.float32 else pixels / np.float32(FULL)
