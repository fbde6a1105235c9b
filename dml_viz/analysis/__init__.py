"""The response of any loss to any embeddings: value, gradients, weights of pairs and proxies, and where descent leads."""

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Self

import numpy as np
import torch
from torch import Tensor

from dml_viz.embedding.embeddings import Embeddings
from dml_viz.embedding.sphere import normalise, tangent
from dml_viz.losses import Gradients, Loss, Pairs, Weights

SEED = 0  # draws the learnt tensors that a loss starts from
ACTIVE = 1e-3  # share of the largest gradient or weight; a point or a pair below it does not count as active
ROUNDING = 1e-13  # share of the summed weights at a point; a gradient below it is a rounding error
NOTHING = 1e-15  # a gradient or weight too small to move a point: not even the last digit of its coordinates


@dataclass(frozen=True, eq=False)
class LossInputs:
    """The input of a loss: embeddings, labels y (N,) that number the rows of its learnt tensors, and these with their origin."""

    embeddings: Embeddings
    y: Tensor
    learnt: Mapping[str, Tensor]
    note: str = ""

    @property
    def z(self) -> Tensor:
        """Unit rows (N, d)."""
        return self.embeddings.z

    @property
    def proxies(self) -> Tensor | None:
        """The directions (M, d) of the proxies, if the loss has some."""
        proxies = self.learnt.get("proxies")
        return None if proxies is None else normalise(proxies)


def fresh_learnt(loss: Loss, classes: int, dim: int, dtype: torch.dtype = torch.float64) -> dict[str, Tensor]:
    """The learnt tensors of ``loss`` for ``classes`` classes in ``dim`` dimensions, as training starts them; always the same."""
    tensors = loss.initial_tensors(classes, dim, torch.Generator().manual_seed(SEED))
    return {name: tensor.to(dtype) for name, tensor in tensors.items() if name in loss.learns}


@dataclass(frozen=True, eq=False)
class LossResponse:
    """A loss on a batch of N points: each number is computed when it is first asked for, from one table of distances.

    Partners are the M proxies of a loss that has some, and else the points themselves.
    """

    loss: Loss
    inputs: LossInputs

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of points with their partners: other points, or proxies."""
        pairs = self.loss.pairs(self.inputs.z, self.inputs.y, self.inputs.learnt)
        if self.loss.unit and pairs.among_themselves:
            vars(pairs)["d2"] = self.inputs.embeddings.d2
        return pairs

    @cached_property
    def _weighed(self) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            return self.loss.value_and_weights(self.pairs)

    @cached_property
    def ordered_weights(self) -> Weights:
        """The weights of ordered pairs as the loss returns them."""
        if type(self.loss).weights is not Loss.weights:
            return self.loss.weights(self.inputs.z, self.inputs.y, **self.inputs.learnt)
        table = self._weighed[1]
        return Weights(proxy=table) if self.has_proxies else Weights(pair=table, one_sided=self.loss.one_sided)

    @cached_property
    def gradients(self) -> Gradients:
        """The value and the gradients that training uses; at unit rows the gradient has no radial part."""
        loss, learnt = self.loss, self.inputs.learnt
        with torch.no_grad():
            if not loss.unit or not loss.can_evaluate_from_weights(self.pairs):
                return loss.gradients_of_pairs(self.pairs, learnt)
            ambient = loss.gradients_of_weights(self.pairs, learnt, *self._weighed)
            return Gradients(ambient.value, tangent(ambient.z, self.inputs.z), ambient.learnt)

    @property
    def value(self) -> float:
        """The value of the loss."""
        return float(self.gradients.value)

    @property
    def has_proxies(self) -> bool:
        """Whether partners are proxies."""
        return "proxies" in self.inputs.learnt

    @property
    def partners(self) -> Tensor:
        """The unit rows (M, d) of the partners."""
        proxies = self.inputs.proxies
        return self.inputs.z if proxies is None else proxies

    @cached_property
    def tangent(self) -> np.ndarray:
        """The part along the sphere (N, d) of the gradient, which for losses of unit rows is the gradient."""
        z = self.gradients.z
        return (z if self.loss.unit else tangent(z, self.inputs.z)).numpy()

    @cached_property
    def raw_gradient(self) -> np.ndarray:
        """The gradient (N, d) with its radial part; for a loss of unit rows, as a loss of inner products."""
        if not self.loss.unit:
            return self.gradients.z.numpy()
        return (self._table @ self.partners).numpy()

    @cached_property
    def weights(self) -> np.ndarray:
        """The factors (N, M) of the partners' rows in the raw gradient of each point.

        Both orders of a pair are added, unless the loss moves one end alone; a point with itself has 0.
        """
        table = self._table.numpy().copy()
        if not self.has_proxies:
            np.fill_diagonal(table, 0)
        return table

    @cached_property
    def _table(self) -> Tensor:
        weights, n = self.ordered_weights, len(self.inputs.z)
        if weights.proxy is not None:
            return weights.proxy.detach()
        pair = self.inputs.z.new_zeros(n, n) if weights.pair is None else weights.pair.detach()
        return pair if weights.one_sided else pair + pair.T

    @cached_property
    def tangent_lengths(self) -> np.ndarray:
        """The lengths (N,) of the gradients along the sphere, set to 0 where they are rounding errors."""
        lengths = np.linalg.norm(self.tangent, axis=1)
        pulls = np.abs(self.weights).sum(1) if self.loss.unit else np.linalg.norm(self.raw_gradient, axis=1)
        return np.where(lengths > max(NOTHING, ROUNDING * pulls.max(initial=0)), lengths, 0)

    @property
    def gradient_norm(self) -> float:
        """The length of the whole gradient along the sphere, all points together."""
        return float(np.linalg.norm(self.tangent_lengths))

    @cached_property
    def active_points(self) -> tuple[int, int]:
        """The number of points with a gradient, and the number of all points."""
        return int((self.tangent_lengths > ACTIVE * self.tangent_lengths.max(initial=0)).sum()), len(self.tangent_lengths)

    @property
    def radial_share(self) -> float:
        """The share of the raw gradient's squared length that points off the sphere; NaN for none at all."""
        squared = float((self.raw_gradient**2).sum())
        return max(0.0, 1 - float((self.tangent**2).sum()) / squared) if squared else math.nan

    @cached_property
    def evaluation_seconds(self) -> float:
        """The time that value and gradients take, measured at their second computation."""
        _, began = self.gradients, time.perf_counter()
        self.loss.gradients(self.inputs.z, self.inputs.y, **self.inputs.learnt)
        return time.perf_counter() - began

    @cached_property
    def pair_indices(self) -> np.ndarray:
        """The indices (K, 2) of all pairs: points i < j, or a point and a proxy."""
        all_pairs = np.ones(self.weights.shape, bool)
        return np.argwhere(all_pairs if self.has_proxies else np.triu(all_pairs, 1))

    @cached_property
    def pair_weight_matrix(self) -> np.ndarray:
        """dL/ds (N, M) of each pair, both orders together; negative where a pair is pulled together."""
        both = not self.has_proxies and self.ordered_weights.one_sided
        return self.weights + self.weights.T if both else self.weights

    @cached_property
    def pair_weights(self) -> np.ndarray:
        """The weights (K,) of all pairs, both orders together."""
        return self.pair_weight_matrix[tuple(self.pair_indices.T)]

    @cached_property
    def largest_weight(self) -> float:
        """The largest absolute weight of a pair; 0 where no pair has a weight."""
        return float(np.abs(self.pair_weights).max(initial=0))

    @property
    def least_weight(self) -> float:
        """The absolute weight above which a pair counts as active: `ACTIVE` of the largest, and more than a rounding error."""
        return max(NOTHING, ACTIVE * self.largest_weight)

    @cached_property
    def is_active(self) -> np.ndarray:
        """Which pairs (K,) are active."""
        return np.abs(self.pair_weights) > self.least_weight

    def active_pairs_of_kind(self, positive: bool) -> tuple[int, int]:
        """The number of active positive pairs, or of active negative pairs, and the number of all pairs of that kind."""
        of_kind = self.is_positive == positive
        return int((self.is_active & of_kind).sum()), int(of_kind.sum())

    @property
    def active_pairs(self) -> tuple[int, int]:
        """The number of active pairs, and the number of all pairs."""
        return int(self.is_active.sum()), len(self.is_active)

    @cached_property
    def is_positive(self) -> np.ndarray:
        """Which pairs (K,) are of one class."""
        return self.pairs.same.numpy()[tuple(self.pair_indices.T)]

    @property
    def has_transformed_rows(self) -> bool:
        """Whether the pair weights belong to inner products of rows that the loss makes of the points, not of the points."""
        return self.ordered_weights.rows is not None

    @cached_property
    def pair_similarities(self) -> np.ndarray:
        """The inner products (K,) that the weights belong to."""
        rows = self.ordered_weights.rows
        table = self.inputs.z @ self.partners.T if rows is None else rows @ rows.T
        return table.numpy()[tuple(self.pair_indices.T)]

    def after_step(self, rate: float, learnt_rate: float) -> Self:
        """The response after a step down the gradient: rows back on the sphere, proxies as long as they were."""
        learnt = dict(self.inputs.learnt)
        if learnt_rate:
            learnt = {name: tensor - learnt_rate * self.gradients.learnt[name] for name, tensor in learnt.items()}
            if self.has_proxies:
                lengths = self.inputs.learnt["proxies"].norm(dim=1, keepdim=True)
                learnt["proxies"] = normalise(learnt["proxies"]) * lengths
        return self.with_rows(normalise(self.inputs.z - rate * torch.from_numpy(self.tangent)), learnt)

    def with_rows(self, z: Tensor, learnt: Mapping[str, Tensor]) -> Self:
        """The response at other rows (N, d), with other learnt tensors."""
        return replace(self, inputs=LossInputs(replace(self.inputs.embeddings, z=z), self.inputs.y, learnt))

    def flow(self, steps: int, rate: float, learnt_rate: float) -> Iterator[Self]:
        """The responses (steps + 1) along the gradient flow from here, with no net between the loss and the points."""
        return accumulate(range(steps), lambda state, _: state.after_step(rate, learnt_rate), initial=self)


def response_to(embeddings: Embeddings, loss: Loss) -> LossResponse:
    """The response of ``loss`` to ``embeddings``, with their learnt tensors and fresh ones where they have none."""
    missing = [name for name in loss.learns if name not in embeddings.learnt]
    classes, dim = int(embeddings.y.max()) + 1, embeddings.z.shape[1]
    start = fresh_learnt(loss, classes, dim, embeddings.z.dtype) if missing else {}
    learnt = {name: start[name] if name in missing else embeddings.learnt[name] for name in loss.learns}
    return LossResponse(loss, LossInputs(embeddings, embeddings.y, learnt))
