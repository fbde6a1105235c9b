"""What any loss does to any embeddings: value, gradients, weights of pairs and proxies, and where descent leads."""

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

SEED = 0  # of the learnt tensors that a loss starts from
ACTIVE = 1e-3  # of the largest gradient or weight: a point or a pair with less is not counted as active
ROUNDING = 1e-13  # of all that pulls and pushes at a point: what is left along the sphere is rounding
NOTHING = 1e-20  # below any gradient that a training step would act on


@dataclass(frozen=True, eq=False)
class LossInputs:
    """Embeddings as one loss gets them: labels y (N,) counted as its learnt tensors are, these, and where they come from."""

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
    drawn = loss.init(classes, dim, torch.Generator().manual_seed(SEED))
    return {name: tensor.to(dtype) for name, tensor in drawn.items() if name in loss.learns}


@dataclass(frozen=True, eq=False)
class LossResponse:
    """A loss on a batch of N points: each number is computed when it is first asked for, from one table of distances.

    Partners are the M proxies of a loss that has some, and else the points themselves.
    """

    loss: Loss
    inputs: LossInputs

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs of points with partners."""
        pairs = self.loss.pairs(self.inputs.z, self.inputs.y, self.inputs.learnt)
        if self.loss.unit and pairs.among_themselves:
            vars(pairs)["d2"] = self.inputs.embeddings.d2
        return pairs

    @cached_property
    def _weighed(self) -> tuple[Tensor, Tensor]:
        with torch.no_grad():
            return self.loss.weigh(self.pairs)

    @cached_property
    def ordered(self) -> Weights:
        """The weights as the loss gives them, of ordered pairs."""
        if type(self.loss).weights is not Loss.weights:
            return self.loss.weights(self.inputs.z, self.inputs.y, **self.inputs.learnt)
        table = self._weighed[1]
        return Weights(proxy=table) if self.of_proxies else Weights(pair=table, one_sided=self.loss.one_sided)

    @cached_property
    def gradients(self) -> Gradients:
        """The value and the gradients that training uses; for unit rows, that at the points has no radial part."""
        loss, learnt = self.loss, self.inputs.learnt
        with torch.no_grad():
            if not loss.unit or not loss.needs_weights_alone(self.pairs):
                return loss.gradients_of_pairs(self.pairs, learnt)
            found = loss.gradients_of_weights(self.pairs, learnt, *self._weighed)
            return Gradients(found.value, tangent(found.z, self.inputs.z), found.learnt)

    @property
    def value(self) -> float:
        """The loss."""
        return float(self.gradients.value)

    @property
    def of_proxies(self) -> bool:
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
    def raw(self) -> np.ndarray:
        """The gradient (N, d) with its radial part: in inner products, where the loss is of unit rows."""
        if not self.loss.unit:
            return self.gradients.z.numpy()
        return (self._table @ self.partners).numpy()

    @cached_property
    def weights(self) -> np.ndarray:
        """What the loss multiplies a partner's row by in the raw gradient of a point (N, M).

        That is both orders of a pair together, or one where the loss moves one end alone; 0 for a point with itself.
        """
        table = self._table.numpy().copy()
        if not self.of_proxies:
            np.fill_diagonal(table, 0)
        return table

    @cached_property
    def _table(self) -> Tensor:
        found, n = self.ordered, len(self.inputs.z)
        if found.proxy is not None:
            return found.proxy.detach()
        pair = self.inputs.z.new_zeros(n, n) if found.pair is None else found.pair.detach()
        return pair if found.one_sided else pair + pair.T

    @cached_property
    def lengths(self) -> np.ndarray:
        """The lengths (N,) of the gradients along the sphere, 0 where they are rounding."""
        lengths = np.linalg.norm(self.tangent, axis=1)
        pulls = np.abs(self.weights).sum(1) if self.loss.unit else np.linalg.norm(self.raw, axis=1)
        return np.where(lengths > max(NOTHING, ROUNDING * pulls.max(initial=0)), lengths, 0)

    @property
    def norm(self) -> float:
        """The length of the whole gradient along the sphere, all points together."""
        return float(np.linalg.norm(self.lengths))

    @cached_property
    def active_points(self) -> tuple[int, int]:
        """How many points have a gradient, and how many there are."""
        return int((self.lengths > ACTIVE * self.lengths.max(initial=0)).sum()), len(self.lengths)

    @property
    def radial(self) -> float:
        """The share of the raw gradient's squared length that points off the sphere; NaN for none at all."""
        whole = float((self.raw**2).sum())
        return max(0.0, 1 - float((self.tangent**2).sum()) / whole) if whole else math.nan

    @cached_property
    def seconds(self) -> float:
        """How long value and gradients take alone, asked once more when all is warm."""
        _, began = self.gradients, time.perf_counter()
        self.loss.gradients(self.inputs.z, self.inputs.y, **self.inputs.learnt)
        return time.perf_counter() - began

    @cached_property
    def ends(self) -> np.ndarray:
        """All K pairs (K, 2): i < j of points, or each point with each proxy."""
        everyone = np.ones(self.weights.shape, bool)
        return np.argwhere(everyone if self.of_proxies else np.triu(everyone, 1))

    @cached_property
    def pair_table(self) -> np.ndarray:
        """dL/ds of pairs (N, M), both orders together; negative where a pair is pulled together."""
        both = not self.of_proxies and self.ordered.one_sided
        return self.weights + self.weights.T if both else self.weights

    @cached_property
    def pair_weights(self) -> np.ndarray:
        """The weights (K,) of all pairs, both orders together."""
        return self.pair_table[tuple(self.ends.T)]

    @cached_property
    def largest(self) -> float:
        """The largest weight of a pair without its sign; 0 where no pair has one."""
        return float(np.abs(self.pair_weights).max(initial=0))

    @cached_property
    def active(self) -> np.ndarray:
        """Which pairs (K,) weigh more than `ACTIVE` of the largest."""
        return np.abs(self.pair_weights) > ACTIVE * self.largest

    def active_of(self, positive: bool) -> tuple[int, int]:
        """How many pairs of a kind are active, and how many there are."""
        of = self.positive == positive
        return int((self.active & of).sum()), int(of.sum())

    @property
    def active_pairs(self) -> tuple[int, int]:
        """How many pairs are active, and how many there are."""
        return int(self.active.sum()), len(self.active)

    @cached_property
    def positive(self) -> np.ndarray:
        """Which pairs (K,) are of one class."""
        return self.pairs.same.numpy()[tuple(self.ends.T)]

    @property
    def of_points(self) -> bool:
        """Whether weights are of the points' own similarities, and not of other rows that the loss makes of them."""
        return self.ordered.rows is None

    @cached_property
    def similarities(self) -> np.ndarray:
        """The inner products (K,) that the weights are of."""
        rows = self.ordered.rows
        table = self.inputs.z @ self.partners.T if rows is None else rows @ rows.T
        return table.numpy()[tuple(self.ends.T)]

    def stepped(self, rate: float, learnt_rate: float) -> Self:
        """The response after a step down the gradient: rows back on the sphere, proxies as long as they were."""
        learnt = dict(self.inputs.learnt)
        if learnt_rate:
            learnt = {name: tensor - learnt_rate * self.gradients.learnt[name] for name, tensor in learnt.items()}
            if self.of_proxies:
                lengths = self.inputs.learnt["proxies"].norm(dim=1, keepdim=True)
                learnt["proxies"] = normalise(learnt["proxies"]) * lengths
        return self.moved(normalise(self.inputs.z - rate * torch.from_numpy(self.tangent)), learnt)

    def moved(self, z: Tensor, learnt: Mapping[str, Tensor]) -> Self:
        """The response at other rows (N, d), with other learnt tensors."""
        return replace(self, inputs=LossInputs(replace(self.inputs.embeddings, z=z), self.inputs.y, learnt))

    def flow(self, steps: int, rate: float, learnt_rate: float) -> Iterator[Self]:
        """The responses (steps + 1) along the gradient flow from here, with no net between the loss and the points."""
        return accumulate(range(steps), lambda state, _: state.stepped(rate, learnt_rate), initial=self)


def response_to(embeddings: Embeddings, loss: Loss) -> LossResponse:
    """The response of ``loss`` to ``embeddings``, with the learnt tensors that they bring and fresh ones for any other."""
    start = fresh_learnt(loss, int(embeddings.y.max()) + 1, embeddings.z.shape[1], embeddings.z.dtype)
    learnt = {name: embeddings.learnt.get(name, tensor) for name, tensor in start.items()}
    return LossResponse(loss, LossInputs(embeddings, embeddings.y, learnt))
