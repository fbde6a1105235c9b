"""The base class of methods: what a training step does besides its loss, as pure functions."""

from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses import Gradients, Layout, Loss, Pairs
from dml_viz.losses._pairs import gradient_before_normalising
from dml_viz.params import Declared
from dml_viz.registry import name_of

ONCE = 10**9  # steps between surveys of a method that needs a single one


class Mark(NamedTuple):
    """An addition to the picture of the points: "points" or "rings" ``at`` (K, d), or "edges" (K, 2, d), called ``name``.

    ``role`` is "positive", "negative", "query" or "exact", and decides the colour.
    """

    name: str
    kind: str
    at: np.ndarray
    role: str = "positive"


@dataclass(frozen=True, eq=False)
class Survey:
    """The training set under the current weights: labels y (n,), unit rows z (n, d), ``features`` (n, h) before the last layer.

    ``taught(steps, dim)`` are the unit rows (n, dim) of a net of the same kind that the loss alone trained for ``steps`` steps.
    ``categories`` (n,) are those of the images; None for points, which have none.
    """

    y: Tensor
    z: Tensor
    features: Tensor
    seed: int
    taught: Callable[[int, int], Tensor]
    categories: Tensor | None = None


@dataclass(frozen=True, eq=False)
class StepBatch:
    """The input of a method at a step: unit rows z (B, d) without a graph, labels y (B,), places of ``images`` (B,) in the set.

    ``learnt`` are the loss's tensors, ``parameters`` the method's, ``memory`` the tensors that it remembers. ``features`` (B, h)
    are the rows before the last layer, whose weight and bias are the ``head``; None without a net. ``done`` is the share of
    steps done.
    """

    z: Tensor
    y: Tensor
    images: Tensor
    learnt: Mapping[str, Tensor]
    parameters: Mapping[str, Tensor]
    memory: Mapping[str, Tensor]
    done: float = 0.0
    layout: Layout | None = None
    features: Tensor | None = None
    head: tuple[Tensor, Tensor] | None = None


@dataclass(frozen=True, eq=False)
class Response:
    """The result of a step: value and gradients at z, tangent, at the loss's tensors, the method's ``parameters``, the ``head``.

    ``memory`` has the tensors that the method remembers from the next step on, if they have changed.
    """

    gradients: Gradients
    parameters: Mapping[str, Tensor] = field(default_factory=dict)
    head: tuple[Tensor, Tensor] | None = None
    memory: Mapping[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Method(Declared, ABC):
    """A declared method. A subclass overrides the parts of a step that it changes; its knobs are fields, as in a loss.

    It uses no clock and no global random numbers: a step depends on weights, memory, seed and step alone, however steps are
    sliced. Tensors are on the run's device, except those of `draw`, which are on the host.
    """

    title: ClassVar[str]
    sentence: ClassVar[str]
    of_points: ClassVar[str] = ""  # the sentence for points without a net, where it differs
    reference: ClassVar[str]
    faithful: ClassVar[str]
    """The differences from the paper, in a few words; shown wherever the method is named."""
    every: ClassVar[int] = 0
    """Steps from one survey of the training set to the next; 0 for no survey."""
    rate: ClassVar[float] = 1.0
    """The learning rate of the method's own tensors, as a multiple of the net's."""
    of_features: ClassVar[bool] = False
    """Whether a step needs the rows before the last layer."""
    in_slices: ClassVar[bool] = False
    """Whether slices of the embedding are trained separately; a loss that learns something is refused then."""
    changes_step: ClassVar[bool] = True
    """Whether a step differs from that of the loss alone, which needs no method's tables and may go through the net in pieces."""
    in_links: ClassVar[str] = ""
    """The method's name in links, if it is not the name of its file."""

    @property
    def replaces_loss(self) -> bool:
        """Whether the run's own loss has no effect."""
        return False

    @property
    def link_name(self) -> str:
        """The method's name in links; ``title`` is the one on the screen."""
        return name_of(self)

    def refuses(self, loss: Loss) -> str:
        """A sentence that says why the method cannot be trained with ``loss``; empty if it can."""
        if loss.views or not loss.unit:
            why = "compares two views of each image" if loss.views else "is of raw rows"
            return f"{self.title} takes a loss of unit rows with classes; {loss.title} {why}. Choose another, such as Triplet"
        if self.in_slices and loss.learns:
            return f"{self.title} takes a loss that learns nothing, as slices share nothing; choose one other than {loss.title}"
        return ""

    def disjoint_widths(self, dim: int) -> tuple[int, ...]:
        """The widths, ``dim`` in all, of the disjoint slices of the embedding that the net gives equal length; usually one."""
        return (dim,)

    def pictured_widths(self, dim: int) -> tuple[int, ...]:
        """The widths of the slices of the embedding that pictures show one by one; usually those of `disjoint_widths`."""
        return self.disjoint_widths(dim)

    def with_little_to_train(self) -> "Method":
        """The same method with little to train before the first step."""
        return self

    def initial_tensors(self, classes: int, width: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh learnt tensors of the method, float32, for features of ``width`` numbers and rows of ``dim`` numbers."""
        return {}

    def survey(self, seen: Survey, memory: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The memory of the method after a survey of the training set."""
        return dict(memory)

    def draw(self, sample: Tensor, y: Tensor, memory: Mapping[str, Tensor], generator: torch.Generator, done: float) -> Tensor:
        """The places (B,) in the training set of a step's images, in place of the sampler's ``sample`` (B,).

        ``y`` (n,) are the labels of the training set, ``done`` is the share of steps done.
        """
        return sample

    def pairs(self, loss: Loss, batch: StepBatch) -> Pairs:
        """The pairs from which the loss is computed."""
        return loss.pairs(batch.z, batch.y, batch.learnt, batch.layout)

    def response(self, loss: Loss, batch: StepBatch) -> Response:
        """The value and the gradients of the step."""
        return Response(loss.gradients_of_pairs(self.pairs(loss, batch), batch.learnt))

    def extra_search_rows(self, z: Tensor, parameters: Mapping[str, Tensor]) -> dict[str, tuple[Tensor, Tensor]]:
        """Further ways to search beside the unit rows z (n, d): by name, the rows of queries and the rows that are searched."""
        return {}

    def marks(self, batch: StepBatch, z: Tensor) -> tuple[Mark, ...]:
        """What shows the method in a picture of the batch and of all rows z (n, d)."""
        return ()


def value_and_slopes(function: Callable[..., Tensor], *at: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
    """The value of ``function(*at)`` and its gradient at each of ``at``, by autograd; 0 for a tensor that it does not use."""
    with torch.enable_grad():
        leaves = [tensor.detach().clone().requires_grad_() for tensor in at]
        value = function(*leaves)
        if not value.requires_grad:
            return value, tuple(map(torch.zeros_like, at))
        return value.detach(), torch.autograd.grad(value, leaves, materialize_grads=True)


def times(weight: float | Tensor, gradients: Gradients) -> Gradients:
    """The value and the gradients of a loss, multiplied by ``weight``."""
    learnt = {name: weight * slope for name, slope in gradients.learnt.items()}
    return Gradients(weight * gradients.value, weight * gradients.z, learnt)


def with_term(gradients: Gradients, weight: float | Tensor, value: Tensor, slope: Tensor, z: Tensor) -> Gradients:
    """The `Gradients` of the loss and ``weight`` times a term of given ``value`` and ``slope`` (B, d) at unit rows z (B, d)."""
    return Gradients(gradients.value + weight * value, gradients.z + weight * tangent(slope, z), gradients.learnt)


def class_mean_directions(z: Tensor, y: Tensor, classes: int) -> Tensor:
    """The mean direction (classes, d), a unit row, of the unit rows z (N, d) of each class; 0 for a class without rows."""
    return normalise(z.new_zeros(classes, z.shape[1]).index_add_(0, y, z))


def gradients_of_slice(loss: Loss, batch: StepBatch, rows: Tensor) -> Gradients:
    """Value and gradients of ``loss`` at ``rows`` (B, w), a slice of the batch's embeddings, which is normalised by itself."""
    gradients = loss.gradients(normalise(rows), batch.y, batch.layout, **batch.learnt)
    return Gradients(gradients.value, gradient_before_normalising(gradients.z, rows), gradients.learnt)


def random_rows(rows: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Random ``count`` of ``rows`` (m,); if there are fewer, each comes equally often to within one."""
    order = torch.randperm(len(rows), generator=generator)[: min(count, len(rows))]
    return rows[order[torch.arange(count) % len(order)]]


def sample_classes(classes: Sequence[int], y: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """The places in y (n,) of ``count`` random images of each of ``classes``, one class after the other."""
    return torch.cat([random_rows((y == label).nonzero()[:, 0], count, generator) for label in classes])
