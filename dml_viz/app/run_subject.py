"""The points of a run, of seen or of unseen classes, as explanatory pages look at them at a step. No Streamlit here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

import numpy as np
import torch

from dml_viz.data.eval_points import WatchedSubject
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.training.loop import Frame, Run


class RunSubject:
    """The points of one of `GROUPS` that a run is evaluated on."""

    GROUPS: ClassVar = ("unseen classes", "seen classes")
    OF_ALL_CLASSES: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"unseen classes": "held-out images", "seen classes": "training images"}
    )

    def __init__(self, run: Run, watched: WatchedSubject, group: str) -> None:
        self._run, self._watched = run, watched
        self._members = watched.members(group.split()[0])
        self._title = self.titles(run).get(group, group)

    @classmethod
    def titles(cls, run: Run) -> Mapping[str, str]:
        """What groups are called of ``run`` where that is not by their names."""
        return cls.OF_ALL_CLASSES if run.protocol == "all classes" else {}

    @property
    def names(self) -> tuple[str, ...]:
        """What all classes are called."""
        return self._watched.names

    @property
    def images(self) -> np.ndarray:
        """The images of the points, (W, H, W) uint8."""
        return self._watched.images[self._members]

    def embeddings(self, frame: Frame) -> Embeddings:
        """The points at ``frame``, float64 with rows of length 1, and what the loss has learnt."""
        z = torch.from_numpy(frame.z[self._members].astype(np.float64))  # (W, d)
        learnt = {name: torch.from_numpy(array.astype(np.float64)) for name, array in frame.learnt.items()}
        title = f"{type(self._run.dataset).title}, {self._run.loss.name}, step {frame.step}, {self._title}"
        labels = torch.from_numpy(self._watched.y[self._members])
        return Embeddings(torch.nn.functional.normalize(z, dim=1), labels, title, learnt)
