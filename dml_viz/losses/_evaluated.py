"""A loss as a node of autograd's graph."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dml_viz.losses._results import Gradients


class Evaluated(torch.autograd.Function):
    """`Loss.evaluate` as a node of autograd's graph: forward computes the gradient with the value, backward scales it."""

    @staticmethod
    def forward(ctx: Any, evaluate: Callable[..., Gradients], names: tuple[str, ...], z: Tensor, *learnt: Tensor) -> Tensor:
        given = {name: tensor.detach() for name, tensor in zip(names, learnt, strict=True)}
        result = evaluate(z.detach(), given)
        ctx.save_for_backward(result.z, *(result.learnt[name] for name in names))
        return result.value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *(slope * gradient for gradient in ctx.saved_tensors)
