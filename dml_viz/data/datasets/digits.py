"""Handwritten digits, 8 x 8, which come with scikit-learn."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dml_viz.data.datasets._base import Dataset
from dml_viz.data.images import LabelledImages

FULL_INK = 16


@dataclass(frozen=True)
class Digits(Dataset):
    """1,797 handwritten digits of 8 x 8 pixels in 10 classes, of one category."""

    title = "Digits"
    sentence = "1,797 handwritten digits of 8 x 8 pixels: easy, since raw pixels already find the right neighbour."

    def load(self) -> LabelledImages:
        return _load()


@lru_cache(maxsize=1)
def _load() -> LabelledImages:
    from sklearn.datasets import load_digits  # takes longer to import than all that most workers need

    bundled = load_digits()
    x, y = (bundled.images / FULL_INK).astype(np.float32), bundled.target.astype(np.int64)
    return LabelledImages(x, y, tuple(map(str, range(10))), (0,) * 10, ("digits",))
