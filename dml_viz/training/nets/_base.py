"""The base class of nets: images in, unit rows out."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from dml_viz.embedding.sphere import normalise
from dml_viz.params import Declared


class Unit(nn.Module):
    """Layer that normalises every row (B, d); a row of zeros stays zero."""

    def forward(self, x: Tensor) -> Tensor:
        return normalise(x)


class EqualLengthSlices(nn.Module):
    """Layer that makes rows (B, d) of unit length whose K slices, of these ``widths``, each have length 1/sqrt(K)."""

    def __init__(self, widths: tuple[int, ...]) -> None:
        super().__init__()
        self.widths = widths

    def forward(self, x: Tensor) -> Tensor:
        return normalise(torch.cat([normalise(rows) for rows in x.split(self.widths, 1)], 1))


@dataclass(frozen=True)
class Net(Declared, ABC):
    """A declared embedding net. A subclass defines `layers`; weights are never drawn from the global generator."""

    title: ClassVar[str]
    sentence: ClassVar[str]
    frame_every: ClassVar[int]
    """Steps from frame to frame for which frames add about a twentieth to the time of training."""

    @abstractmethod
    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        """The layers by name, in order, from images (B, 1, side, side) to rows (B, dim); the values of weights do not matter."""

    def build(self, side: int, dim: int, generator: torch.Generator) -> nn.Sequential:
        """The net from images (B, 1, side, side) float32 in [0, 1] to unit rows (B, dim).

        Weights are drawn by ``generator`` as in He et al. 2015, equation 10; biases start at zero.
        """
        net = self.uninitialised(side, dim)
        for weight in net.parameters():
            if weight.ndim > 1:
                nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
            else:
                nn.init.zeros_(weight)
        return net

    def uninitialised(self, side: int, dim: int) -> nn.Sequential:
        """The net on the CPU, with weights that have no values yet."""
        # On "meta" a layer skips its own initialisation, which would draw from the global generator.
        with torch.device("meta"):
            net = nn.Sequential(OrderedDict(self.layers(side, dim) | {"unit": Unit()}))
        return net.to_empty(device="cpu")
