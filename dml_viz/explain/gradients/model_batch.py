"""A batch of a step of the live run, and where the learnt tensors of the losses come from."""

from __future__ import annotations

import numpy as np
import torch

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.explain.gradients.model import Model

BATCHES = ("32", "64", "128", "all")


def batch(embeddings: Embeddings, size: str) -> Embeddings:
    """As many points of a run as ``size`` says (one of `BATCHES`), of each class as many as of any other if there are."""
    y = embeddings.y.numpy()
    if size == "all" or int(size) >= len(y):
        return embeddings
    turn = np.array([int((y[:k] == label).sum()) for k, label in enumerate(y.tolist())])
    rows = np.sort(np.lexsort((np.arange(len(y)), turn))[: int(size)])
    return embeddings.part(torch.from_numpy(rows))


def learns(model: Model) -> str:
    """Where what is learnt comes from, of the losses that learn something."""
    sources: dict[str, list[str]] = {}
    for name in model.losses:
        if note := model.inputs[name].note:
            sources.setdefault(note, []).append(model.titles[name])
    text = "; ".join(f"{', '.join(titles)}: {note}" for note, titles in sources.items())
    return f"Learnt tensors: {text}." if text else ""
