"""The losses of pairs of points, found by the families they declare."""

from __future__ import annotations

import torch
from torch import Tensor

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.losses import LOSSES, Loss

FAMILY = {"pairs", "triplets", "tuples"}
PAIRWISE = {
    name: kind for name, kind in LOSSES.items() if FAMILY & set(kind.families) and "proxies" not in kind.families
}
SEED = 0  # of what a loss learns


def fresh(loss: Loss, classes: int, dim: int) -> dict[str, Tensor]:
    """What ``loss`` learns for ``classes`` classes in ``dim`` dimensions, as it starts, in float64."""
    drawn = loss.init(classes, dim, torch.Generator().manual_seed(SEED))
    return {name: tensor.double() for name, tensor in drawn.items()}


def learnt_of(loss: Loss, subject: Embeddings) -> dict[str, Tensor]:
    """What ``loss`` learns, as ``subject`` has it, or else as it starts."""
    start = fresh(loss, int(subject.y.max()) + 1, subject.z.shape[1])
    return {name: subject.learnt.get(name, start[name]) for name in loss.learns}
