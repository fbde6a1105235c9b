"""The base class of samplers: the images of a step's batch, as a pure function of the step."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from dml_viz.params import Declared, knobs

BATCH_CAP = 8192
BLOCK = 64


@dataclass(frozen=True, eq=False)
class ClassTable:
    """The samples of each class: ``members`` (C, M) int64 positions in the labels, of which a row has ``sizes`` (C,).

    Only classes that occur have a row; ``labels`` (C,) are the classes of the rows. ``categories`` (n,) are those of the samples:
    of their classes or, for icons, their icon sets.
    """

    members: Tensor
    sizes: Tensor
    labels: Tensor
    categories: Tensor

    @classmethod
    def of(cls, y: Tensor, categories: Tensor | None = None) -> "ClassTable":
        """The table of labels y (n,) int64 and categories (n,), by default a single category. ValueError for none."""
        if y.ndim != 1 or len(y) == 0:
            raise ValueError(f"y has shape {tuple(y.shape)}; pass labels (n,) with n at least 1")
        labels, sizes = torch.unique(y, return_counts=True)
        rows = torch.argsort(y, stable=True).split(sizes.tolist())
        members = torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True)
        return cls(members, sizes, labels, torch.zeros_like(y) if categories is None else categories)


@dataclass(frozen=True)
class Sampler(Declared, ABC):
    """A declared sampler; a batch depends on the table, the seed and the step only, not on how many steps are drawn at once.

    Steps are drawn in blocks of 64, each block from a generator of its own seeded by (seed, block). Where ``classes`` and
    ``samples`` are knobs, a batch of more than 8192 is refused.
    """

    title: ClassVar[str]
    sentence: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        classes, samples = (knobs(self).get(name, 1) for name in ("classes", "samples"))
        if classes * samples > BATCH_CAP:
            raise ValueError(
                f"{type(self).__name__}: classes x samples = {classes} x {samples} = {classes * samples} is not "
                f"allowed; choose a product up to {BATCH_CAP}, such as samples = {BATCH_CAP // classes}"
            )

    @abstractmethod
    def draw(self, table: ClassTable, generator: torch.Generator, steps: int) -> Tensor:
        """The next ``steps`` batches from a CPU generator, int64 (steps, batch size), with the samples of a class adjacent."""

    def batch_indices(self, table: ClassTable, seed: int, first_step: int, steps: int) -> Tensor:
        """The batches of steps ``first_step`` to ``first_step + steps - 1`` (from 0), int64 (steps, batch size).

        A call draws whole blocks, so ask for many steps at once, best up to a multiple of 64. Raises ValueError for a
        negative seed or step and for fewer than one step.
        """
        if min(seed, first_step) < 0 or steps < 1:
            raise ValueError(f"seed = {seed}, first_step = {first_step}, steps = {steps}; choose at least 0, 0 and 1")
        first_block, last_block = first_step // BLOCK, (first_step + steps - 1) // BLOCK
        blocks = [self.draw(table, seeded(seed, b), BLOCK) for b in range(first_block, last_block + 1)]
        return torch.cat(blocks)[first_step - first_block * BLOCK :][:steps]


def seeded(*numbers: int) -> torch.Generator:
    """A CPU generator seeded by several numbers: a seed, a block or step, and for all but batches a number of the purpose."""
    # torch's CPU generator uses 32 bits of a seed, so all numbers are mixed into 32 bits first.
    return torch.Generator().manual_seed(int(np.random.SeedSequence(numbers).generate_state(1)[0]))
