"""Forward and backward passes of a net: by hand for an MLP, in few operations, and by autograd for any other net."""

from typing import Protocol

import torch
from torch import Tensor, nn

from dml_viz.embedding.sphere import SHORTEST
from dml_viz.training.nets._base import Unit

of_threshold = torch.ops.aten.threshold_backward.grad_input


class Passes(Protocol):
    """A net whose weights' gradients are in place: each backward pass overwrites them with those of the last forward pass."""

    def forward(self, x: Tensor, *, keep: bool = True) -> Tensor:
        """Rows (B, d) of images x (B, 1, side, side), without a graph; without ``keep`` no backward pass can follow."""

    def backward(self, gradient: Tensor) -> None:
        """Overwrite the weights' gradients with those for the loss's ``gradient`` (B, d) at the rows.

        Where rows are unit it has to be tangent already.
        """


class OfAnyNet:
    """Passes by autograd."""

    def __init__(self, net: nn.Module, gradient: Tensor) -> None:
        self._net, self._gradient = net, gradient

    def forward(self, x: Tensor, *, keep: bool = True) -> Tensor:
        with torch.set_grad_enabled(keep):
            self._rows = self._net(x)
        return self._rows.detach()

    def backward(self, gradient: Tensor) -> None:
        self._gradient.zero_()
        self._rows.backward(gradient)
        del self._rows  # and with them the graph, which a capture could not share with the step before


class OfMLP:
    """Passes through fully connected layers with ReLU between them, and through normalisation where the rows are ``unit``."""

    def __init__(self, net: nn.Sequential, *, unit: bool) -> None:
        layers = [layer for layer in net if isinstance(layer, nn.Linear)]
        self._weights = [(layer.weight.detach(), layer.bias.detach(), layer.weight.detach().T) for layer in layers]
        self._gradients = [(layer.weight.grad, layer.bias.grad) for layer in layers]
        self._unit = unit

    def forward(self, x: Tensor, *, keep: bool = True) -> Tensor:
        self._inputs = [x.flatten(1)]
        for _, bias, onwards in self._weights[:-1]:
            self._inputs.append(torch.addmm(bias, self._inputs[-1], onwards).relu_())
        _, bias, onwards = self._weights[-1]
        rows = torch.addmm(bias, self._inputs[-1], onwards)
        if self._unit:
            self._lengths = torch.linalg.vector_norm(rows, dim=1, keepdim=True).clamp_(min=SHORTEST)
            rows /= self._lengths
        return rows

    def backward(self, gradient: Tensor) -> None:
        if self._unit:
            gradient = gradient / self._lengths
        for layer in range(len(self._weights) - 1, -1, -1):
            of_weight, of_bias = self._gradients[layer]
            torch.mm(gradient.T, self._inputs[layer], out=of_weight)
            torch.sum(gradient, 0, out=of_bias)
            if layer:
                gradient = gradient @ self._weights[layer][0]
                of_threshold(gradient, self._inputs[layer], 0, grad_input=gradient)


def passes(net: nn.Sequential, gradient: Tensor, *, unit: bool) -> Passes:
    """The passes of a net whose last layer normalises, without that layer unless ``unit``; they write ``gradient`` (n,)."""
    kinds = [type(layer) for layer in net]
    if kinds == [nn.Flatten, *[nn.Linear, nn.ReLU] * ((len(kinds) - 3) // 2), nn.Linear, Unit]:
        return OfMLP(net, unit=unit)
    return OfAnyNet(net if unit else net[:-1], gradient)
