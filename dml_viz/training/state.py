"""A state: all that a training has become by some step, as plain arrays that mean the same in every process."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

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
    the step at which the means and squares began.
    """

    step: int
    weights: Learned
    learnt: Mapping[str, Learned]
    plane: Floats | None = None
    failed: str = ""
    adam: int = 0


def start(run: Run) -> State:
    """The first state of ``run``, without a plane: the net's weights, then the learnt tensors, drawn by one seeded generator."""
    generator = torch.Generator().manual_seed(run.seed)
    data = training_set(run.dataset, run.protocol, torch.device("cpu"))
    net = run.net.build(data.side, run.dim, generator)
    learnt = run.loss.init(data.classes, run.dim, generator)
    weights = torch.nn.utils.parameters_to_vector(net.parameters())
    return State(0, Learned.fresh(weights), {name: Learned.fresh(tensor) for name, tensor in learnt.items()})


def fork(before: Run, run: Run, state: State) -> State:
    """``state`` of the run ``before`` as ``run`` goes on from it: same weights, same step, perhaps another loss.

    A tensor that the loss learns is taken along where name and shape are the same, else drawn as at a start. Under another
    loss, or with a tensor drawn, Adam begins anew: what it holds are squares of gradients of another size.
    """
    drawn = start(run).learnt
    taken = {name: state.learnt[name] for name, new in drawn.items() if _fits(state.learnt.get(name), new)}
    if type(run.loss) is type(before.loss) and taken.keys() == drawn.keys():
        return replace(state, learnt=taken, failed="")
    learnt = {name: Learned.anew(taken.get(name, new).value) for name, new in drawn.items()}
    return replace(state, weights=Learned.anew(state.weights.value), learnt=learnt, failed="", adam=state.step)


def _fits(known: Learned | None, new: Learned) -> bool:
    return known is not None and known.value.shape == new.value.shape
