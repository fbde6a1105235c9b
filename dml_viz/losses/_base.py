"""The base class of losses: what a file in ``losses/`` declares, and what follows from it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses._layout import Layout
from dml_viz.losses._modes import outside_modes
from dml_viz.losses._pairs import BatchPairs, Pairs
from dml_viz.losses._scalar import Number
from dml_viz.losses._validate import check_batch
from dml_viz.params import check, knobs

FAMILIES = ("pairs", "triplets", "tuples", "proxies", "ranking", "classification", "unsupervised")


@dataclass(frozen=True)
class Weights:
    """Pair weights, the common language of every picture.

    ``pair`` (N, N) is dL/ds_ij for s_ij = z_i . z_j, its transpose not added; ``proxy`` (N, M) is dL/ds for
    s = z_i . p_j with p_j on the unit sphere. Each is None where a loss has no such term. Where ``one_sided``, a pair moves
    its row's end alone. A loss of raw rows may mean other rows than z by s, ``rows`` (N, d), may weigh a row's product with
    itself, and may have a gradient ``rest`` (N, d) that is no pair's.
    """

    pair: Tensor | None = None
    proxy: Tensor | None = None
    one_sided: bool = False
    rows: Tensor | None = None
    rest: Tensor | None = None


@dataclass(frozen=True)
class Gradients:
    """The value (scalar), the gradient at z (N, d) and one gradient per learnt tensor; none carries a graph."""

    value: Tensor
    z: Tensor
    learnt: Mapping[str, Tensor]


@dataclass(frozen=True)
class Loss(ABC):
    """A loss over rows z (N, d) with labels y (N,) and, for some, learnt tensors passed by keyword.

    A leaf declares its knobs as fields and gives `by_hand` and `of_pairs`; everything else follows from these two. Where it
    knows its pair weights in closed form it overrides `weigh`, and where it can do better than that, `evaluate`: training,
    `value` and their gradients all take the better one. A loss that is no function of squared distances gives `of_rows`,
    `evaluate` and `weights` instead.

    The learnt tensor "proxies" (classes * per_class, d) stands for the classes, row by row; any other holds one number per
    class (classes,).
    """

    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[str]
    weight_formula: ClassVar[str] = ""
    rewritten: ClassVar[tuple[tuple[str, Any, str, str], ...]] = ()
    """Where a switch changes the formulas: the knob, its value, a part of a formula, and what is there instead."""
    reference: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    elsewhere: ClassVar[str]
    """One or two sentences on what common libraries compute under this name, and what differs."""
    traps: ClassVar[tuple[str, ...]] = ()
    ordered: ClassVar[bool] = False
    """Whether the order of a class's rows in the batch matters."""
    axes: ClassVar[bool] = False
    """Whether the loss speaks of single coordinates, so that turning the points changes it."""
    own: ClassVar[bool] = False
    """Whether its users write the loss themselves, so that no list of published losses has it."""
    masked: ClassVar[bool] = False
    """Whether another choice of positive pairs, in the pairs' masks, is all that it takes to change which are pulled."""
    views: ClassVar[bool] = False
    """Whether a label names an image, of which the batch holds two views, rather than a class."""

    def __init_subclass__(cls) -> None:
        for name in ("weights", "of_rows"):
            if name in vars(cls):
                setattr(cls, name, outside_modes(vars(cls)[name]))

    def __post_init__(self) -> None:
        check(self)

    @property
    @abstractmethod
    def variant(self) -> str:
        """One sentence on which of the variants in circulation the knobs select."""

    @property
    def variant_formula(self) -> str:
        """The formula in LaTeX, as the switches select it."""
        return self._switched(self.formula)

    @property
    def variant_weights(self) -> str:
        """The formula of the weights in LaTeX, as the switches select it; empty where there is none."""
        return self._switched(self.weight_formula)

    def _switched(self, formula: str) -> str:
        for knob, value, part, instead in self.rewritten:
            if getattr(self, knob) == value:
                formula = formula.replace(part, instead)
        return formula

    @property
    def name(self) -> str:
        """The title; where it names several forms, the form that the knobs select."""
        forms = self.title.split(", ")
        return next((value for value in knobs(self).values() if isinstance(value, str) and value in forms), self.title)

    @property
    def in_browser(self) -> Mapping[str, Any]:
        """What `by_hand` reads of the loss, by name, for its translation."""
        return knobs(self)

    @property
    def learns(self) -> tuple[str, ...]:
        """The names of the learnt tensors."""
        return ()

    @property
    def per_class(self) -> int:
        """Number of rows of "proxies" per class; they follow one another."""
        return 1

    @property
    def unit(self) -> bool:
        """Whether rows are to be of norm 1; else they are raw, and their norms matter."""
        return True

    @property
    def one_sided(self) -> bool:
        """Whether a pair moves its row's end alone, the other held constant."""
        return False

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The distance up to which positive pairs have no gradient, and that from which negative pairs have none, if any."""
        return None

    @property
    def constant(self) -> str:
        """One sentence on what the gradient takes for constant although it moves; empty where it is the value's gradient."""
        return ""

    @abstractmethod
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        """The paper's sums, one index at a time: a float, or where z requires grad a scalar that autograd can follow."""

    def of_pairs(self, pairs: Pairs) -> Tensor:
        """The loss of all pairs, differentiable by what they are made of. The plain form, for reading and for tests."""
        raise TypeError(f"{type(self).__name__} is no function of squared distances")

    @outside_modes
    def of_rows(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss of rows, differentiable by autograd alone: the plain form, for reading and for tests."""
        return self.of_pairs(self.pairs(z, y, learnt))

    def weigh(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value and the pair weights dL/ds (N, M), without a graph; what `of_pairs` holds constant is."""
        with torch.enable_grad():
            leaf = pairs.d2.detach().requires_grad_()
            value = self.of_pairs(pairs.at(leaf))
            slope = torch.autograd.grad(value, leaf)[0] if value.requires_grad else torch.zeros_like(leaf)
        return value.detach(), slope.mul_(-2)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        """Value and gradients of a checked batch, given as `pairs`, without grad; the gradient at z has its radial part."""
        return self.gradients_of_weights(pairs, learnt, *self.weigh(pairs))

    def needs_weights_alone(self, pairs: Pairs) -> bool:
        """Whether `evaluate` is made of what `weigh` gives and nothing else."""
        return type(self).evaluate is Loss.evaluate

    def gradients_of_weights(
        self, pairs: Pairs, learnt: Mapping[str, Tensor], value: Tensor, weights: Tensor
    ) -> Gradients:
        """Gradients from the result of `weigh`, for a loss that does not override `evaluate`."""
        if "proxies" not in learnt:
            return Gradients(value, pairs.pull(weights, one_sided=self.one_sided), {})
        at_z, at_proxies = pairs.pulls(weights)
        return Gradients(value, at_z, {"proxies": through_length(at_proxies, learnt["proxies"])})

    def pairs(self, z: Tensor, y: Tensor, learnt: Mapping[str, Tensor], layout: Layout | None = None) -> Pairs:
        """The pairs that the loss is of: of the rows with each other, or with the proxies.

        With the ``layout`` of y nothing is read from the device; without it, labels are read where the loss asks of them.
        """
        others = {name: tensor for name, tensor in learnt.items() if name != "proxies"}
        if "proxies" not in learnt:
            pairs = BatchPairs(z, y, ends_constant=self.one_sided, learnt=others)
            if layout:
                pairs.layout = layout
            return pairs
        proxies = normalise(learnt["proxies"])
        return Pairs(z, y, proxies, _owners(len(proxies), self.per_class, y.device), learnt=others)

    def init(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh learnt tensors, float32, for ``classes`` classes in ``dim`` dimensions."""
        del classes, dim, generator
        return {}

    @outside_modes
    def value(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss as a scalar tensor, differentiable once; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.of_batch(z, y, **learnt)

    @outside_modes
    def gradient(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The gradient (N, d) at z, tangent where rows are unit; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.gradients(z.detach(), y, **{name: tensor.detach() for name, tensor in learnt.items()}).z

    @outside_modes
    def gradients(self, z: Tensor, y: Tensor, layout: Layout | None = None, /, **learnt: Tensor) -> Gradients:
        """Value and gradients of a checked batch without grad, as a training step uses them; tangent where rows are unit."""
        return self.gradients_of_pairs(self.pairs(z, y, learnt, layout), learnt)

    def gradients_of_pairs(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        """Value and gradients as `gradients` gives them, from pairs whose tables several losses of a batch may share."""
        found = self.evaluate(pairs, learnt)
        return Gradients(found.value, tangent(found.z, pairs.z), found.learnt) if self.unit else found

    @outside_modes
    def of_batch(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss of a checked batch as a scalar tensor, differentiable once."""
        value: Tensor = _Evaluated.apply(self, y, tuple(learnt), z, *learnt.values())
        return value

    @outside_modes
    def weights(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Weights:
        """Pair weights of a checked batch."""
        with torch.no_grad():
            _, found = self.weigh(self.pairs(z, y, learnt))
        return Weights(proxy=found) if "proxies" in learnt else Weights(pair=found, one_sided=self.one_sided)

    def check_batch(self, z: Tensor, y: Tensor, **learnt: Tensor) -> None:
        """ValueError (TypeError for what is no tensor) that names what is wrong with a batch and how to mend it."""
        check_batch(z, y, learnt, self.learns, unit=self.unit, per_class=self.per_class)


def through_length(gradient: Tensor, rows: Tensor) -> Tensor:
    """The gradient (M, d) at ``rows`` (M, d) of any length, from the one at the unit rows in their directions."""
    lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True)
    return tangent(gradient, rows / lengths) / lengths


@lru_cache(maxsize=32)
def _owners(proxies: int, per_class: int, device: torch.device) -> Tensor:
    with torch.inference_mode(False):
        return torch.arange(proxies, device=device).div(per_class, rounding_mode="floor")


class _Evaluated(torch.autograd.Function):
    """`Loss.evaluate` as a node of autograd's graph: the gradient is made with the value and scaled on the way back."""

    @staticmethod
    def forward(ctx: Any, loss: Loss, y: Tensor, names: tuple[str, ...], z: Tensor, *learnt: Tensor) -> Tensor:
        given = {name: tensor.detach() for name, tensor in zip(names, learnt, strict=True)}
        found = loss.evaluate(loss.pairs(z.detach(), y, given), given)
        ctx.save_for_backward(found.z, *(found.learnt[name] for name in names))
        return found.value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, None, *(slope * gradient for gradient in ctx.saved_tensors)
