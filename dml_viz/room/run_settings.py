"""The run that settings declare, and its points on explanatory pages. No Streamlit here."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch

from dml_viz.data.eval_points import EvaluationSubset
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss
from dml_viz.params import defaults, knobs, trained
from dml_viz.registry import name_of
from dml_viz.room.link_reader import LinkReader
from dml_viz.room.run_form import run_form
from dml_viz.training.frame import Frame
from dml_viz.training.run import PARTS, Run


def run_link(run: Run) -> dict[str, str]:
    """The settings of ``run`` in a link, without defaults; empty if a control cannot show one of its values."""
    link: dict[str, str] = {}
    for name, part in PARTS.items():
        value = getattr(run, name)
        if part.kinds and part.suits(run.loss):
            kind = part.kind_of(value)
            link |= {part.key: kind} if kind != part.kind_of(part.default) else {}
            link |= _changed(value, part.keys_of(kind))
        elif part.linked and not part.kinds and value != part.default:
            link[part.key] = str(value)
    try:
        same = run_form(LinkReader(link)) == replace(run, every=0)
    except ValueError:
        same = False
    return link if same else {}


def _changed(declared: Any, prefix: str) -> dict[str, str]:
    """The knobs of ``declared`` that are not at their defaults for training, as text in a link."""
    values = knobs(declared)
    changed = (knob for knob in trained(declared) if values[knob.name] != knob.default)
    return {f"{prefix}.{knob.name}": str(values[knob.name]) for knob in changed}


def for_training(loss: Loss) -> Loss:
    """``loss`` for training: knobs at their defaults for pictures are set to their defaults for training."""
    for_pictures, values = defaults(loss), knobs(loss)
    return type(loss)(**{k.name: k.default if values[k.name] == for_pictures[k.name] else values[k.name] for k in trained(loss)})


def loss_settings(loss: Loss) -> dict[str, Any]:
    """The settings of a run, by key, that make its loss ``loss``."""
    name = name_of(loss)
    return {"loss": name, **{f"loss.{name}.{knob.name}": knobs(loss)[knob.name] for knob in trained(loss)}}


class RunSubject:
    """The evaluated points of a run in one of `GROUPS`."""

    GROUPS: ClassVar = ("unseen classes", "seen classes")
    OF_ALL_CLASSES: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"unseen classes": "held-out images", "seen classes": "training images"}
    )

    def __init__(self, run: Run, subset: EvaluationSubset, group: str) -> None:
        self._run, self._subset = run, subset
        self._members = subset.members(group.split()[0])
        self._title = self.titles(run).get(group, group)

    @classmethod
    def titles(cls, run: Run) -> Mapping[str, str]:
        """The titles of the groups of ``run`` that differ from their names."""
        return cls.OF_ALL_CLASSES if run.protocol == "all classes" else {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all classes."""
        return self._subset.names

    @property
    def images(self) -> np.ndarray:
        """The images (W, height, width) uint8 of the points."""
        return self._subset.images[self._members]

    def embeddings(self, frame: Frame) -> Embeddings:
        """The points at ``frame`` as float64 unit rows, with the loss's learnt tensors and the plane of the run."""
        z = torch.from_numpy(frame.z[self._members].astype(np.float64))  # (W, d)
        learnt = {name: torch.from_numpy(array.astype(np.float64)) for name, array in frame.learnt.items()}
        title = f"{type(self._run.dataset).title}, {self._run.loss.name}, step {frame.step}, {self._title}"
        labels = torch.from_numpy(self._subset.y[self._members])
        plane = None if frame.plane is None else frame.plane.astype(np.float64)
        return Embeddings(torch.nn.functional.normalize(z, dim=1), labels, title, learnt, plane)
