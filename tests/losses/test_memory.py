"""The memory of every loss grows with the square of the batch, not faster."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dml_viz.losses import LOSSES, Loss
from dml_viz.params import params
from tests.batches import drawn, learnt_for
from tests.losses.test_losses import spelled
from tests.samples import for_each

N, DIM = 96, 8
TABLES = 4 * N**2 * 8  # bytes of four tables of pairs in float64; a truth value for every triplet takes thrice that


class Largest(TorchDispatchMode):
    """Records the memory in bytes of the largest tensor that torch makes meanwhile."""

    memory = 0

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        made = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(made):
            if isinstance(tensor, Tensor):
                self.memory = max(self.memory, tensor.untyped_storage().nbytes())
        return made


def switched() -> Iterator[Loss]:
    """Every loss at every setting of its switches."""
    for kind in LOSSES.values():
        switches = [knob for knob in params(kind) if knob.kind is bool or knob.choices]
        for setting in itertools.product(*(knob.ends for knob in switches)):
            yield kind(**{knob.name: value for knob, value in zip(switches, setting, strict=True)})


@for_each("loss", list(switched()), ids=spelled)
def test_no_tensor_is_larger_than_a_few_tables_of_pairs(loss: Loss) -> None:
    z, y = drawn(N, DIM, 1)[0], torch.arange(N) % 2
    learnt = learnt_for(loss, (z, y))
    with Largest() as made:
        loss.gradients(z, y, **learnt)
    assert 0 < made.memory <= TABLES


def test_a_number_for_every_triplet_would_be_detected() -> None:
    z, y = drawn(N, DIM, 1)[0], torch.arange(N) % 2
    loss = LOSSES["triplet"]()
    with Largest() as made:
        loss.of_rows(z, y)
    assert made.memory > TABLES
