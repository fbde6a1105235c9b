"""The base class of losses: what a file in ``losses/`` declares, and what is derived from that."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import torch
from torch import Tensor

from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses._layout import Layout
from dml_viz.losses._learnt_tensor import LearntTensor, check_batch
from dml_viz.losses._modes import outside_inference_and_autocast
from dml_viz.losses._pairs import BatchPairs, Pairs, gradient_before_normalising
from dml_viz.losses._results import Evaluated, Gradients, Weights
from dml_viz.losses._scalar import Number
from dml_viz.params import Declared, knobs

FAMILIES = ("pairs", "triplets", "tuples", "proxies", "ranking", "classification", "unsupervised")


@dataclass(frozen=True)
class Loss(Declared, ABC):
    """A loss over rows z (N, d) with labels y (N,) and, for some, learnt tensors passed by keyword.

    A subclass declares its knobs as fields and defines `by_hand` and `of_pairs`; all else is derived from these two. A loss
    with pair weights in closed form overrides `value_and_weights`, one with a still faster form `evaluate`: training, `value` and
    the gradients use the fastest. A loss that is no function of squared distances defines `of_rows`, `evaluate` and `weights`
    instead.

    A loss that learns declares its tensors in ``learnable``, drawn by `initial_tensors`: "proxies" (classes * per_class, d) with
    ``per_class`` rows for each class, a number per class (classes,), or a number () with a switch that fixes it at its start.
    """

    title: ClassVar[str]
    sentence: ClassVar[str]
    formula: ClassVar[str]
    weight_formula: ClassVar[str] = ""
    rewritten: ClassVar[tuple[tuple[str, Any, str, str], ...]] = ()
    """Changes of the formulas by switches: the knob, its value, a part of a formula, and the text that replaces it."""
    reference: ClassVar[str]
    families: ClassVar[tuple[str, ...]]
    elsewhere: ClassVar[str]
    """One or two sentences on what common libraries compute under this name, and what differs."""
    traps: ClassVar[tuple[str, ...]] = ()
    ordered: ClassVar[bool] = False
    """Whether the order of a class's rows in the batch matters."""
    axes: ClassVar[bool] = False
    """Whether the loss depends on single coordinates, so that rotating the points changes it."""
    by_user: ClassVar[bool] = False
    """Whether users write the loss themselves, so that it is in no list of published losses."""
    masked: ClassVar[bool] = False
    """Whether the loss reads positive pairs from the masks of `Pairs` alone, so that other masks pull other pairs."""
    learnable: ClassVar[tuple[LearntTensor, ...]] = ()
    """The tensors that the loss learns, some of them by a switch alone."""
    views: ClassVar[bool] = False
    """Whether a label names an image, of which the batch has two views, rather than a class."""

    def __init_subclass__(cls) -> None:
        for name in ("weights", "of_rows"):
            if name in vars(cls):
                setattr(cls, name, outside_inference_and_autocast(vars(cls)[name]))

    @property
    @abstractmethod
    def variant_text(self) -> str:
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
        """The title; if it names several forms, the form that the knobs select."""
        forms = self.title.split(", ")
        return next((value for value in knobs(self).values() if isinstance(value, str) and value in forms), self.title)

    @property
    def in_browser(self) -> Mapping[str, Any]:
        """The values that `by_hand` reads from ``self``, by name, for its translation to JavaScript."""
        return knobs(self)

    @property
    def learns(self) -> dict[str, LearntTensor]:
        """The learnt tensors by name, as the switches select them."""
        return {each.name: each for each in self.learnable if not each.switch or getattr(self, each.switch)}

    @property
    def per_class(self) -> int:
        """The number of rows of "proxies" per class; rows of one class are adjacent."""
        return 1

    @property
    def unit(self) -> bool:
        """Whether rows must have norm 1; otherwise they are raw, and their norms matter."""
        return True

    @property
    def one_sided(self) -> bool:
        """Whether a pair (i, j) moves z_i alone, with z_j held constant."""
        return False

    @property
    def distance_bounds(self) -> tuple[float, float] | None:
        """The distance up to which positive pairs have no gradient, and that from which negative pairs have none, if any."""
        return None

    @property
    def held_constant(self) -> str:
        """One sentence on what the gradient holds constant although it moves; empty if the gradient is that of the value."""
        return ""

    @abstractmethod
    def by_hand(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Number:
        """The paper's sums, one index at a time: a float, or a differentiable scalar tensor if z requires grad."""

    def of_pairs(self, pairs: Pairs) -> Tensor:
        """The loss of all pairs as a scalar, differentiable by autograd. The plain form, for reading and for tests."""
        raise TypeError(f"{type(self).__name__} is no function of squared distances")

    @outside_inference_and_autocast
    def of_rows(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss of rows z (N, d) with labels y (N,) as a scalar, differentiable by autograd. The plain form, as `of_pairs`."""
        return self.of_pairs(self.pairs(z, y, learnt))

    def value_and_weights(self, pairs: Pairs) -> tuple[Tensor, Tensor]:
        """The value and the pair weights dL/ds (N, M), without a graph; what `of_pairs` detaches is constant."""
        with torch.enable_grad():
            leaf = pairs.d2.detach().requires_grad_()
            value = self.of_pairs(pairs.at(leaf))
            slope = torch.autograd.grad(value, leaf)[0] if value.requires_grad else torch.zeros_like(leaf)
        return value.detach(), slope.mul_(-2)

    def evaluate(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        """Value and gradients of a checked batch, given by its pairs, without a graph; the gradient at z has its radial part."""
        return self.gradients_of_weights(pairs, learnt, *self.value_and_weights(pairs))

    def can_evaluate_from_weights(self, pairs: Pairs) -> bool:
        """Whether `evaluate` needs the result of `value_and_weights` alone, and no faster form of the loss's own."""
        return type(self).evaluate is Loss.evaluate

    def gradients_of_weights(self, pairs: Pairs, learnt: Mapping[str, Tensor], value: Tensor, weights: Tensor) -> Gradients:
        """Gradients from the result of `value_and_weights`, for a loss that does not override `evaluate`."""
        slopes = self.learnt_slopes(pairs, weights)
        if "proxies" not in learnt:
            return Gradients(value, pairs.gradient_at_rows(weights, one_sided=self.one_sided), slopes)
        at_z, at_proxies = pairs.gradients_at_both_ends(weights)
        return Gradients(value, at_z, {**slopes, "proxies": gradient_before_normalising(at_proxies, learnt["proxies"])})

    def learnt_slopes(self, pairs: Pairs, weights: Tensor) -> dict[str, Tensor]:
        """The derivatives of the value by the learnt numbers, given the pair weights; by autograd, unless overridden."""
        if not pairs.learnt:
            return {}
        with torch.enable_grad():
            leaves = {name: tensor.detach().requires_grad_() for name, tensor in pairs.learnt.items()}
            value = self.of_pairs(pairs.with_learnt(leaves))
            if not value.requires_grad:
                return {name: torch.zeros_like(leaf) for name, leaf in leaves.items()}
            slopes = torch.autograd.grad(value, list(leaves.values()), allow_unused=True, materialize_grads=True)
        return dict(zip(leaves, slopes, strict=True))

    def pairs(self, z: Tensor, y: Tensor, learnt: Mapping[str, Tensor], layout: Layout | None = None) -> Pairs:
        """The pairs of the loss: rows with each other, or with the proxies.

        With the ``layout`` of y nothing is copied from the device; without it, labels are copied where the loss needs them.
        """
        others = {name: tensor for name, tensor in learnt.items() if name != "proxies"}
        if "proxies" not in learnt:
            pairs = BatchPairs(z, y, ends_constant=self.one_sided, learnt=others)
            if layout:
                pairs.layout = layout
            return pairs
        proxies = normalise(learnt["proxies"])
        return Pairs(z, y, proxies, _owners(len(proxies), self.per_class, y.device), learnt=others)

    def initial_tensors(self, classes: int, dim: int, generator: torch.Generator) -> dict[str, Tensor]:
        """Fresh learnt tensors, float32, for ``classes`` classes in ``dim`` dimensions."""
        return {}

    @outside_inference_and_autocast
    def value(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The loss as a scalar tensor, differentiable once; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.unchecked_value(z, y, **learnt)

    @outside_inference_and_autocast
    def gradient(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The gradient (N, d) at z, tangent where rows are unit; ValueError for a batch that `check_batch` refuses."""
        self.check_batch(z, y, **learnt)
        return self.gradients(z.detach(), y, **{name: tensor.detach() for name, tensor in learnt.items()}).z

    @outside_inference_and_autocast
    def gradients(self, z: Tensor, y: Tensor, layout: Layout | None = None, /, **learnt: Tensor) -> Gradients:
        """Value and gradients of a checked batch, without a graph, as a training step uses them; tangent where rows are unit."""
        return self.gradients_of_pairs(self.pairs(z, y, learnt, layout), learnt)

    def gradients_of_pairs(self, pairs: Pairs, learnt: Mapping[str, Tensor]) -> Gradients:
        """The result of `gradients`, from pairs whose tables several losses of a batch may share."""
        result = self.evaluate(pairs, learnt)
        return Gradients(result.value, tangent(result.z, pairs.z), result.learnt) if self.unit else result

    @outside_inference_and_autocast
    def unchecked_value(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Tensor:
        """The result of `value` for a batch that was checked already."""

        def evaluate(rows: Tensor, tensors: Mapping[str, Tensor]) -> Gradients:
            return self.evaluate(self.pairs(rows, y, tensors), tensors)

        value: Tensor = Evaluated.apply(evaluate, tuple(learnt), z, *learnt.values())
        return value

    @outside_inference_and_autocast
    def weights(self, z: Tensor, y: Tensor, **learnt: Tensor) -> Weights:
        """Pair weights of a checked batch."""
        with torch.no_grad():
            _, table = self.value_and_weights(self.pairs(z, y, learnt))
        return Weights(proxy=table) if "proxies" in learnt else Weights(pair=table, one_sided=self.one_sided)

    def check_batch(self, z: Tensor, y: Tensor, **learnt: Tensor) -> None:
        """Raise ValueError, or TypeError for what is no tensor, that says what is wrong with a batch and how to mend it."""
        check_batch(z, y, learnt, self.learns, unit=self.unit, per_class=self.per_class)


@lru_cache(maxsize=32)
def _owners(proxies: int, per_class: int, device: torch.device) -> Tensor:
    with torch.inference_mode(False):
        return torch.arange(proxies, device=device).div(per_class, rounding_mode="floor")
