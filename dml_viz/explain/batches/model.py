"""The embeddings of one run's training images, as batches: split into parts, in chunks, and drawn in five ways."""

import json
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import torch
from torch import Tensor

from dml_viz.analysis import fresh_learnt
from dml_viz.data.datasets.icons import Icons
from dml_viz.data.samplers.p_by_k import PByK
from dml_viz.engine.recordings import FOLDER, LOOKS
from dml_viz.explain.batches.model_samplers import Hardness, ImageBatch, draw_batch, hardness_by_step, training_pool
from dml_viz.losses import LOSSES, Loss
from dml_viz.threads import once
from dml_viz.training.nets.mlp import MLP
from dml_viz.training.run import Run
from dml_viz.training.state import start
from dml_viz.training.step import Learner

SEED, REPEATS = 0, 5  # of the random parts, and how many splits are averaged
CHUNK, SMALL = 16, Run(Icons(), net=MLP(16, 1), dim=8, sampler=PByK(8, 8), device="cpu")
KINDS = {name: kind for name, kind in LOSSES.items() if not kind.views}


@dataclass(frozen=True)
class Memory:
    """Megabytes (S,) of each way to take a step, for batches of ``sizes`` (S,); ``chunk`` images at once in the second way."""

    sizes: np.ndarray
    megabytes: dict[str, np.ndarray]
    chunk: int
    torch: str

    def of_step(self, size: int, way: str) -> float:
        """The megabytes of a step in one ``way``, for a batch of ``size``."""
        return float(self.megabytes[way][self.sizes.tolist().index(size)])


@once
def read_measured_memory() -> Memory:
    """Read the file of measured megabytes."""
    recorded = json.loads((FOLDER / "chunks.json").read_text(encoding="utf-8"))
    megabytes = {way: np.array(numbers) for way, numbers in recorded["megabytes"].items()}
    return Memory(np.array(recorded["sizes"]), megabytes, recorded["chunk"], recorded["torch"])


@dataclass(frozen=True)
class Settings:
    """The number of parts of the batch, the run and its step, and the way to fill the batch shown."""

    parts: int = 2
    data: str = "glyphs"
    step: int = LOOKS[-1]
    way: str = "category"


@dataclass(frozen=True)
class Split:
    """The cosines of a loss's gradient on a whole batch with the mean gradient of its ``parts``, and with that by ``chunks``."""

    title: str
    parts: float
    chunks: float


@dataclass(frozen=True)
class Model:
    """The recorded run, at one step of it."""

    settings: Settings

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """The split of each loss, sorted so that losses that lose most come first."""
        return splits(self.settings.data, self.settings.step, self.settings.parts)

    @property
    def batch_size(self) -> int:
        """The number of images in the batch that is split."""
        return len(first_batch_of_run(self.settings.data, self.settings.step)[1])

    def split_of(self, title: str) -> Split:
        """The split of the loss with ``title``."""
        return next(split for split in self.splits if split.title == title)

    @cached_property
    def hardness(self) -> Hardness:
        """The hardness of the batches of each way to fill them, at each step of the run."""
        return hardness_by_step(training_pool(self.settings.data))

    @cached_property
    def image_batch(self) -> ImageBatch:
        """A batch filled in the chosen way."""
        return draw_batch(training_pool(self.settings.data), self.settings.way, self.settings.step, SEED)

    @property
    def memory(self) -> Memory:
        """The measured megabytes of a training step."""
        return read_measured_memory()


@lru_cache(maxsize=16)
def splits(data: str, step: int, parts: int) -> tuple[Split, ...]:
    """The split of each loss on the first batch of a run, sorted so that losses that lose most come first."""
    z, y = first_batch_of_run(data, step)
    loss_splits = [Split(kind().name, split_cosine(kind(), z, y, parts), chunk_cosine(name)) for name, kind in KINDS.items()]
    return tuple(sorted(loss_splits, key=lambda split: split.parts))


def first_batch_of_run(name: str, step: int) -> tuple[Tensor, Tensor]:
    """The first batch of 8 classes with 8 images at a step of a run: unit rows (64, d), and labels counted from 0."""
    of = training_pool(name)
    images = PByK(8, 8).batch_indices(of.table, SEED, 0, 1)[0]
    return of.rows[step][images], of.y[images].unique(return_inverse=True)[1]


def split_cosine(loss: Loss, z: Tensor, y: Tensor, parts: int) -> float:
    """The cosine of the whole batch's gradient with the mean gradient of ``parts`` random parts, averaged over random splits.

    Each part counts by its size.
    """
    learnt = fresh_learnt(loss, int(y.max()) + 1, z.shape[1])
    whole = loss.gradient(z, y, **learnt)
    cosines = []
    for seed in range(REPEATS):
        averaged = torch.zeros_like(z)
        for part in torch.randperm(len(z), generator=torch.Generator().manual_seed(seed)).tensor_split(parts):
            averaged[part] = loss.gradient(z[part], y[part], **learnt) * (len(part) / len(z))
        cosines.append(cosine(whole, averaged))
    return float(np.mean(cosines))


@lru_cache(maxsize=64)
def chunk_cosine(name: str) -> float:
    """The cosine between a small net's gradients of the whole batch, and of chunks with gradient caching."""
    gradients = []
    for chunk in (0, CHUNK):
        run = replace(SMALL, loss=LOSSES[name](), chunk=chunk)
        learner = Learner(run, start(run))
        learner.backward()
        gradients.append(learner.gradient.double())
    return cosine(*gradients)


def cosine(first: Tensor, second: Tensor) -> float:
    """The cosine of two tensors as vectors; 1 where both are 0, 0 where only one of them is."""
    lengths = float(first.norm() * second.norm())
    return float((first * second).sum()) / lengths if lengths else float(not first.any() and not second.any())
