"""Icons, 28 x 28: each concept drawn by several icon sets, so that pixels find the style and a net must find the concept."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch

from dml_viz.data.augmentation import Augmentation
from dml_viz.data.datasets._base import Dataset
from dml_viz.data.datasets.icons.concepts import CONCEPTS, FONTS
from dml_viz.data.datasets.icons.drawing import icon_drawings
from dml_viz.data.images import LabelledImages
from dml_viz.params import param

ALL = len(CONCEPTS)
TURN, SHIFT, ZOOM = 15.0, 0.12, 0.15  # degrees, and shares of the image, either way


@dataclass(frozen=True)
class Icons(Dataset):
    """Concepts that 13 icon sets draw, 6 to 8 images each, every image turned, moved and resized once.

    Fewer concepts are the first of them. Of ten concepts in a row the first three are unseen.
    """

    title = "Icons"
    sentence = (
        "Things such as bell, anchor and rocket, each drawn by several icon sets, then turned, moved and resized: pixels "
        "find the same style rather than the same thing."
    )
    credits = tuple(dict.fromkeys(f"{font.family} ({font.licence})" for font in FONTS))

    concepts: int = param(
        ALL, "classes; on the circle and on the sphere there is room for few", "C", choices=(12, 24, 36, 60, ALL)
    )
    disturbance: float = param(
        1.0,
        f"how far images are turned, moved and resized; 1 is up to {TURN:g} degrees, {SHIFT:.0%} and {ZOOM:.0%}",
        domain="[0, 2]",
        slider=(0.0, 2.0, 0.1),
    )
    afresh: bool = param(
        True,
        "whether training disturbs each image anew at every step, or takes it as it was disturbed once",
        label="disturbed afresh at each step",
    )

    def load(self) -> LabelledImages:
        return _load(self)

    @property
    def augmentation(self) -> Augmentation | None:
        return _disturbance(self.disturbance) if self.afresh else None


def _disturbance(times: float) -> Augmentation:
    return Augmentation(turn=TURN * times, zoom=ZOOM * times, shift=SHIFT * times, noise=0.0)


@lru_cache(maxsize=3)
def _load(icons: Icons) -> LabelledImages:
    drawings = icon_drawings()
    rows = drawings["y"] < icons.concepts
    plain = drawings["x"][rows].astype(np.float32) / np.float32(255)
    # In float64, then rounded to greys, so that machines that differ in the last bit agree.
    disturbed = _disturbance(icons.disturbance).view(torch.from_numpy(plain).double().unsqueeze(1), seed=0, step=0).squeeze(1)
    set_names, sets = np.unique(drawings["icon_set"][rows], return_inverse=True)
    return LabelledImages(
        x=np.rint(255 * disturbed.numpy()).astype(np.float32) / 255,
        y=drawings["y"][rows],
        names=tuple(names[0].replace("-", " ") for names in CONCEPTS[: icons.concepts]),
        categories=(0,) * icons.concepts,
        category_names=("icons",),
        unseen=tuple(concept for concept in range(icons.concepts) if concept % 10 < 3),
        plain=plain,
        sets=sets.astype(np.int64),
        set_names=tuple(map(str, set_names)),
    )
