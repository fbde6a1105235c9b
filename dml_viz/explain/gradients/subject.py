"""A batch of a step of the live run, and where the learnt tensors of the losses come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.gradients.model import Model
from dml_viz.losses import Loss

BATCHES = ("32", "64", "128", "all")


@dataclass(frozen=True, eq=False)
class Batch:
    """A subject of N points, which of the whole subject's points these are (N,), and how it is drawn above three dimensions."""

    subject: Embeddings
    rows: np.ndarray
    plane: np.ndarray | None


def batch(subject: Embeddings, size: str) -> Batch:
    """As many points of a run as ``size`` says (one of `BATCHES`), of each class as many as of any other if there are."""
    y = subject.y.numpy()
    rows = np.arange(len(y))
    if size != "all" and int(size) < len(y):
        turn = np.array([int((y[:k] == label).sum()) for k, label in enumerate(y.tolist())])
        rows = np.sort(np.lexsort((rows, turn))[: int(size)])
    return Batch(subject.part(torch.from_numpy(rows)), rows, subject.plane)


def learns(losses: Mapping[str, Loss], model: Model) -> str:
    """Where what is learnt comes from, of the losses that learn something."""
    said: dict[str, list[str]] = {}
    for name in losses:
        if note := model.inputs[name].note:
            said.setdefault(note, []).append(model.titles[name])
    told = "; ".join(f"{', '.join(titles)}: {note}" for note, titles in said.items())
    return f"Learnt tensors: {told}." if told else ""
