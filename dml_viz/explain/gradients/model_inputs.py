"""The input of each loss for the same embeddings: a batch, labels, and learnt tensors with their origin."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import LossInputs, fresh_learnt
from dml_viz.embedding.class_directions import k_means_centres, means
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import Loss

BATCHES = ("32", "64", "128", "all")
EACH = 3  # points of a class at least, if there are so many


def balanced_batch(embeddings: Embeddings, size: str) -> Embeddings:
    """A batch of a run's points of the ``size`` (one of `BATCHES`), equally many of each class if there are enough.

    Of many classes only the first are taken, so that each can have `EACH` points.
    """
    y = embeddings.y.numpy()
    if size == "all" or int(size) >= len(y):
        return embeddings
    classes = list(dict.fromkeys(y.tolist()))[: int(size) // EACH]
    turn = np.array([int((y[:k] == label).sum()) for k, label in enumerate(y.tolist())])
    rows = np.lexsort((np.arange(len(y)), turn, ~np.isin(y, classes)))[: int(size)]
    return embeddings.part(torch.from_numpy(np.sort(rows)))


def loss_input_of_scene(loss: Loss, scene: Embeddings, max_classes: int) -> LossInputs:
    """The input of a loss for a scene: the scene's proxies if the loss has one per class, all else as training starts it.

    Fresh tensors are drawn for ``max_classes`` classes, as many as any scene has, and cut to this scene's, so that another class
    changes nothing for the others.
    """
    proxies = scene.learnt.get("proxies")
    classes = len(proxies) if proxies is not None else int(scene.y.max()) + 1
    if proxies is not None and list(loss.learns) == ["proxies"] and loss.per_class == 1:
        return LossInputs(scene, scene.y, {"proxies": proxies}, "the proxies of the scene")
    learnt = {
        name: tensor[: classes * (loss.per_class if name == "proxies" else 1)] if tensor.ndim else tensor
        for name, tensor in _fresh(loss, max_classes, scene).items()
    }
    note = "as training starts it" if learnt else ""
    if "proxies" in loss.learns:
        note = f"{loss.per_class} centres per class, as training starts them"
    return LossInputs(scene, scene.y, learnt, note)


def loss_input_of_run(loss: Loss, step: Embeddings, is_run_loss: bool, trained: Sequence[int]) -> LossInputs:
    """The input of a loss for a step of a run: learnt tensors of the run if ``is_run_loss`` and they fit the classes present.

    Other losses have their proxies at the means of the classes, several of a class spread within it; ``trained`` are the classes
    of the learnt rows.
    """
    present = tuple(sorted(set(step.y.tolist())))
    if is_run_loss and set(loss.learns) <= set(step.learnt) and set(present) <= set(trained) and loss.learns:
        return LossInputs(step, _rows_of_classes(step.y, trained), step.learnt, "as the run has learnt it")
    y = _rows_of_classes(step.y, present)
    learnt = _fresh(loss, len(present), step)
    if "proxies" not in loss.learns:
        return LossInputs(step, y, learnt, "as training starts it" if learnt else "")
    proxies, note = means(step.z, y, len(present)), "proxies at the means of the classes"
    if loss.held_constant and loss.per_class == 1:
        proxies, note = learnt["proxies"], "fixed centroids, where training would put them"
    elif loss.per_class > 1:
        proxies = k_means_centres(step.z, y, proxies, loss.per_class)
        note = f"{loss.per_class} centres per class, spread within it"
    return LossInputs(step, y, {**learnt, "proxies": proxies}, note)


def _fresh(loss: Loss, classes: int, embeddings: Embeddings) -> dict[str, Tensor]:
    return fresh_learnt(loss, classes, embeddings.z.shape[1], embeddings.z.dtype)


def _rows_of_classes(y: Tensor, classes: Sequence[int]) -> Tensor:
    return torch.searchsorted(torch.tensor(sorted(classes)), y)
