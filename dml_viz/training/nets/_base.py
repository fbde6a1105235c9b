"""The contract of a net: images in, unit rows out."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from dml_viz.embedding.sphere import normalise
from dml_viz.params import check

WIDTH_CAP = 512


class Unit(nn.Module):
    """Puts every row (B, d) on the unit sphere, inside the graph; a row of zeros stays zero."""

    def forward(self, x: Tensor) -> Tensor:
        return normalise(x)


@dataclass(frozen=True)
class Net(ABC):
    """A declared embedding net. A leaf gives `layers`; the weights come from a generator, never from the global one."""

    title: ClassVar[str]
    sentence: ClassVar[str]
    frame_every: ClassVar[int]
    """How many steps take so long that a frame after them adds about a twentieth."""

    def __post_init__(self) -> None:
        check(self)

    @abstractmethod
    def layers(self, side: int, dim: int) -> dict[str, nn.Module]:
        """The layers by name, in order, from images (B, 1, side, side) to (B, dim); their weights need no values."""

    def build(self, side: int, dim: int, generator: torch.Generator) -> nn.Sequential:
        """A net from images (B, 1, side, side) float32 in [0, 1] to unit rows (B, dim), its weights drawn by ``generator``.

        Weights are drawn as in He et al. 2015, equation 10; biases start at zero.
        """
        net = self.unfilled(side, dim)
        for weight in net.parameters():
            if weight.ndim > 1:
                nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
            else:
                nn.init.zeros_(weight)
        return net

    def unfilled(self, side: int, dim: int) -> nn.Sequential:
        """The same net on the CPU with weights that hold no values yet."""
        # On "meta" a layer skips its own initialisation, which would draw from the global generator.
        with torch.device("meta"):
            net = nn.Sequential()
            for name, layer in self.layers(side, dim).items():
                net.add_module(name, layer)
            net.add_module("unit", Unit())
        return net.to_empty(device="cpu")
