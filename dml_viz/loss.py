"""The contract of a loss: what a file in ``losses/`` declares, and what it gets for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dml_viz.batch import check_batch
from dml_viz.geometry import Edge, Mark, Point
from dml_viz.literal import Number
from dml_viz.params import check
from dml_viz.sphere import normalise, pull, squared_distances, tangent

if TYPE_CHECKING:
    from dml_viz.subject import Subject


@dataclass(frozen=True)
class Weights:
    """Pair weights, the common language of every picture.

    ``pair`` (N, N) is dL/ds_ij for s_ij = z_i . z_j with the diagonal zero, its transpose not added;
    ``proxy`` (N, C) is dL/ds for s = z_i . p_c with p_c on the unit sphere. Each is None where a loss has no such term.
    """

    pair: Tensor | None = None
    proxy: Tensor | None = None


@dataclass(frozen=True)
class Gradients:
    """The value (scalar), the gradient at z (N, d) and one gradient per learnt tensor; none carries a graph."""

    value: Tensor
    z: Tensor
    learnt: Mapping[str, Tensor]


@dataclass(frozen=True)
class Loss(ABC):
    """A loss over unit rows z (N, d) with labels y (N,) and, for some, learnt tensors passed by keyword.

    A leaf declares its knobs as fields and gives `by_hand` and `of_pairs`; everything else follows from these two.
    Where it knows its derivative by pairs in closed form it overrides `slopes`, and where it can do better than that,
    `evaluate`: training, `value` and their gradients all take the better one. A loss that is no function of squared
    distances overrides `evaluate` alone.
    """

    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[str]
    weight_formula: ClassVar[str] = ""
    reference: ClassVar[str]
    family: ClassVar[str]
    traps: ClassVar[tuple[str, ...]] = ()
    learns: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        check(self)

    @property
    @abstractmethod
    def variant(self) -> str:
        """Which of the variants in circulation the knobs select, in one sentence."""

    @abstractmethod
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        """The paper's sums, one index at a time: a float, or where z requires grad a scalar that autograd can follow."""

    def of_pairs(self, d2: Tensor, y: Tensor) -> Tensor:
        """The loss, differentiable, of squared distances d2: (N, N) between the points, or (N, C) to the proxies.

        The plain form, for reading and for tests: memory is no object.
        """
        raise TypeError(f"{type(self).__name__} is no function of squared distances")

    def slopes(self, d2: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """The value and dL/d(d2), of the shape of ``d2``; a point's distance to itself has slope 0."""
        with torch.enable_grad():
            leaf = d2.detach().requires_grad_()
            value = self.of_pairs(leaf, y)
            slope = torch.autograd.grad(value, leaf)[0] if value.requires_grad else torch.zeros_like(d2)
        return value.detach(), slope

    def evaluate(self, z: Tensor, y: Tensor, learnt: Mapping[str, Tensor]) -> Gradients:
        """Value and gradients of a checked batch without grad; the gradient at z has its radial part."""
        if not self.learns:
            value, slope = self.slopes(squared_distances(z, z), y)
            return Gradients(value, pull(-2 * (slope + slope.T), z, z), {})
        proxies = learnt["proxies"]
        unit = normalise(proxies)
        value, slope = self.slopes(squared_distances(z, unit), y)
        weights = -2 * slope
        around = tangent(pull(weights.T, z, unit), unit) / torch.linalg.vector_norm(proxies, dim=1, keepdim=True)
        return Gradients(value, pull(weights, unit, z), {"proxies": around})

    def init(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh learnt tensors, float32, for ``classes`` classes in ``dim`` dimensions."""
        del classes, dim, generator
        return {}

    def value(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss as a scalar tensor, differentiable once; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.of_batch(z, y, **learnt)

    def gradient(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The tangent gradient (N, d) at z; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.gradients(z.detach(), y, **{name: tensor.detach() for name, tensor in learnt.items()}).z

    def gradients(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Gradients:
        """Value and gradients of a checked batch without grad, as a training step uses them; tangent at z."""
        found = self.evaluate(z, y, learnt)
        return Gradients(found.value, tangent(found.z, z), found.learnt)

    def of_batch(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss of a checked batch as a scalar tensor, differentiable once."""
        value: Tensor = _Evaluated.apply(self, y, tuple(learnt), z, *learnt.values())
        return value

    def weights(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Weights:
        """Pair weights of a checked batch; TypeError for a loss that is no function of pairs."""
        with torch.no_grad():
            if self.learns:
                return Weights(proxy=-2 * self.slopes(squared_distances(z, normalise(learnt["proxies"])), y)[1])
            return Weights(pair=-2 * self.slopes(squared_distances(z, z), y)[1])

    def geometry(self, subject: Subject, query: int) -> tuple[Mark, ...]:
        """What to draw around point ``query`` (an index into the subject) besides the points: here its weighted pairs."""
        found = self.weights(subject.z, subject.y, **subject.learnt)
        same = subject.y == subject.y[query]
        weights, ends = found.pair, subject.z
        if found.proxy is not None:
            weights, ends = found.proxy, normalise(subject.learnt["proxies"])
            same = torch.arange(len(ends)) == subject.y[query]
        if weights is None:
            return ()
        start, *_ = _points(subject.z[query : query + 1])
        pairs = zip(_points(ends), weights[query].tolist(), same.tolist(), strict=True)
        return tuple(Edge(f"{w:.3g}", "positive" if own else "negative", start, end, w) for end, w, own in pairs if w)

    def check_batch(self, z: Tensor, y: Tensor, **learnt: Tensor) -> None:
        """ValueError (TypeError for what is no tensor) that names what is wrong with a batch and how to mend it."""
        check_batch(z, y, learnt, self.learns)


def _points(z: Tensor) -> list[Point]:
    return [tuple(row) for row in z.tolist()]


class _Evaluated(torch.autograd.Function):
    """`Loss.evaluate` as a node of autograd's graph: the gradient is made with the value and scaled on the way back."""

    @staticmethod
    def forward(ctx: Any, loss: Loss, y: Tensor, names: tuple[str, ...], z: Tensor, *learnt: Tensor) -> Tensor:
        found = loss.evaluate(z, y, dict(zip(names, learnt, strict=True)))
        ctx.save_for_backward(found.z, *(found.learnt[name] for name in names))
        return found.value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, None, *(slope * gradient for gradient in ctx.saved_tensors)
