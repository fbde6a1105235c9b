"""A state: all that a training has become by some step, as plain arrays that mean the same in every process."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.training_set import training_set
from dml_viz.training.run import Run

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Learned:
    """Parameters as Adam knows them: ``value``, and the running ``mean`` and ``square`` of their gradient, of one shape."""

    value: Floats
    mean: Floats
    square: Floats

    @classmethod
    def fresh(cls, value: torch.Tensor) -> "Learned":
        return cls.anew(value.detach().numpy())

    @classmethod
    def anew(cls, value: Floats) -> "Learned":
        """``value`` before its first gradient."""
        return cls(value, np.zeros_like(value), np.zeros_like(value))


@dataclass(frozen=True, eq=False)
class State:
    """What ``step`` steps have made of a run: the net's ``weights`` (n,) and the loss's ``learnt`` tensors.

    ``plane`` (d, 2) is the plane that an embedding of more than three dimensions is drawn in. ``failed`` tells why the run
    cannot go on, empty if it can. Batches depend on seed and step alone, so no generator has a state to keep. ``adam`` is
    the step at which the means and squares began. What a method learns is among ``learnt`` by names with a dot, what it
    remembers is the ``memory``.
    """

    step: int
    weights: Learned
    learnt: Mapping[str, Learned]
    plane: Floats | None = None
    failed: str = ""
    adam: int = 0
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def start(run: Run) -> State:
    """The first state of ``run``, without a plane: the net's weights, then the learnt tensors, drawn by one seeded generator."""
    generator = torch.Generator().manual_seed(run.seed)
    data = training_set(run.dataset, run.protocol, torch.device("cpu"), run.label_noise)
    net = run.net.build(data.side, run.dim, generator)
    learnt = run.loss.init(data.classes, run.dim, generator)
    learnt |= {
        f"{run.method.name}.{name}": tensor
        for name, tensor in run.method.init(data.classes, width_of(net), run.dim, generator).items()
    }
    weights = torch.nn.utils.parameters_to_vector(net.parameters())
    return State(0, Learned.fresh(weights), {name: Learned.fresh(tensor) for name, tensor in learnt.items()})


def width_of(net: torch.nn.Sequential) -> int:
    """How many features the last layer of ``net`` turns into an embedding."""
    return int(list(net.parameters())[-2].shape[1])


def fork(before: Run, run: Run, state: State) -> State:
    """``state`` of the run ``before`` as ``run`` goes on from it: same weights, same step, perhaps another loss.

    A tensor that the loss learns is taken along where name and shape are the same, else drawn as at a start. Under another
    loss or method, or with a tensor drawn, Adam begins anew: what it holds are squares of gradients of another size. A method
    with the same knobs goes on with what it remembers.
    """
    drawn = start(run).learnt
    taken = {name: state.learnt[name] for name, new in drawn.items() if _fits(state.learnt.get(name), new)}
    memory = state.memory if run.method == before.method else {}
    alike = type(run.loss) is type(before.loss) and type(run.method) is type(before.method)
    if alike and taken.keys() == drawn.keys():
        return replace(state, learnt=taken, memory=memory, failed="")
    learnt = {name: Learned.anew(taken.get(name, new).value) for name, new in drawn.items()}
    return replace(
        state, weights=Learned.anew(state.weights.value), learnt=learnt, memory=memory, failed="", adam=state.step
    )


def _fits(known: Learned | None, new: Learned) -> bool:
    return known is not None and known.value.shape == new.value.shape
