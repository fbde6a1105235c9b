"""Embeddings: unit rows with labels, be they a scene of a few points or a step of a live run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class Embeddings:
    """Unit rows z (N, d) float64 with labels y (N,), learnt tensors by name, and one sentence on where they come from."""

    z: Tensor
    y: Tensor
    provenance: str
    learnt: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class EmbeddingsModel:
    """Base of a page's model: ``subject`` with its rows and labels as arrays; a subclass computes each number when asked."""

    subject: Embeddings

    @cached_property
    def z(self) -> np.ndarray:
        """Unit rows (N, d)."""
        return self.subject.z.numpy()

    @cached_property
    def y(self) -> np.ndarray:
        """Labels (N,)."""
        return self.subject.y.numpy()


# Angles in degrees on the circle, one tuple per class.
SCENES: dict[str, tuple[str, tuple[tuple[float, ...], ...]]] = {
    "separated": ("Three tight classes, far apart.", ((80, 90, 98, 104), (200, 208, 216, 225), (318, 326, 333, 342))),
    "overlapping": ("Two classes share an arc.", ((60, 78, 96, 114, 132), (104, 120, 140, 158, 176), (270, 285, 300))),
    "one hard negative": (
        "One point sits in the middle of another class.",
        ((70, 84, 98, 112), (92, 230, 242, 254), (325, 338, 350)),
    ),
    "an outlier": ("One point has left its class.", ((80, 90, 100, 265), (195, 205, 215, 225), (320, 330, 340))),
    "two modes in one class": (
        "One class lives in two places.",
        ((60, 70, 240, 250), (140, 150, 160, 170), (310, 322, 334)),
    ),
    "collapsed": ("Every point is the same point.", ((90, 90, 90, 90), (90, 90, 90, 90), (90, 90, 90, 90))),
    "antipodal": (
        "Each class sits on two opposite ends.",
        ((20, 200, 28, 208), (80, 260, 88, 268), (140, 320, 148, 328)),
    ),
    "a class of one": ("One class has a single point.", ((80, 92, 104, 116), (108, 205, 215, 225), (320,))),
    "all strangers": ("Every point is a class of its own.", ((20,), (65,), (110,), (170,), (230,), (300,))),
}


def scene(name: str) -> Embeddings:
    """The preset ``name`` of `SCENES` as embeddings on the circle (d = 2, float64); ValueError for an unknown name."""
    if name not in SCENES:
        raise ValueError(f"scene {name!r} is not known; choose one of {', '.join(SCENES)}")
    sentence, classes = SCENES[name]
    angles = torch.tensor([math.radians(a) for members in classes for a in members], dtype=torch.float64)
    labels = torch.tensor([c for c, members in enumerate(classes) for _ in members])
    return Embeddings(torch.stack((angles.cos(), angles.sin()), 1), labels, f"Scene “{name}”: {sentence}")
