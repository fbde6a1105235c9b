"""What the losses look at: the scene in the hand, or a batch of a step of the live run; and what each of them stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dml_viz.app.drawn_plane import held_plane
from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.scene import MOST_CLASSES
from dml_viz.engine import Live
from dml_viz.explain.gradients.choice import KEY
from dml_viz.explain.gradients.model import Model
from dml_viz.explain.gradients.model_stood import of_run, of_scene
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
    chosen = torch.from_numpy(rows)
    some = Embeddings(subject.z[chosen], subject.y[chosen], subject.provenance, subject.learnt)
    return Batch(some, rows, held_plane(KEY, subject.z.numpy()))


def look_at_scene(subject: Embeddings, losses: Mapping[str, Loss]) -> Model:
    """The scene in the hand under ``losses``."""
    stood = {name: of_scene(loss, subject, MOST_CLASSES) for name, loss in losses.items()}
    return Model(subject.z, subject.y, losses, stood)


def look_at_run(found: Batch, losses: Mapping[str, Loss], live: Live) -> Model:
    """A batch of the run under ``losses``, of which the run's own has what it has learnt."""
    trained: Sequence[int] = live.subject.train_classes if live.subject else ()
    own = type(live.run.loss)
    stood = {
        name: of_run(loss, found.subject, isinstance(loss, own) and loss == live.run.loss, trained)
        for name, loss in losses.items()
    }
    return Model(found.subject.z, found.subject.y, losses, stood)


def learns(losses: Mapping[str, Loss], model: Model) -> str:
    """Where what is learnt comes from, of the losses that learn something."""
    said: dict[str, list[str]] = {}
    for name in losses:
        if note := model.stood[name].note:
            said.setdefault(note, []).append(model.titles[name])
    told = "; ".join(f"{', '.join(titles)}: {note}" for note, titles in said.items())
    return f"Learnt tensors: {told}." if told else ""
