"""What a loss that learns something has learnt, where many losses look at one subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from dml_viz.embedding.class_directions import centres, means
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import normalise
from dml_viz.losses import Loss

SEED = 0  # of what a loss starts from


@dataclass(frozen=True, eq=False)
class Stood:
    """A batch as one loss sees it: unit rows z (N, d), labels y (N,) counted as its learnt tensors are, these, and a few words on
    where they come from.
    """

    z: Tensor
    y: Tensor
    learnt: Mapping[str, Tensor] = field(default_factory=dict)
    note: str = ""

    @property
    def proxies(self) -> Tensor | None:
        """The directions (M, d) of its proxies, if it has some."""
        found = self.learnt.get("proxies")
        return None if found is None else normalise(found)


def of_scene(loss: Loss, subject: Embeddings, most: int) -> Stood:
    """A scene: its stars are the proxies of losses of one to a class, all else starts as the loss starts it.

    It is drawn for ``most`` classes and cut to those there are, so that another class changes nothing for the others.
    """
    y = subject.y
    stars = subject.learnt.get("proxies")
    classes = len(stars) if stars is not None else int(y.max()) + 1
    learnt = {name: tensor[: classes * _rows(loss, name)] for name, tensor in fresh(loss, most, subject).items()}
    if "proxies" not in loss.learns:
        return Stood(subject.z, y, learnt, "as training starts it" if learnt else "")
    if stars is not None and loss.per_class == 1:
        return Stood(subject.z, y, {**learnt, "proxies": stars}, "the proxies are the stars of the scene")
    return Stood(subject.z, y, learnt, f"{loss.per_class} centres per class, as training starts them")


def of_run(loss: Loss, subject: Embeddings, own: bool, trained: Sequence[int]) -> Stood:
    """A step of a run: the run's ``own`` loss has what it has learnt, if that stands for the classes there are.

    Any other has its proxies at the means of the classes, several to a class spread within it; ``trained`` are the classes
    that learnt rows stand for.
    """
    z, present = subject.z, tuple(sorted(set(subject.y.tolist())))
    if own and set(loss.learns) <= set(subject.learnt) and set(present) <= set(trained) and loss.learns:
        return Stood(z, _counted(subject.y, trained), subject.learnt, "as the run has learnt it")
    y = _counted(subject.y, present)
    learnt = fresh(loss, len(present), subject)
    if "proxies" not in loss.learns:
        return Stood(z, y, learnt, "as training starts it" if learnt else "")
    at = means(z, y, len(present))
    if loss.constant and loss.per_class == 1:
        return Stood(z, y, learnt, "fixed centroids, where training would put them")
    if loss.per_class > 1:
        at = centres(z, y, at, loss.per_class)
        return Stood(z, y, {**learnt, "proxies": at}, f"{loss.per_class} centres per class, spread within it")
    return Stood(z, y, {**learnt, "proxies": at}, "proxies at the means of the classes")


def fresh(loss: Loss, classes: int, subject: Embeddings) -> dict[str, Tensor]:
    """What ``loss`` learns for ``classes`` classes, as it starts, in the subject's dimensions and dtype."""
    z = subject.z
    drawn = loss.init(classes, z.shape[1], torch.Generator().manual_seed(SEED))
    return {name: tensor.to(z.dtype) for name, tensor in drawn.items() if name in loss.learns}


def _rows(loss: Loss, name: str) -> int:
    return loss.per_class if name == "proxies" else 1


def _counted(y: Tensor, classes: Sequence[int]) -> Tensor:
    return torch.searchsorted(torch.tensor(sorted(classes)), y)
