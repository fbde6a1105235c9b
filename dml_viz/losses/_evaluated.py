"""A loss as a node of autograd's graph."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

if TYPE_CHECKING:
    from dml_viz.losses._base import Loss


class Evaluated(torch.autograd.Function):
    """`Loss.evaluate` as a node of autograd's graph: forward computes the gradient with the value, backward scales it."""

    @staticmethod
    def forward(ctx: Any, loss: "Loss", y: Tensor, names: tuple[str, ...], z: Tensor, *learnt: Tensor) -> Tensor:
        given = {name: tensor.detach() for name, tensor in zip(names, learnt, strict=True)}
        result = loss.evaluate(loss.pairs(z.detach(), y, given), given)
        ctx.save_for_backward(result.z, *(result.learnt[name] for name in names))
        return result.value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, None, *(slope * gradient for gradient in ctx.saved_tensors)
