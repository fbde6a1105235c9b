"""The results of a loss: pair weights, value with gradients, and a loss evaluated once on a batch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

ONCE = "the gradient of a loss of dml-viz cannot be differentiated again, as a penalty on gradients would do"


@dataclass(frozen=True)
class Weights:
    """Pair weights, the common language of every picture.

    ``pair`` (N, N) is dL/ds_ij for s_ij = z_i . z_j, its transpose not added; ``proxy`` (N, M) is dL/ds for
    s = z_i . p_j with p_j on the unit sphere. Each is None where a loss has no such term. Where ``one_sided``, a pair moves
    the end i alone. For a loss of raw rows, s may be the inner products of other ``rows`` (N, d) than z, a row's product with
    itself may have a weight, and ``rest`` (N, d) is the part of the gradient that belongs to no pair.
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


class Evaluated(torch.autograd.Function):
    """`Loss.evaluate` as a node of autograd's graph: forward computes the gradient with the value, backward scales it.

    A graph of the gradient ends in a RuntimeError: the gradient is a constant here, and its derivative would be wrong.
    """

    @staticmethod
    def forward(ctx: Any, evaluate: Callable[..., Gradients], names: tuple[str, ...], z: Tensor, *learnt: Tensor) -> Tensor:
        given = {name: tensor.detach() for name, tensor in zip(names, learnt, strict=True)}
        result = evaluate(z.detach(), given)
        ctx.save_for_backward(result.z, *(result.learnt[name] for name in names), z, *learnt)
        return result.value

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *_Scaled.apply(slope, *ctx.saved_tensors)


class _Scaled(torch.autograd.Function):
    """Gradients times a slope, which depend on the tensors that they are of and cannot be differentiated."""

    @staticmethod
    def forward(ctx: Any, slope: Tensor, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(slope * gradient for gradient in tensors[: len(tensors) // 2])

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        raise RuntimeError(ONCE)
