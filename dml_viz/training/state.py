"""A state: the result of a training up to a step, as plain arrays that any process can go on from."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from dml_viz.data.training_set import training_set
from dml_viz.training.run import Run

Floats = NDArray[np.float32]
DIGITS = 4
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, eq=False)
class LossAndMethodTensors(Generic[T]):
    """An entry for each tensor trained beside the net, by name: of the ``loss`` and of the ``method``, not the net's."""

    loss: Mapping[str, T] = field(default_factory=dict)
    method: Mapping[str, T] = field(default_factory=dict)

    def __iter__(self) -> Iterator[T]:
        yield from self.loss.values()
        yield from self.method.values()

    def map(self, function: Callable[[T], U]) -> "LossAndMethodTensors[U]":
        """The result of ``function`` for each tensor of the loss and of the method, under the same names."""
        of_loss, of_method = ({name: function(each) for name, each in part.items()} for part in (self.loss, self.method))
        return LossAndMethodTensors(of_loss, of_method)


@dataclass(frozen=True, eq=False)
class AdamParameters:
    """Parameters that Adam trains: ``value``, and the running ``mean`` and ``square`` of the gradient, all of one shape."""

    value: Floats
    mean: Floats
    square: Floats

    @classmethod
    def untrained(cls, value: torch.Tensor | Floats) -> "AdamParameters":
        """Parameters with ``value`` before their first gradient."""
        array = value.detach().numpy() if isinstance(value, torch.Tensor) else value
        return cls(array, np.zeros_like(array), np.zeros_like(array))


@dataclass(frozen=True, eq=False)
class State:
    """A run after ``step`` steps: the net's ``weights`` (n,) and the ``learnt`` tensors of loss and method.

    ``plane`` (d, 2) is the plane in which an embedding of more than three dimensions is drawn. ``failed`` says why the run
    cannot go on; it is empty if it can. ``adam`` is the step at which the means and squares began, ``memory`` is that of the
    method. Batches depend on seed and step alone, so no state of a generator is stored.
    """

    step: int
    weights: AdamParameters
    learnt: LossAndMethodTensors[AdamParameters] = field(default_factory=LossAndMethodTensors)
    plane: Floats | None = None
    failed: str = ""
    adam: int = 0
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict)


def start(run: Run, *, exact: bool = False) -> State:
    """The first state of ``run``, without a plane: the net's weights, then the learnt tensors, drawn by one seeded generator.

    With ``exact`` NumPy draws each random tensor anew, equally large and in double precision: the last bits of torch's normal
    numbers differ between processors.
    """
    generator = torch.Generator().manual_seed(run.seed)
    data = training_set(run.dataset, run.protocol, torch.device("cpu"), run.label_noise)
    net = run.net.build(data.side, run.dim, generator)
    features = int(list(net.parameters())[-2].shape[1])  # that the last layer turns into an embedding
    of_loss = run.loss.initial_tensors(data.classes, run.dim, generator)
    learnt = LossAndMethodTensors(of_loss, run.method.initial_tensors(data.classes, features, run.dim, generator))
    if exact:
        rng = np.random.default_rng(run.seed)
        with torch.no_grad():
            net.double()
            for weight in net.parameters():
                weight.copy_(_redrawn(weight, rng))
        learnt = learnt.map(lambda tensor: _redrawn(tensor, rng))
    weights = torch.nn.utils.parameters_to_vector(net.parameters())
    return State(0, AdamParameters.untrained(weights), learnt.map(AdamParameters.untrained))


def _redrawn(tensor: torch.Tensor, rng: np.random.Generator) -> torch.Tensor:
    """Normal numbers in double precision, as large as those of ``tensor`` to `DIGITS` digits; a constant tensor as it is."""
    if bool((tensor == tensor.flatten()[0]).all()):
        return tensor.double()
    size = float(f"{float(tensor.double().square().mean().sqrt()):.{DIGITS}g}")
    return size * torch.from_numpy(rng.standard_normal(tuple(tensor.shape)))


def fork(before: Run, run: Run, state: State) -> State:
    """The state from which ``run`` goes on after ``state`` of the run ``before``: same weights, same step, perhaps another loss.

    A learnt tensor stays if name and shape are the same; otherwise it is drawn as at a start. With another loss or method, or
    with a tensor drawn, Adam begins anew, because its squares are of gradients of another size. A method with the same knobs
    keeps its memory.
    """
    fresh, same_method = start(run).learnt, type(run.method) is type(before.method)
    learnt = LossAndMethodTensors(
        _of_same_shape(state.learnt.loss, fresh.loss),
        _of_same_shape(state.learnt.method, fresh.method) if same_method else fresh.method,
    )
    memory = state.memory if run.method == before.method else {}
    if type(run.loss) is type(before.loss) and same_method and not any(new in list(fresh) for new in learnt):
        return replace(state, learnt=learnt, memory=memory, failed="")
    weights = AdamParameters.untrained(state.weights.value)
    learnt = learnt.map(lambda learned: AdamParameters.untrained(learned.value))
    return replace(state, weights=weights, learnt=learnt, memory=memory, failed="", adam=state.step)


def _of_same_shape(known: Mapping[str, AdamParameters], fresh: Mapping[str, AdamParameters]) -> dict[str, AdamParameters]:
    """The ``fresh`` tensors, in place of each the ``known`` one of its name if that has its shape."""
    shapes = {name: learned.value.shape for name, learned in known.items()}
    return {name: known[name] if shapes.get(name) == new.value.shape else new for name, new in fresh.items()}
